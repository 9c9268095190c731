"""What is asked again when a decision is forked from a node: the node's role and every role behind it. Pure."""

from collections.abc import Sequence

from engine.domain.errors import BadInput
from engine.domain.roles import DEBATE_SIDES, side_of

_LATER = (*DEBATE_SIDES, "executor")
_BEGINS = {"aggregator": "bull", "debate": "bull", "grounding": "executor"}


def asked_again(node: str, analysts: Sequence[str]) -> frozenset[str]:
    """The sides (roles without their path) that speak anew. Analysts beside the forked one keep their reports.

    node: as events name it, with or without the path's prefix. Raises BadInput naming the nodes there are.
    """
    name = side_of(node.strip())
    if name == "analysis":
        return frozenset({*analysts, *_LATER})
    if name in analysts:
        return frozenset({name, *_LATER})
    side = _BEGINS.get(name.removeprefix("entry_"), name)
    if side not in _LATER:
        known = ", ".join(("analysis", *analysts, "aggregator", *DEBATE_SIDES, "grounding", "executor"))
        raise BadInput(f"node {node[:40]!r} is not known; a run can be forked from {known}")
    return frozenset(_LATER[_LATER.index(side) :])
