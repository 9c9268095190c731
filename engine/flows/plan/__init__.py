"""Plans: a question decomposed into factors, each worked through with real tools, repaired where a task fails."""
