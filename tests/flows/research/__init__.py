"""Tests of the research flow."""
