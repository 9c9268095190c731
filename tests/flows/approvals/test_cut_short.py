"""Cancelled at every wait of the paths that write what belongs together: nothing is left half done or held, and it can be tried again."""

import sqlite3
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import closing, suppress
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from engine.approvals import order_dispatch
from engine.domain.errors import TribunalError
from engine.domain.proposal import Proposal
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRequest
from engine.flows.play import play
from engine.journal.tables import ACCOUNT_SLOTS, MEMORIES
from engine.runs import player
from engine.runs.runner import Runner
from tests.flows.answers import cast
from tests.flows.approvals.cutting import Cut
from tests.flows.desk import SYMBOL, Desk
from tests.flows.equities.played import Words

if TYPE_CHECKING:
    from engine.api import Engine

MOST_WAITS = 60
pytestmark = pytest.mark.timeout(400)


def until_it_is_not_cut(play: Callable[[int], bool]) -> int:
    """Play a path that is cut at its 1st, 2nd, ... wait, until it passes uncut; gives how many waits it has."""
    for at in range(1, MOST_WAITS):
        if not play(at):
            return at - 1
    raise AssertionError(f"more than {MOST_WAITS} waits")


def held_slots(engine: "Engine") -> list[Any]:
    with engine._container.journal._talking("read slots from") as connection:
        return list(connection.execute(select(ACCOUNT_SLOTS)))


class StoppedRuns:
    """Stops the runs of a process, as a person does, at one wait: `begin` until their graphs begin, `end` once those have ended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cut, self.phase = Cut(0, late=False), "begin"
        played, lived = play, Runner._live_through

        async def noted(*given: Any, **more: Any) -> Any:
            self.phase = "graph"
            result = await played(*given, **more)
            self.phase = "end"
            return result

        def cuttable(runner: Runner, record: Any, live: Any) -> Coroutine[Any, Any, None]:
            self.phase, self.cut.cancel = "begin", lambda: runner._cut_by_person(record.run_id)
            return self.cut.over(lived(runner, record, live))

        monkeypatch.setattr(player, "play", noted)
        monkeypatch.setattr(Runner, "_live_through", cuttable)

    def at(self, wait: int, phase: str, *, late: bool) -> None:
        self.cut = Cut(wait, late, counts=lambda: self.phase == phase)


def memories_of(engine: "Engine", run_id: str) -> list[str]:
    """The names of what a run has left for later ones."""
    with engine._container.journal._talking("read memories from") as connection:
        return sorted(connection.execute(select(MEMORIES.c.name).where(MEMORIES.c.run_id == run_id)).scalars())


@pytest.mark.parametrize(
    ("flow", "phase", "late"),
    [
        ("decision", "end", True),
        pytest.param("decision", "begin", True, marks=pytest.mark.full),
        pytest.param("decision", "end", False, marks=pytest.mark.full),
        pytest.param("fusion", "end", True, marks=pytest.mark.full),
    ],
)
def test_a_run_that_is_stopped_has_ended_with_its_proposal_and_memories_or_has_none_of_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, flow: str, phase: str, late: bool
) -> None:
    engine, runs = desk.another(), StoppedRuns(monkeypatch)
    desk.server.answer = cast()
    if flow == "fusion":
        Words(monkeypatch)

    def stopped(wait: int) -> bool:
        runs.at(wait, phase, late=late)
        if flow == "fusion":  # the same day: what an earlier run left is read and not made again
            asked: RunRequest = engine.equities.request("AAPL", trade_date=date(2024, 3, 5), seed=wait, propose=True, model="scripted")
        else:
            asked = engine.decisions.request(SYMBOL, data_dir=str(desk.candles), propose=True)
        run_id = engine.start(asked)
        with suppress(TribunalError):
            engine.wait(run_id, timeout=30)
        was_cut, record = runs.cut.was_made, engine.record(run_id)
        filed, left = engine.trading.proposal_of(run_id), memories_of(engine, run_id)
        assert record.status in {"stopped", "finished"}
        has_ended = record.status == "finished"
        assert (filed is not None) == has_ended, f"{record.status} with {filed.state if filed else 'no'} proposal"
        assert (left != []) == (has_ended and flow == "fusion")
        assert (engine.events(run_id)[-1].kind == "run.finished") == has_ended
        runs.at(0, phase, late=late)
        engine.resume(run_id)
        state = engine.wait(run_id, timeout=30).result
        assert state is not None
        engine.trading.recover()
        assert engine.trading.faults() == [], f"cut at wait {wait}"
        filed = engine.trading.proposal_of(run_id)
        assert filed is not None
        assert state["proposal_id"] == filed.id
        written = [str(event.data.to_json()["name"]) for event in engine.events(run_id) if event.kind == "memory.written"]
        assert sorted(written) == memories_of(engine, run_id)
        assert held_slots(engine) == []
        with closing(sqlite3.connect(desk.home / "tribunal.db")) as journal:
            assert journal.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)
        return was_cut

    assert until_it_is_not_cut(stopped) >= 2


def ended_of(engine: "Engine", work: Any) -> Any:
    """What a piece of work on the engine's loop came to; None where it was cut or refused."""
    with suppress(TribunalError, CancelledError):
        return engine._container.loop.submit(work).result(60)
    return None


def recovered(engine: "Engine", proposal_id: str) -> Proposal:
    """A proposal once nobody works on it any more and it is known what became of its order."""
    until = time.monotonic() + 20
    while True:
        engine.trading.recover()
        found = engine.trading.proposal(proposal_id)
        if found.is_waiting or found.state in {"filled", "failed"}:
            return found
        assert time.monotonic() < until, f"{found.state}: {found.why}"


@pytest.mark.full
@pytest.mark.parametrize("late", [False, True])
def test_an_approval_that_is_cut_orders_once_or_not_at_all(desk: Desk, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    monkeypatch.setattr(order_dispatch, "LOST_AFTER_S", 0.5)
    engine = desk.another(risk=RiskConfig(max_orders_per_hour=1000))
    trading, services = engine.trading, engine._container.approvals

    def propose() -> str:
        return str(desk.decide(engine=engine)["proposal_id"])

    def cut(wait: int) -> bool:
        proposal_id, before = propose(), len(desk.fills())
        short = Cut(wait, late)
        ended_of(engine, short.over(services.approval_service.approve(proposal_id, "somebody")))
        assert held_slots(engine) == [], f"cut at wait {wait}"
        assert services.dispatcher._working == set()
        found = recovered(engine, proposal_id)
        if found.is_waiting:
            found = trading.approve(proposal_id, "somebody")
        elif found.state == "failed":  # it never left
            assert (len(desk.fills()), trading.positions()) == (before, []), f"cut at wait {wait}"
            found = trading.approve(propose(), "somebody")
        assert found.state == "filled", f"cut at wait {wait}: {found.state}, {found.why}"
        assert len(desk.fills()) == before + 1, f"cut at wait {wait}"
        (held,) = trading.positions()
        assert (held.position.size, held.position.stop) == (found.plan.amount, found.plan.stop)
        trading.close_position(SYMBOL, "somebody")
        assert trading.positions() == []
        assert trading.faults() == []
        return short.was_made

    assert until_it_is_not_cut(cut) >= 5
