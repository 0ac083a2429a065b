"""From a frame to what lies on the table, in millimetres. Knows no game."""
