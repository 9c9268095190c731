"""The nouns every room shares: frozen values without I/O, clock or randomness. Imports nothing else of the engine."""
