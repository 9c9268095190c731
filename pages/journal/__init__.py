"""The journal: what decisions have come to."""
