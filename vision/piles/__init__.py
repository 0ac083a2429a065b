"""Cards in space: how they rest on each other and in which order."""
