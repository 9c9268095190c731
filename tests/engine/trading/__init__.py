"""Sizes and limits."""
