"""Prints the final state of a run of any flow: one line of JSON, or a sentence in the words of its flow."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.cli.decide import decision_sentence
from engine.cli.fusion import fusion_sentence
from engine.cli.research import research_sentence
from engine.cli.terminal import print_json, print_line

_SENTENCES: Final[Mapping[str, Callable[[dict[str, Any]], str]]] = {"fusion": fusion_sentence, "research": research_sentence}
"""Flow -> its sentence; a state without a flow is a decision's."""


def print_state(state: dict[str, Any], *, as_json: bool) -> None:
    """Print a final state."""
    if as_json:
        print_json(state)
    else:
        print_line(_SENTENCES.get(str(state.get("flow")), decision_sentence)(state))
