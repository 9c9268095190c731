"""Tests of what research leaves."""
