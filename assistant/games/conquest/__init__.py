"""Conquest, The Last Argument of Kings. The catalogue's numbers (CQ-n) name its rules everywhere."""
