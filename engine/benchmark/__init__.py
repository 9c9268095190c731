"""Struck: how many of the numbers a model states about a market are false, and what a false number does to its verdict."""
