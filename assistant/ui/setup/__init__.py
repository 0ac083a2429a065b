"""Setting a table up, once: camera, lens, tokens, pieces, terrain, players. Everything is remembered."""
