"""The fifteen attacks, each at a real border."""
