"""The game log: one file that remembers a physical game."""
