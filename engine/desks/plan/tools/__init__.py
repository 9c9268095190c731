"""Tools of plans, a file each: every one reads real data up to the run's instant, and says how far its result can be relied on."""
