"""The scripted model: a model without a network, the lies it can tell on purpose, and what the scripts of all desks share."""
