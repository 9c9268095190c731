"""The nouns of listed companies: listings, sessions, the outcome of shares, filings, news, and the snapshot of them all."""
