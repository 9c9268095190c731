"""What is done about a task that failed: by rule, or by a model."""
