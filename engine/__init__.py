"""Tribunal's engine: a market in, an argued, fact-checked and limited decision out. See engine/README.md for the map."""
