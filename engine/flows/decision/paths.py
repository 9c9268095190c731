"""Twins are specs: the entry and the position path are two constants; one builder makes both."""

from dataclasses import dataclass

from engine.domain.decision import HOLD, WAIT, Action, PathName, actions_of
from engine.domain.roles import DEBATE_SIDES, Role


@dataclass(frozen=True)
class Path:
    """One path through the flow.

    name: `entry` or `position`. prefix: of its roles and state fields (`position_bull_argument`). safe: what it ends in when anything
    fails. action_words: what its executor may choose.
    """

    name: PathName
    prefix: str
    safe: Action

    def key(self, field: str) -> str:
        """Return a state field of this path: `bull_argument` -> `position_bull_argument`."""
        return self.prefix + field

    def role(self, side: str) -> Role:
        """Return a debater of this path: `bull` -> `position_bull`."""
        return self.prefix + side

    @property
    def debaters(self) -> tuple[Role, ...]:
        """Bull, bear and judge, in speaking order."""
        return tuple(self.role(side) for side in DEBATE_SIDES)

    @property
    def debate_node(self) -> str:
        """Name of the debate's node in the main graph."""
        return f"{self.name}_debate"

    @property
    def grounding_node(self) -> str:
        """Name of the grounding node in the main graph."""
        return f"{self.name}_grounding"

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the executor may choose."""
        return actions_of(self.name)


ENTRY = Path("entry", "", WAIT)
POSITION = Path("position", "position_", HOLD)
PATHS = (ENTRY, POSITION)


def path_of(has_position: bool) -> Path:
    """Return the path of a decision."""
    return POSITION if has_position else ENTRY
