"""Twins are specs: the entry and the position path are two constants; one builder makes both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.domain.decision import DEBATE_SIDES, ENTRY_SHORT, HOLD, WAIT, Action, PathName, actions_of
from engine.domain.roles import Role

_SPEAKERS: Final[Mapping[str, Mapping[str, str]]] = {"position": {"bull": "keep", "bear": "reduce"}}
_RECORDS: Final[Mapping[str, str]] = {"bull": "bull_argument", "bear": "bear_argument", "judge": "judge_verdict"}
GROUNDING_RESULT: Final = "grounding_result"
"""Name of a state field that both paths have; `Path.key` gives the one of a path."""


@dataclass(frozen=True)
class Path:
    """One path through the flow.

    name: `entry` or `position`. prefix: of the nodes of its debaters and of its state fields (`position_bull_argument`). safe: what it ends
    in when anything fails. paid_in_full: of what is traded (`Nature`): nothing is sold short.
    """

    name: PathName
    prefix: str
    safe: Action
    paid_in_full: bool = False

    def key(self, field: str) -> str:
        """Return a state field of this path: `bull_argument` -> `position_bull_argument`."""
        return self.prefix + field

    def record(self, role: Role) -> str:
        """Return the state field that holds what a debater said on this path: `judge` -> `position_judge_verdict`. Raises KeyError."""
        return self.key(_RECORDS[role])

    @property
    def records(self) -> tuple[str, ...]:
        """State fields of what bull, bear and judge said, in speaking order."""
        return tuple(self.record(side) for side in DEBATE_SIDES)

    def node(self, role: Role) -> str:
        """Return where a debater speaks on this path: `bull` -> `position_bull`."""
        return self.prefix + role

    def speaker(self, side: Role) -> str:
        """Return what a side is called in prompts: about an open position, which may be a short, `keep` and `reduce` are argued."""
        return _SPEAKERS.get(self.name, {}).get(side, side)

    @property
    def debaters(self) -> Mapping[str, Role]:
        """Node -> role of bull, bear and judge, in speaking order."""
        return {self.node(side): side for side in DEBATE_SIDES}

    @property
    def debate_node(self) -> str:
        return f"{self.name}_debate"

    @property
    def grounding_node(self) -> str:
        return f"{self.name}_grounding"

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the executor may choose."""
        return tuple(action for action in actions_of(self.name) if not (self.paid_in_full and action is ENTRY_SHORT))


ENTRY = Path("entry", "", WAIT)
POSITION = Path("position", "position_", HOLD)
PATHS = (ENTRY, POSITION)


def path_of(has_position: bool, *, paid_in_full: bool = False) -> Path:
    return replace(POSITION if has_position else ENTRY, paid_in_full=paid_in_full)


def path_at(node: str) -> Path:
    """Return the path that a debater's node is on; the entry path for every other node."""
    return POSITION if node in POSITION.debaters else ENTRY


def role_at(node: str) -> Role:
    """Return who speaks in a node: `position_bull` -> `bull`; a node that is no debater's has its role's own name."""
    return path_at(node).debaters.get(node, node)
