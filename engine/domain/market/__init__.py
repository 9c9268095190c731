"""One market as it was known at one instant: its name and terms, its candles and timeframes, and the snapshot of all that was known."""
