"""Shares with their intervals, and how far the repetitions of a decision agree, in a line."""

from collections.abc import Mapping
from typing import Any

from engine.shell.terminal import say
from engine.shell.words import term


def share_line(found: Mapping[str, Any], n: int) -> str:
    """Return `3 of 7 (16 to 75 %)`, `-` of none. found: what `counted_share` gives."""
    if not n:
        return "-"
    return say("share", count=found["count"], n=n, low=f"{100 * found['low']:.0f}", high=f"{100 * found['high']:.0f}")


def stamp_line(stamp: Mapping[str, Any]) -> str:
    """Return `entry_long 4 of 5, 38-96 %`. stamp: the `stability` of a final state."""
    answered = sum(stamp["actions"].values())
    lost = say("stamp_lost", n=stamp["k"] - answered) if answered < stamp["k"] else ""
    if stamp["modal"] is None:
        return lost
    bounds = {name: f"{100 * stamp[name]:.0f}" for name in ("low", "high")}
    return say("stamp", action=term(stamp["modal"]), n=stamp["actions"][stamp["modal"]], of=answered, **bounds) + (
        f"{say('between')}{lost}" if lost else ""
    )
