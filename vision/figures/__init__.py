"""Bases and stands of miniatures: detection and following."""
