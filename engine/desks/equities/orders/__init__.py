"""From a decision to an order: what the account allows, the order held to it, its proposal."""
