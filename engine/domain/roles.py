"""Who speaks in a decision."""

from typing import Literal, get_args

Role = str
"""Name of a speaker: an analyst's key (`indicator`), or a debater's with the path's prefix (`bull`, `position_bull`), or `executor`."""

DebateSide = Literal["bull", "bear", "judge"]
DEBATE_SIDES: tuple[DebateSide, ...] = get_args(DebateSide)


def side_of(role: Role) -> str:
    """The speaker behind a path's prefix: `position_bull` -> `bull`; other roles unchanged."""
    return role.removeprefix("position_")
