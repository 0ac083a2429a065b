"""The server of a game."""
