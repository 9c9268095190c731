"""A local folder of documents with full-text search."""
