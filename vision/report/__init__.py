"""Detections drawn over the picture, and scores against truth."""
