"""Hidden support, estimated from the shadows of cards."""
