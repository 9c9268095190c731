"""Who speaks where: the planner, then for every factor at once its reasoner and, where it is planned anew, its planner; the synthesiser."""

from typing import Final

from engine.domain.plan.plan import MOST_FACTORS
from engine.flows.protocol import Seat
from engine.prompts.render import Text

PLANNER: Final = "planner"
REASONER: Final = "reasoner"
SYNTHESISER: Final = "synthesiser"


def factor_node(place: int) -> str:
    """Return the node of a factor. place: from 0."""
    return f"factor_{place + 1}"


def reasoner_node(factor: str) -> str:
    """Return the node in which a factor's errors are judged."""
    return f"{factor}_{REASONER}"


def planner_node(factor: str) -> str:
    """Return the node in which a factor is planned anew."""
    return f"{factor}_{PLANNER}"


def family(factor: str) -> tuple[str, str, str]:
    """Return every node that belongs to a factor's node."""
    return factor, reasoner_node(factor), planner_node(factor)


FACTOR_NODES: Final = tuple(factor_node(place) for place in range(MOST_FACTORS))


def seats() -> tuple[Seat, ...]:
    """Return every role in speaking order."""
    found = [Seat(PLANNER, PLANNER, "plan", {"en": "Planner", "zh": "规划员"})]
    for number, node in enumerate(FACTOR_NODES, 1):
        reasoner: Text = {"en": f"Factor {number} · reasoner", "zh": f"因素 {number} · 判断员"}
        planner: Text = {"en": f"Factor {number} · planner", "zh": f"因素 {number} · 规划员"}
        found += [Seat(REASONER, reasoner_node(node), "factors", reasoner), Seat(PLANNER, planner_node(node), "factors", planner)]
    return (*found, Seat(SYNTHESISER, SYNTHESISER, "answer", {"en": "Synthesiser", "zh": "综合员"}))
