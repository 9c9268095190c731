"""Cancelled at every wait of the paths that write what belongs together: nothing is left half done or held, and it can be tried again."""

import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from engine.approvals import order_dispatch
from engine.domain.account_ref import AccountRef
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
from tests.flows.shop import near
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET
from tests.servers.llm import LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

MOST_WAITS = 60
AT_A_VENUE = [pytest.param("venue", late, marks=pytest.mark.full) for late in (False, True)]
"""Whose requests are waits too, some thirty of an approval: the fast tier cuts those on paper."""
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


class Paper:
    """Proposals on a recorded market, filled on paper."""

    def __init__(self, desk: Desk) -> None:
        self.engine, self._desk = desk.another(risk=RiskConfig(max_orders_per_hour=1000)), desk

    def propose(self) -> str:
        state = self._desk.decide(engine=self.engine)
        return str(state["proposal_id"])

    def entries(self) -> int:
        """How many orders were filled, all in all."""
        return len(self._desk.fills())


MANY = RiskConfig(max_orders_per_hour=1000)


class Venue:
    """Proposals on a live market, filled at a venue."""

    def __init__(self, make_engine: "Callable[..., Engine]", venue: LoopbackExchange, model: LLMServer, home: Path) -> None:
        account = {"exchange_url": venue.url, "broker": "exchange", "feed": "live"}
        endpoint = {"openai_base_url": model.base_url, "openai_api_key": "sk-test", "model": "m"}
        self.engine, self._venue = make_engine(home=home, **account, **endpoint, risk=MANY), venue
        ref, container = AccountRef(broker="exchange", feed="live", exchange=self.engine.settings.exchange), self.engine._container
        for wire in (container.approvals.brokers.broker(ref)._wire, container.providers.feed(ref)._wire):  # type: ignore[attr-defined]
            wire.client.enableRateLimit = False  # hundreds of orders are more than a venue takes in a minute

    def propose(self) -> str:
        engine = self.engine
        record = engine.wait(engine.start(engine.decisions.request(SYMBOL, feed="live", broker="exchange", propose=True)), 60)
        assert record.result is not None
        assert record.result["proposal_id"] is not None, record.result["warnings"]
        return str(record.result["proposal_id"])

    def entries(self) -> int:
        return len({trade["orderId"] for trade in self._venue.account.trades})


@pytest.fixture
def place(request: pytest.FixtureRequest) -> "Paper | Venue":
    if request.param == "paper":
        return Paper(request.getfixturevalue("desk"))
    for name, value in {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET}.items():
        request.getfixturevalue("monkeypatch").setenv(name, value)
    model = request.getfixturevalue("near_model")
    return Venue(
        request.getfixturevalue("make_engine"), request.getfixturevalue("venue"), model, request.getfixturevalue("tmp_path") / "home"
    )


@pytest.fixture
def near_model() -> Iterator[LLMServer]:
    with LLMServer(cast(executor=near)) as server:
        yield server


@pytest.mark.full
@pytest.mark.parametrize(("place", "late"), [("paper", True), *AT_A_VENUE], indirect=["place"])
def test_an_approval_that_is_cut_orders_once_or_not_at_all(place: "Paper | Venue", monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    monkeypatch.setattr(order_dispatch, "LOST_AFTER_S", 0.5)
    engine, trading, services = place.engine, place.engine.trading, place.engine._container.approvals

    def cut(wait: int) -> bool:
        proposal_id, before = place.propose(), place.entries()
        short = Cut(wait, late)
        ended_of(engine, short.over(services.approval_service.approve(proposal_id, "somebody")))
        assert held_slots(engine) == [], f"cut at wait {wait}"
        assert services.dispatcher._working == set()
        found = recovered(engine, proposal_id)
        if found.is_waiting:
            found = trading.approve(proposal_id, "somebody")
        elif found.state == "failed":  # it never left, which a venue confirms by not knowing it
            assert (place.entries(), trading.positions()) == (before, []), f"cut at wait {wait}"
            found = trading.approve(place.propose(), "somebody")
        assert found.state == "filled", f"cut at wait {wait}: {found.state}, {found.why}"
        assert place.entries() == before + 1, f"cut at wait {wait}"
        (held,) = trading.positions()
        assert (held.position.size, held.position.stop) == (found.plan.amount, found.plan.stop)
        trading.close_position(SYMBOL, "somebody")
        assert trading.positions() == []
        assert trading.faults() == []
        return short.was_made

    assert until_it_is_not_cut(cut) >= 5


@pytest.mark.full
@pytest.mark.parametrize(("place", "late"), [("paper", False), AT_A_VENUE[1]], indirect=["place"])
def test_a_close_that_is_cut_can_be_tried_again(place: "Paper | Venue", late: bool) -> None:
    engine, trading, services = place.engine, place.engine.trading, place.engine._container.approvals

    def cut(wait: int) -> bool:
        trading.approve(place.propose(), "somebody")
        before, short = place.entries(), Cut(wait, late)
        ended_of(engine, short.over(services.holdings.close(SYMBOL, "somebody")))
        trading.recover()
        if trading.positions():
            trading.close_position(SYMBOL, "somebody")
        assert trading.positions() == [], f"cut at wait {wait}"
        assert place.entries() == before + 1, f"cut at wait {wait}: closed once"
        assert held_slots(engine) == []
        assert trading.faults() == []
        return short.was_made

    assert until_it_is_not_cut(cut) >= 3
