"""Sizes, costs, hard limits and brokers: what stands between a decision and a position. `protocol.Broker`, `limits`, `sizing`, `paper`,
`exchange`."""
