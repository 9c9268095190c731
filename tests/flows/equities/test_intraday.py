"""A decision within a session: the market analyst sees bars until that minute and none later; without such bars it is refused."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api import verify_bundle
from engine.domain.errors import BadInput
from tests.flows.equities.played import Words, play

if TYPE_CHECKING:
    from engine.api import Engine

WEDNESDAY = date(2024, 3, 6)
OPEN = datetime(2024, 3, 6, 14, 30, tzinfo=UTC)
AT = "2024-03-06 10:30:00"
HEADING = "timestamp,open,high,low,close,volume"


def recorded(folder: Path, *, minutes: bool = True, later: float = 0.0) -> str:
    """Thirty days that close at 100, and the minutes of the last one, each a cent above the one before. later: is added behind 10:30."""
    folder.mkdir()
    days = [date(2024, 1, 22) + timedelta(days=n) for n in range(45)]
    weekdays = [day for day in days if day.weekday() < 5 and day != date(2024, 2, 19)]
    rows = [f"{int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)},100,101,99,100,1000" for day in weekdays]
    (folder / "test_AAPL_1d_raw.csv").write_text("\n".join([HEADING, *rows]) + "\n")
    if minutes:
        bars = []
        for n in range(390):
            price = 100 + n / 100 + (later if n >= 60 else 0.0)
            at = int((OPEN + timedelta(minutes=n)).timestamp() * 1000)
            bars.append(f"{at},{price:.2f},{price + 0.05:.2f},{price - 0.05:.2f},{price:.2f},10")
        (folder / "test_AAPL_1m_raw.csv").write_text("\n".join([HEADING, *bars]) + "\n")
    return str(folder)


@pytest.mark.full
def test_the_market_analyst_sees_the_bars_until_that_minute(engine: "Engine", monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = Words(monkeypatch)
    folder, risen = recorded(tmp_path / "data"), recorded(tmp_path / "risen", later=50.0)
    open_, _ = play(engine, day=WEDNESDAY, session="pre_open", data_dir=folder)
    assert (open_["current_price"], "The session until" in words.calls[0].user) == (100.0, False)
    words.calls.clear()
    state, _ = play(engine, day=WEDNESDAY, session=None, timestamp=AT, data_dir=folder)
    assert (state["trade_timestamp"], state["current_price"], state["previous_close"]) == (AT, 100.59, 100.0)
    said = {call.where: call.user for call in words.calls}
    assert "The session until 15:30 UTC, bars of 1m in USD: open 100, high 100.64, low 99.95, last 100.59, volume 600" in said["market"]
    assert "15:29 100.59" in said["market"]
    assert "15:30 " not in said["market"].partition("The last bars:")[2]
    assert "2024-03-06 15:30 UTC ===" in said["bull_researcher"]
    reused = {key: record["status"] for key, record in state["analysts"].items()}
    assert reused == {"market": "done", "news": "reused", "sentiment": "reused", "fundamentals": "reused"}
    assert any("as of the open" in note for note in state["notes"])
    assert verify_bundle(engine.bundle(state["run_id"])) == []
    other, _ = play(engine, "AAPL", day=WEDNESDAY, session=None, timestamp=AT, data_dir=risen)
    assert other["inputs_hash"] == state["inputs_hash"], "nothing later is read"


def test_without_bars_of_the_session_it_is_refused(engine: "Engine", tmp_path: Path) -> None:
    folder = recorded(tmp_path / "data", minutes=False)
    with pytest.raises(BadInput, match=r"no bar of AAPL .*_1m_raw\.csv"):
        play(engine, day=WEDNESDAY, session=None, timestamp=AT, data_dir=folder)


def test_a_timestamp_alone_says_its_date_and_its_end_of_the_session(engine: "Engine", tmp_path: Path) -> None:
    folder = recorded(tmp_path / "data")
    found = [engine.equities.request("AAPL", timestamp=at, data_dir=folder) for at in (AT, "2024-03-06T15:30:00Z", "2024-03-06 16:30:00")]
    assert [(each.trade_date, each.session) for each in found] == [
        (WEDNESDAY, "pre_open"),
        (WEDNESDAY, "pre_open"),
        (WEDNESDAY, "post_close"),
    ]


def test_no_order_is_filed_within_a_session(engine: "Engine", tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="leave --propose out"):
        play(engine, day=WEDNESDAY, session=None, timestamp=AT, data_dir=recorded(tmp_path / "data"), propose=True)


@pytest.mark.full
def test_when_the_newest_session_of_a_recording_was_is_told_before_it_is_decided_on(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Calibration counts what was over by then."""
    Words(monkeypatch)
    request = engine.equities.request("AAPL", data_dir=recorded(tmp_path / "data"))
    container = engine.container
    told = container.loop.submit(container.flows[request.flow].clock(request, container.flow_deps)).result(60)
    inputs = engine.equities.inputs(engine.wait(engine.start(request), 60).run_id)
    assert inputs is not None
    assert (request.trade_date, told) == (None, inputs.snapshot.moment.known_at)
