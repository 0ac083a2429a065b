"""Table boules: the example of a fifth game."""
