"""Frames from cameras, streams and files, and when the table in them is at rest."""
