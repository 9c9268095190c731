"""The bench: what a model is worth on this desk, measured on frozen markets, without knowing the future."""
