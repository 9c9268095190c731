"""Who speaks, in any flow."""

from typing import Literal, get_args

Role = str
"""Name of a speaker: an analyst's key (`indicator`), a debater's (`bull`), or `executor`. Where it speaks is its node."""

DebateSide = Literal["bull", "bear", "judge"]
DEBATE_SIDES: tuple[DebateSide, ...] = get_args(DebateSide)
