"""Following a table through frames."""
