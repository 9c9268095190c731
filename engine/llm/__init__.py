"""See the room's row in engine/README.md."""
