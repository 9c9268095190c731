"""The closed rooms: research and risk, out of one description."""
