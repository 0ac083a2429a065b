"""Pixels to millimetres and back: lens, printed kit, table."""
