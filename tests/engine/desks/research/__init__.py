"""Tests of the pure parts of the research flow."""
