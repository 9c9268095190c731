"""Analysts of an index: macro, policy, sectors, technique, the world; then an advisor who reads them all."""
