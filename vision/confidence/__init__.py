"""How likely a detection is a disk."""
