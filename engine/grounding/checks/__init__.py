"""Judge a raw claim by a fact sheet."""
