"""The simulated companies: pure functions of (seed, symbol, date), read through `simulated.py`."""
