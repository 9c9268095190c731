"""Talking to a real venue through ccxt: one client, its addresses, its retries (`wire.Wire`), and the same with keys
(`signed.SignedWire`)."""
