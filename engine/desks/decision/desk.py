"""The decision desk."""

from typing import TYPE_CHECKING, Final

from engine.bootstrap.container import Container
from engine.desks.decision.api import Decisions
from engine.desks.decision.benches import Benches
from engine.desks.desk import Desk

if TYPE_CHECKING:
    from engine.replay.protocol import ReplayDesk


def _replay(container: Container) -> "ReplayDesk":
    from engine.desks.decision.replaying import DecisionReplay  # noqa: PLC0415 - it brings numpy, which no page need wait for

    return DecisionReplay(container)


DESK: Final = Desk(Decisions.flow, {"decisions": Decisions, "benches": Benches}, _replay)
