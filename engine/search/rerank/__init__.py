"""Order by relevance: what takes part, and the models that give scores."""
