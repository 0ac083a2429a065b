"""Disks through time: memory, assignment, changes, corrections."""
