"""Wrath of Kings. The catalogue's numbers (WK-n) name its rules everywhere."""
