"""What the chart is given: strict JSON, every level of the state, and nothing that breaks on a bad mark."""

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.api import Engine
from pages.chart.annotations import readable
from pages.chart.figure import ChartData, chart_data, chart_table
from pages.chart.still import chart_svg
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.run_chart import live_annotations, run_annotations
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from tests.browser.chart_page import LAST, made_candles, made_series
from tests.pages.events import RUNS
from tests.pages.reader import Reader

CANDLES = made_candles()
SERIES = made_series(CANDLES)
AT = "2026-05-17T08:45:00+00:00"
STATE: list[Fields] = [
    {"type": "support", "price": 77675.4, "timestamp": AT},
    {"type": "resistance", "price": 78300.0, "timestamp": AT},
    {"type": "pattern", "price": 78000.0, "timestamp": AT, "label": "engulfing", "direction": -1},
    {"type": "false_level", "price": 77850.0, "timestamp": AT, "label": "ema_200", "source": "bull", "claimed": 77850.0, "actual": 78701.5},
    {"type": "entry", "price": 78034.2, "timestamp": AT},
    {"type": "stop", "price": 78200.0, "timestamp": AT},
    {"type": "target", "price": 77690.0, "timestamp": AT},
]


def made(annotations: list[Fields], language: str = "en", **more: Any) -> ChartData:
    show = Show(language, step=0.1)  # type: ignore[arg-type]
    return chart_data(CANDLES, annotations, show, symbol="BTC/USDT:USDT", revision="run-1", series=SERIES, **more)


def test_the_state_is_drawn_in_words_and_numbers() -> None:
    marks: Any = made(STATE).marks
    assert [(mark["kind"], mark["text"]) for mark in marks["levels"]] == [("support", "77,675.4"), ("resistance", "78,300.0")]
    assert [(mark["kind"], mark["price"]) for mark in marks["plan"]] == [("entry", 78034.2), ("stop", 78200.0), ("target", 77690.0)]
    assert marks["patterns"] == [{"t": LAST, "name": "Engulfing", "direction": -1}]
    (ghost,) = marks["false"]
    assert (ghost["pane"], ghost["text"]) == ("price", "Bull said EMA 200 77,850")
    assert ghost["gap"] == "✕ −851.5 · −1.08\u2009%"
    chinese: Any = made(STATE, "zh").marks
    assert chinese["levels"][0]["name"] == "支撑"
    assert chinese["patterns"][0]["name"] == "吞没"


scalars = (
    st.none() | st.booleans() | st.floats() | st.text(max_size=6) | st.sampled_from(["rsi_14", "support", "bull", AT, "1h.ema_20", 10**400])
)
broken_marks = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["entry", "stop", "target", "support", "resistance", "pattern", "false_level", "", None]),
            "price": scalars,
        },
        optional=dict.fromkeys(("timestamp", "label", "direction", "source", "claimed", "actual"), scalars),
    ),
    max_size=5,
)


@pytest.mark.full
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(broken_marks)
def test_a_bad_mark_never_breaks_the_chart(annotations: list[dict[str, Any]]) -> None:
    data = made(annotations)  # type: ignore[arg-type]
    json.dumps([data.bars, data.marks], allow_nan=False).encode()
    Reader(chart_table(CANDLES, annotations, Show(step=0.1), most=2))  # type: ignore[arg-type]
    assert len(readable(annotations, Show())) <= len(annotations)  # type: ignore[arg-type]


def test_what_the_events_tell_is_what_the_state_will_hold() -> None:
    view = DECISION.reduce(RUNS["entry"]())
    live = live_annotations(view)
    assert [mark["type"] for mark in live] == ["support", "resistance", *["false_level"] * 4, "entry", "stop", "target"]
    assert live[-1] == {"type": "target", "price": 77690.0, "timestamp": "2026-05-17T09:00:00+00:00", "direction": "SHORT"}
    merged = run_annotations(view, {"chart_annotations": [dict(mark) for mark in STATE]})
    assert merged[: len(STATE)] == STATE
    assert [mark["label"] for mark in merged[len(STATE) :]] == ["rsi_14", "adx_14", "resistance"], "what the state does not keep"
    assert run_annotations(view, None) == live
    marks: Any = made(merged).marks
    assert [mark["text"] for mark in marks["false"]] == [
        "Bull said EMA 200 77,850",
        "✕ Bull said 28.4",
        "✕ Bear said 31",
        "Bear said resistance 78,850",
    ]


@pytest.mark.full
@pytest.mark.parametrize("path", ["entry", "position"])
def test_no_false_value_leaves_the_chart_when_the_run_ends(make_engine: Callable[..., Engine], path: str) -> None:
    """Those of the analysts, the debate and the executor, each once, whatever of them the state keeps."""
    engine = make_engine()
    held = {"holding": {"side": "long", "entry_price": 60_000.0, "size": 0.1, "leverage": 3.0, "opened_at": "2026-11-01T00:00:00Z"}}
    roles: set[str] = set()
    for seed in range(1, 9):
        asked = held if path == "position" else {}
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, lies=0.6, at="2026-11-01T08:00:00Z", **asked)
        record = engine.wait(engine.start(request), 60)
        events = engine.events(record.run_id)
        before, after = DECISION.reduce(events[:-1]), DECISION.reduce(events)

        def ghosts(marks: list[Fields]) -> list[tuple[Any, Any, Any]]:
            false = [mark for mark in marks if mark["type"] == "false_level"]
            return sorted((str(mark["source"]).removeprefix("position_"), str(mark["label"]), mark["claimed"]) for mark in false)

        drawn = ghosts(run_annotations(after, record.result))
        assert drawn == ghosts(run_annotations(before, None))
        assert len(set(drawn)) == len(drawn), "nothing twice"
        roles |= {str(who) for who, _, _ in drawn}
    assert {"bull", "bear", "executor"} < roles
    assert roles & {"indicator", "trend", "sentiment", "pattern"}


def test_before_the_decision_there_is_no_plan_and_after_a_blocked_one_neither() -> None:
    for name in ("debating", "breached", "gate_closed"):
        assert not {mark["type"] for mark in live_annotations(DECISION.reduce(RUNS[name]()))} & {"entry", "stop", "target"}
    position = live_annotations(DECISION.reduce(RUNS["position"]()))
    assert [(mark["type"], mark["price"]) for mark in position if mark["type"] == "entry"] == [("entry", 77400.0)]


def test_the_chart_can_be_read_without_being_seen() -> None:
    sentence = made(STATE).sentence
    for words in (
        "BTC/USDT:USDT, 15m: 300 bars to 2026-05-17 08:45 UTC",
        "last price 78,034.2",
        "Stop 78,200.0",
        "Bull said EMA 200 77,850",
    ):
        assert words in sentence
    read = Reader(chart_table(CANDLES, STATE, Show(step=0.1)))
    assert "2026-05-17 08:45" in read.text
    assert "Target 77,690.0" in read.text


def said(source: str, key: str, claimed: float, actual: float) -> Fields:
    return {"type": "false_level", "price": claimed, "timestamp": AT, "label": key, "source": source, "claimed": claimed, "actual": actual}


def test_in_the_still_chart_words_stand_apart_and_a_price_off_the_scale_is_named_at_its_edge() -> None:
    marks = [said("bull", "rsi_14", 28.4, 48.6), said("bear", "rsi_14", 29.0, 48.6), said("judge", "rsi_14", 28.0, 48.6)]
    marks += [said("bear", "close", 780_342.0, 78_034.2), said("bull", "close", 7_803.4, 78_034.2)]
    drawn = chart_svg(made(marks))
    words = [(float(y), text) for y, text in re.findall(r'<text [^>]*y="([^"]*)"[^>]*>([^<]*)</text>', drawn)]
    falsely = sorted(y for y, text in words if text.startswith("✕"))
    assert len(falsely) == 3
    assert min(later - earlier for earlier, later in itertools.pairwise(falsely)) >= 13
    (above,) = [(y, text) for y, text in words if "780,342" in text]
    (under,) = [(y, text) for y, text in words if "7,803.4" in text]
    assert above[1].startswith("↑ Bear said")
    assert under[1].startswith("↓ Bull said")
    assert above[0] < 30, "the upper edge"
    assert under[0] > 280, "the lower edge of the candles"
