"""Sizes and hard limits: code that stands between a decision and an order. `limits.check_limits`, `sizing`."""
