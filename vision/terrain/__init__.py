"""Terrain on the table and the bare table itself."""
