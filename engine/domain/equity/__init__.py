"""The nouns of listed companies: listings, sessions, what became of shares, filings, news, and the snapshot of them all."""
