"""What is asked again when a decision is forked from a node: the node's role and every role behind it. Pure.

Origins name sides (`bull`), with or without a path's prefix: a fork on a fresh market may decide on the other path.
"""

from collections.abc import Sequence

from engine.agents.reader_nodes import readers_asked_anew
from engine.desks.decision.paths import PATHS, role_at
from engine.domain.decision import DEBATE_SIDES
from engine.domain.errors import BadInput
from engine.domain.run import Origin
from engine.domain.text.reason import Reason
from engine.flows.protocol import Fork

_LATER = (*DEBATE_SIDES, "executor")
_BEGINS = {"aggregator": "bull", "debate": "bull", "grounding": "executor"}


def fork_of(origin: Origin, analysts: Sequence[str]) -> Fork:
    """Return the nodes that speak anew, and what is said in others. Raises BadInput naming the nodes or the roles there are."""
    again = _asked_again(origin.from_node, analysts) if origin.from_node is not None else frozenset[str]()
    known = (*analysts, *_LATER)
    texts: dict[str, str] = {}
    for role, text in origin.texts.items():
        side = role_at(role)
        if side not in known:
            raise BadInput(Reason("role_is_not_known", side=f"{side!r}", known=", ".join(known)))
        if not text.strip():
            raise BadInput(Reason("text_of_is_empty", side=side))
        texts |= dict.fromkeys(_nodes(side), text)
    since = (
        dict.fromkeys(_nodes("bull"), 2) if "bear" in again and "bull" not in again else {}
    )  # its second round answers the first of bear
    nodes = frozenset(node for side in again for node in _nodes(side))
    return Fork(nodes | readers_asked_anew(nodes | texts.keys(), _heard(analysts)), texts, since)


def _heard(analysts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return judge -> who speaks before it, on either path."""
    return {path.node("judge"): (*analysts, path.node("bull"), path.node("bear")) for path in PATHS}


def _asked_again(node: str, analysts: Sequence[str]) -> frozenset[str]:
    """Return the sides that speak anew. Analysts beside the forked one keep their reports."""
    name = role_at(node.strip())
    if name == "analysis":
        return frozenset({*analysts, *_LATER})
    if name in analysts:
        return frozenset({name, *_LATER})
    side = _BEGINS.get(name.removeprefix("entry_"), name)
    if side not in _LATER:
        known = ", ".join(("analysis", *analysts, "aggregator", *DEBATE_SIDES, "grounding", "executor"))
        raise BadInput(Reason("node_is_not_known", node=f"{node[:40]!r}", known=known))
    return frozenset(_LATER[_LATER.index(side) :])


def _nodes(side: str) -> tuple[str, ...]:
    """Return where a side speaks: debaters have a node on either path."""
    return tuple(path.node(side) for path in PATHS) if side in DEBATE_SIDES else (side,)
