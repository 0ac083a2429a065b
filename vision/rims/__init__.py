"""Card edges: candidates on the top view, selection, sub-pixel fit, occlusion order."""
