"""The player's own disks, tokens and terrain, as read from a roster file."""
