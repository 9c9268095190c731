"""Working through a plan: references, the graph of a factor, what is done about errors."""
