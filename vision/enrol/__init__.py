"""Making a roster from pictures of a player's own pieces."""
