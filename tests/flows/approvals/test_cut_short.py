"""Cancelled at every wait of the paths that write what belongs together: nothing is left half done or held, and it can be tried again."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from engine.domain.errors import TribunalError
from engine.domain.risk import RiskConfig
from engine.journal.tables import ACCOUNT_SLOTS
from engine.runs import player
from engine.runs.runner import Runner
from tests.flows.answers import cast
from tests.flows.approvals.cutting import Cut
from tests.flows.desk import SYMBOL, Desk

if TYPE_CHECKING:
    from engine.api import Engine

MOST_WAITS = 60


def until_it_is_not_cut(play: Callable[[int], bool]) -> int:
    """Play a path that is cut at its 1st, 2nd, ... wait, until it passes uncut; gives how many waits it has."""
    for at in range(1, MOST_WAITS):
        if not play(at):
            return at - 1
    raise AssertionError(f"more than {MOST_WAITS} waits")


def held_slots(engine: "Engine") -> list[Any]:
    with engine._container.journal._talking("read slots from") as connection:
        return list(connection.execute(select(ACCOUNT_SLOTS)))


class EndOfRun:
    """Cuts the runs of a process after their graphs have ended, as a person does who stops them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cut, self.ended = Cut(0, late=False), False
        played, lived = player.play, Runner._live_through

        async def noted(*given: Any, **more: Any) -> Any:
            self.ended = False
            result = await played(*given, **more)
            self.ended = True
            return result

        def cuttable(runner: Runner, record: Any, live: Any) -> Coroutine[Any, Any, None]:
            self.cut.cancel = lambda: runner._cut_by_person(record.run_id)
            return self.cut.over(lived(runner, record, live))

        monkeypatch.setattr(player, "play", noted)
        monkeypatch.setattr(Runner, "_live_through", cuttable)

    def at(self, wait: int, *, late: bool) -> None:
        self.ended, self.cut = False, Cut(wait, late, counts=lambda: self.ended)


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("approval", ["manual", "automatic"])
def test_a_run_that_is_stopped_at_its_end_has_ended_with_its_proposal_or_has_neither(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, approval: str, late: bool
) -> None:
    engine, end = desk.another(approval=approval, risk=RiskConfig(max_orders_per_hour=1000)), EndOfRun(monkeypatch)

    def stopped(wait: int) -> bool:
        end.at(wait, late=late)
        run_id = engine.start(engine.decisions.request(SYMBOL, data_dir=str(desk.candles), propose=True))
        with suppress(TribunalError):
            engine.wait(run_id, timeout=30)
        was_cut, record = end.cut.was_made, engine.record(run_id)
        filed = engine.trading.proposal_of(run_id)
        assert record.status in {"stopped", "finished"}
        assert (filed is not None) == (record.status == "finished"), f"{record.status} with {filed.state if filed else 'no'} proposal"
        assert (engine.events(run_id)[-1].kind == "run.finished") == (record.status == "finished")
        end.at(0, late=late)
        engine.resume(run_id)
        state = engine.wait(run_id, timeout=30).result
        assert state is not None
        engine.trading.recover()
        assert engine.trading.faults() == [], f"cut at wait {wait}"
        filed = engine.trading.proposal_of(run_id)
        assert filed is not None
        assert state["proposal_id"] == filed.id
        assert held_slots(engine) == []
        for held in engine.trading.positions():
            engine.trading.close_position(held.position.symbol, "somebody")
        return was_cut

    desk.server.answer = cast()
    assert until_it_is_not_cut(stopped) >= 2
