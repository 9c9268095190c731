"""Making a plan: by a model, or by the words of the question."""
