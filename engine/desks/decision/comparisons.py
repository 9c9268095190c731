"""Decisions that were asked for with the corrections, without, and with corrections that change nothing, and what all of them together
say. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.desks.decision.state import Json
from engine.domain.interval import counted_share

ARMS: Final = {"with": "corrected", "without": "uncorrected", "placebo": "placebo"}
"""As the shell names them -> as the state's `did_it_matter` does."""


def arms_of(compared: Mapping[str, Any]) -> Json:
    """Return `{"with": {"action", "confidence"}, "without", "placebo"}`, as far as they were asked. compared: the state's
    `did_it_matter`."""
    asked = {name: compared[key] for name, key in ARMS.items() if key in compared}
    return {name: {"action": each["action"], "confidence": each["confidence"]} for name, each in asked.items()}


def all_arms(compared: Sequence[Mapping[str, Any]]) -> Json:
    """Return how often corrections and placebo changed the action, over all decisions that were asked for in all three ways, with n."""
    whole = [each for each in compared if len(each) == len(ARMS)]
    against = {"corrections_changed": "with", "placebo_changed": "placebo"}
    actions = {name: dict(Counter(each[name]["action"] for each in whole).most_common()) for name in ARMS}
    changed = {key: sum(each[name]["action"] != each["without"]["action"] for each in whole) for key, name in against.items()}
    return {"runs": len(whole), "actions": actions} | {key: counted_share(count, len(whole)) for key, count in changed.items()}
