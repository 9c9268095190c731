"""What is asked again when a plan's run is forked: from `planner` everything, from a factor that factor alone. Pure."""

from engine.domain.errors import BadInput
from engine.domain.run import Origin
from engine.flows.plan.stages import FACTOR_NODES, PLANNER, REASONER, family
from engine.flows.protocol import Fork

_OF_FACTORS = tuple(node for factor in FACTOR_NODES for node in family(factor))
_SPEAKERS = (PLANNER, *(node for node in _OF_FACTORS if node not in FACTOR_NODES))


def fork_of(origin: Origin) -> Fork:
    """Return the nodes that speak and read anew, and what is said in others. Raises BadInput naming the nodes there are."""
    again: set[str] = set()
    for name, text in origin.texts.items():
        if name not in _SPEAKERS:
            raise BadInput(f"role {name[:40]!r} is not known; roles are {PLANNER}, factor_N_{REASONER}, factor_N_{PLANNER}")
        if not text.strip():
            raise BadInput(f"the text of {name} is empty")
        again |= _behind(name) - {name}  # what was read for another plan is not what this one asks for
    if origin.from_node is not None:
        again |= _behind(origin.from_node.strip())
    return Fork(frozenset(again), dict(origin.texts))


def _behind(node: str) -> set[str]:
    """Return a node and every node behind it."""
    if node == PLANNER:
        return {PLANNER, *_OF_FACTORS}
    for factor in FACTOR_NODES:
        if node in family(factor):
            return set(family(factor))
    raise BadInput(f"node {node[:40]!r} is not known; a plan can be forked from {PLANNER} and {', '.join(FACTOR_NODES)}")
