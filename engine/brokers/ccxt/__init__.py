"""The exchange broker, through ccxt."""
