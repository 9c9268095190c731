"""Rewrite items so that the grammar finds everything where it looks for it."""
