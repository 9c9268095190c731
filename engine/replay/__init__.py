"""A desk in a loop over history: the same path as live with a clock that is moved, and what it came to."""
