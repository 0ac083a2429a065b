"""The panels beside the table: each shows one thing of its model and holds no truth."""
