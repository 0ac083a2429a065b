"""One picture to one `TableSighting`."""
