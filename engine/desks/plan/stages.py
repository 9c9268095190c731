"""Who speaks where: the planner, then for every factor at once its reasoner and, where it is planned anew, its planner; the synthesiser."""

from typing import Final

from engine.domain.plan.plan import MOST_FACTORS
from engine.flows.protocol import Seat
from engine.prompts.render import Text

PLANNER: Final = "planner"
REASONER: Final = "reasoner"
SYNTHESISER: Final = "synthesiser"
_TITLES: Final[dict[str, Text]] = {
    PLANNER: {"en": "Planner", "zh": "规划员"},
    REASONER: {"en": "Reasoner", "zh": "判断员"},
    SYNTHESISER: {"en": "Synthesiser", "zh": "综合员"},
}


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
    of_factors = (seat for place in range(MOST_FACTORS) for seat in _seats_of(place))
    first, last = Seat(PLANNER, PLANNER, "plan", _TITLES[PLANNER]), Seat(SYNTHESISER, SYNTHESISER, "answer", _TITLES[SYNTHESISER])
    return (first, *of_factors, last)


def _seats_of(place: int) -> tuple[Seat, Seat]:
    node, number = factor_node(place), place + 1
    return (
        Seat(REASONER, reasoner_node(node), "factors", {"en": f"Factor {number} · reasoner", "zh": f"因素 {number} · 判断员"}),
        Seat(PLANNER, planner_node(node), "factors", {"en": f"Factor {number} · planner", "zh": f"因素 {number} · 规划员"}),
    )
