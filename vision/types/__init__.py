"""Values and array helpers that every package of vision uses."""
