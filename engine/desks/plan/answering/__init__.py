"""The answer to a plan's question: results as statements and as numbered sources, a verdict by rule, and the synthesiser's words."""
