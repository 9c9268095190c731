"""From characters to items: spelling, tokens, numbers, phrases."""
