"""The benchmark of false numbers."""
