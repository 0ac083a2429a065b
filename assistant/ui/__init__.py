"""The window: the live picture with the rulings drawn onto the table."""
