"""Every word of the grammar, by category, in both languages."""
