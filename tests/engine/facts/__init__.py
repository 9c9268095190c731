"""Facts, against values worked out by hand."""
