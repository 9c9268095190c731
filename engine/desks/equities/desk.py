"""The equities desk."""

from typing import TYPE_CHECKING, Final

from engine.bootstrap.container import Container
from engine.desks.desk import Desk
from engine.desks.equities.api import EquityDesk

if TYPE_CHECKING:
    from engine.replay.protocol import ReplayDesk


def _replay(container: Container) -> "ReplayDesk":
    from engine.desks.equities.replaying import EquitiesReplay  # noqa: PLC0415 - it brings numpy, which no page need wait for

    return EquitiesReplay(container)


DESK: Final = Desk(EquityDesk.flow, {"equities": EquityDesk}, _replay)
