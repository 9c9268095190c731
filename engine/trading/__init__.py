"""Sizes, costs, hard limits and brokers: what is between a decision and a position. `protocol.Broker`, `limits`, `sizing`, `paper`,
`exchange`."""
