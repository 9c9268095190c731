"""From an address to a file to its text, with limits at every step."""
