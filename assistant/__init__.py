"""The game: scenes, rules, logs, the window and the command line."""
