"""From decision to position."""
