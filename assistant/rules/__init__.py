"""Geometry, certainty and the shape of a ruling, shared by every game."""
