"""Reads the answers of the roles of a decision: closing blocks, and the form of the executor."""
