"""Runs: started from any thread, played on the engine's own event loop, told in numbered events, kept in the journal."""
