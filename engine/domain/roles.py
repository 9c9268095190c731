"""Who speaks, in any flow."""

Role = str
"""Name of a speaker: an analyst's key (`indicator`), a debater's (`bull`), or `executor`. Where it speaks is its node."""
