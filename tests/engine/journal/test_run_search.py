"""Lists of runs: what is looked for is found, whole, once and newest first, however it is cut into pages."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from engine.domain.clock import use_clock
from engine.domain.ended import Ended
from engine.domain.run import DecideRequest, Origin, RunRecord, RunSummary
from engine.domain.run_filter import RunFilter
from engine.journal.store import Journal, open_journal
from engine.journal.tables import PROPOSALS

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)
MARKETS = ("BTC/USDT:USDT", "ETH/USDT", "50%_OFF/USDT")
HEADLINES = ("signal_wait", "signal_entry_short", None)
STATUSES = ("running", "finished", "stopped", "failed")


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    """Sixty runs of every kind, an hour apart; every third has a proposal, every second of those is over."""
    with closing(open_journal(tmp_path_factory.mktemp("search") / "home", None)) as opened:
        for number in range(60):
            write(opened, number)
        yield opened


def write(journal: Journal, number: int) -> None:
    status, market, headline = STATUSES[number % 4], MARKETS[number % 3], HEADLINES[number % 5 % 3]
    request = DecideRequest(symbol=market, feed="simulated", timeframe=("15m", "1h")[number % 2])
    record = RunRecord(run_id=f"r-{number}", created_at=NOW - timedelta(hours=number), status="starting", request=request)
    journal.add_run(record, "here:1", NOW)
    if status == "running":
        return
    ended = record.model_copy(update={"status": status, "finished_at": NOW, "result": {}})
    figures = Ended({}, headline, True, 1.0, 1, None, confidence=61.5, claims=20, false_claims=number % 7)
    journal.finish_run(ended, figures, "here:1")
    if number % 3 == 0:
        until = NOW + timedelta(minutes=5 if number % 2 else -5)
        row = {"id": f"p-{number}", "run_id": record.run_id, "account": "paper", "symbol": market, "state": "pending"}
        with journal._talking("write a proposal to") as connection:
            connection.execute(insert(PROPOSALS).values(**row, created_at=NOW.isoformat(), expires_at=until.isoformat(), body="{}"))


FILTERS = st.builds(
    RunFilter,
    text=st.sampled_from(["", "btc", "SHORT btc", "r-1", "%", "_", "nothing"]),
    market=st.sampled_from([None, *MARKETS]),
    flows=st.sampled_from([(), ("decision",), ("fusion",)]),
    state=st.sampled_from([None, "open", "waits", "done", "stopped", "failed", "ended"]),
    decision=st.sampled_from([None, "signal_wait"]),
    since=st.sampled_from([None, NOW - timedelta(hours=20)]),
    until=st.sampled_from([None, NOW - timedelta(hours=10)]),
)


def is_wanted(run: RunSummary, wanted: RunFilter) -> bool:
    """What the journal is asked for, in plain words."""
    looked_in = " ".join(str(part or "") for part in (run.subject, run.headline, run.model, run.run_id)).lower()
    of_state = {
        None: True,
        "open": run.status in ("starting", "running"),
        "waits": run.waits(NOW),
        "ended": run.status in ("finished", "stopped", "failed"),
    }
    return (
        all(word in looked_in for word in wanted.text.lower().split())
        and wanted.market in (None, run.subject)
        and (not wanted.flows or run.flow in wanted.flows)
        and of_state.get(wanted.state, run.status == {"done": "finished"}.get(str(wanted.state), wanted.state))
        and wanted.decision in (None, run.headline)
        and (wanted.since is None or run.created_at >= wanted.since)
        and (wanted.until is None or run.created_at < wanted.until)
    )


@pytest.mark.full
@given(wanted=FILTERS, size=st.integers(1, 25))
def test_pages_joined_are_what_was_looked_for(journal: Journal, wanted: RunFilter, size: int) -> None:
    every = journal.runs(100)
    expected = [run.run_id for run in every if is_wanted(run, wanted)]
    first = journal.run_search.find(wanted, size, 0, NOW)
    pages = [journal.run_search.find(wanted, size, start, NOW).runs for start in range(0, first.total, size)]
    assert [run.run_id for page in pages for run in page] == expected
    assert first.total == len(expected)


def test_a_line_has_what_tells_runs_apart(journal: Journal) -> None:
    run = next(run for run in journal.runs(100) if run.run_id == "r-9")
    assert (run.timeframe, run.confidence, run.false_claims, run.claims) == ("1h", 61.5, 2, 20)
    assert (run.proposal, run.waits(NOW), run.waits(NOW + timedelta(hours=1))) == ("pending", True, False)


def test_at_hand_are_those_that_are_open_and_then_those_that_wait(journal: Journal) -> None:
    with use_clock(lambda: NOW):
        found = journal.run_search.open_and_newest(60)
    kinds = ["open" if run.status == "starting" else "waits" if run.waits(NOW) else "rest" for run in found]
    assert kinds == sorted(kinds, key=("open", "waits", "rest").index)
    assert {"open", "waits", "rest"} == set(kinds)


def test_what_another_flow_asked_for_is_not_what_a_person_asked_for(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path / "home", None)) as opened:
        asked = DecideRequest(symbol="BTC/USDT", feed="simulated")
        parent = RunRecord(run_id="parent", created_at=NOW, status="starting", request=asked)
        fork = parent.model_copy(
            update={"run_id": "fork", "request": asked.model_copy(update={"origin": Origin(run_id="parent", from_node="bull")})}
        )
        plan = parent.model_copy(update={"run_id": "plan", "request": asked.model_copy(update={"flow": "plan"})})
        opened.add_run(parent, "", NOW)
        opened.add_run(fork, "", NOW)
        opened.add_run(plan, "", NOW)
        opened.add_run(parent.model_copy(update={"run_id": "child"}), "", NOW, asked_by="plan")
        found = opened.run_search.find(RunFilter(asked_by_people=True), 10)
        assert {run.run_id for run in found.runs} == {"parent", "fork", "plan"}
        assert {run.run_id for run in opened.run_search.open_and_newest(10)} == {"parent", "fork", "plan"}
