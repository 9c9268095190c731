"""The paper broker."""
