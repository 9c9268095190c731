"""How ONE role works, for every flow: asking a model, repairing an answer once, an analyst, a debate."""
