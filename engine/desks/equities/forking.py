"""What is asked again when a run of the desk is forked from a node: that node and every node behind it. Pure."""

from collections.abc import Mapping, Sequence

from engine.agents.reader_nodes import readers_asked_anew
from engine.domain.errors import BadInput
from engine.domain.run import Origin
from engine.domain.text.reason import Reason
from engine.flows.protocol import Fork, texts_of

_DEBATES = (("bull_researcher", "bear_researcher"), ("risky", "safe", "neutral"))
"""Who takes turns: in the second round all of them have heard all of the first."""
_ROOMS = {"research": "bull_researcher", "risk": "risky", "fusion": "bull_researcher"}


def fork_of(origin: Origin, stages: Sequence[Sequence[str]], heard: Mapping[str, Sequence[str]]) -> Fork:
    """Return the nodes that speak anew, and what is said in others. stages: nodes in speaking order; those of one stage speak at once, and
    what belongs to one of them (`market`, `market_again`, `market_memory`) goes with it. heard: judge -> whose claims were read beside it.

    Raises BadInput naming the nodes there are.
    """
    nodes = [node for stage in stages for node in stage]
    texts = texts_of(origin, nodes)
    again = _asked_again(origin.from_node, stages) if origin.from_node is not None else frozenset[str]()
    since = {node: 2 for room in _DEBATES if not again.issuperset(room) for node in room if node not in again and again & set(room)}
    return Fork(again | readers_asked_anew(again | texts.keys(), heard), texts, since)


def _asked_again(node: str, stages: Sequence[Sequence[str]]) -> frozenset[str]:
    own = node.strip()
    name = _ROOMS.get(own, own).removesuffix("_again").removesuffix("_memory")
    if name == "analysis":
        return frozenset(each for stage in stages for node in stage for each in _family(node))
    for place, stage in enumerate(stages):
        if name in stage:
            return frozenset(
                each for node in (name, *(later for stage in stages[place + 1 :] for later in stage)) for each in _family(node)
            )
    known = ", ".join(("analysis", *(node for stage in stages for node in stage), *_ROOMS))
    raise BadInput(Reason("node_is_not_known", node=f"{own[:40]!r}", known=known))


def _family(node: str) -> tuple[str, str, str]:
    return node, f"{node}_again", f"{node}_memory"
