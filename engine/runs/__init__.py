"""Runs: started from any thread, played on the engine's own event loop, recorded as numbered events, kept in the journal."""
