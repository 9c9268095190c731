"""What the chart is given: strict JSON, every level of the state, and nothing that breaks on a bad mark."""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.api import Engine
from engine.domain.facts import Pattern
from engine.domain.stability import RepeatedAnswer
from engine.facts.series import indicator_series
from pages.chart.annotations import again_marks, readable
from pages.chart.figure import MOST_BARS, ChartData, chart_data, chart_table
from pages.chart.lines import chart_lines
from pages.chart.still import chart_svg
from pages.desks.decision.annotations import live_annotations, run_annotations
from pages.desks.decision.decision_reducer import reduce_decision
from pages.frame import numbers
from pages.frame.json_fields import Fields
from pages.frame.palette import TOKENS
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


def test_plans_of_a_decision_that_was_asked_again_are_ticks_beside_its_own() -> None:
    plans = [RepeatedAnswer(action="signal_entry_short", entry=78034.2, stop=78190.0 + n, target=77690.0) for n in range(3)]
    plans.append(RepeatedAnswer(action="signal_entry_short", entry=78034.2, stop=978000.0))
    data, plain = made([*STATE, *again_marks(plans)]), made(STATE)
    marks: Any = data.marks
    assert [(tick["n"], tick["price"]) for tick in marks["again"][:3]] == [(0, 78034.2), (0, 78190.0), (0, 77690.0)]
    assert (len(marks["again"]), {tick["of"] for tick in marks["again"]}) == (11, {4})
    assert marks["words"]["status"].endswith("ticks: 4 plans, asked again")
    assert "再问所得 4 份方案" in str(made([*STATE, *again_marks(plans)], "zh").marks["words"])
    assert {**marks, "again": [], "words": None} == {**plain.marks, "words": None}, "the plan and its tags are those of the decision"
    assert (data.sentence, "asked again" in str(plain.marks)) == (plain.sentence, False)
    drawn = chart_svg(data).count('stroke="var(--text)" stroke-width="2"') - chart_svg(plain).count('stroke="var(--text)" stroke-width="2"')
    assert drawn == 10, "a price far beyond the scale is not drawn"
    assert str(chart_table(CANDLES, [*STATE, *again_marks(plans)], Show(step=0.1))) == str(chart_table(CANDLES, STATE, Show(step=0.1)))


def test_bars_hold_the_market_and_marks_hold_the_run() -> None:
    one, other = made(STATE), made([])
    assert one.bars == other.bars
    assert one.marks != other.marks
    bars: Any = one.bars
    assert bars["t"][-1] == LAST
    assert (bars["step_ms"], bars["decimals"]) == (900_000, 1)
    assert {len(bars[name]) for name in ("t", "o", "h", "l", "c", "v")} == {300}
    assert bars["lines"]["rsi_14"]["v"][13] is None
    assert bars["colours"]["dark"]["bull"] == TOKENS["bull"][1]
    assert made(STATE, up_down="red-up").bars["colours"] != bars["colours"]


def test_no_more_bars_travel_than_can_be_looked_at() -> None:
    many = made_candles(1200)
    data = chart_data(many, [], Show(step=0.1), symbol="X/Y", revision="r", series=indicator_series(many, made_candles(1200, "1h")))
    bars: Any = data.bars
    assert {len(line["v"]) for key, line in bars["lines"].items() if "." not in key} == {len(bars["t"])} == {MOST_BARS}
    assert len(json.dumps(data.bars)) < 250_000
    assert len(json.dumps(data.marks)) < 5_000


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
    view = reduce_decision(RUNS["entry"]())
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
        before, after = reduce_decision(events[:-1]), reduce_decision(events)

        def ghosts(marks: list[Fields]) -> list[tuple[Any, Any, Any]]:
            false = [mark for mark in marks if mark["type"] == "false_level"]
            return sorted((str(mark["source"]).removeprefix("position_"), str(mark["label"]), mark["claimed"]) for mark in false)

        drawn = ghosts(run_annotations(after, record.result))
        assert drawn == ghosts(run_annotations(before, None))
        assert len(set(drawn)) == len(drawn), "nothing twice"
        roles |= {str(who) for who, _, _ in drawn}
    assert {"bull", "bear", "executor"} < roles
    assert roles & {"indicator", "trend", "sentiment", "pattern"}


def test_a_false_bound_is_no_level() -> None:
    view = reduce_decision(RUNS["entry"]())
    assert view.checked is not None
    claims = [each.model_copy(update={"relation": ">"}) if each.key == "resistance" else each for each in view.checked.claims]
    bounded = replace(view, checked=replace(view.checked, claims=tuple(claims)))
    assert [mark["label"] for mark in live_annotations(bounded) if mark["type"] == "false_level"] == ["rsi_14", "ema_200", "adx_14"]


def test_before_the_decision_there_is_no_plan_and_after_a_blocked_one_neither() -> None:
    for name in ("debating", "breached", "gate_closed"):
        assert not {mark["type"] for mark in live_annotations(reduce_decision(RUNS[name]()))} & {"entry", "stop", "target"}
    position = live_annotations(reduce_decision(RUNS["position"]()))
    assert [(mark["type"], mark["price"]) for mark in position if mark["type"] == "entry"] == [("entry", 77400.0)]


def test_measured_patterns_are_drawn_until_the_state_names_them() -> None:
    seen = [Pattern(name="hammer", direction=1, timeframe=frame, bar_time=LAST - 900_000, bars_ago=1) for frame in ("15m", "1h")]
    marks: Any = made([], patterns=seen).marks
    assert [mark["name"] for mark in marks["patterns"]] == ["Hammer"]
    marks = made(STATE, patterns=seen).marks
    assert [mark["name"] for mark in marks["patterns"]] == ["Engulfing"]


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


def test_without_candles_the_chart_says_so() -> None:
    empty = CANDLES.slice(0, 0)
    data = chart_data(empty, STATE, Show(), symbol="X/Y", revision="r", series={})
    assert data.sentence == "No candles to show."
    json.dumps([data.bars, data.marks], allow_nan=False)
    chart_table(empty, [], Show())


def test_prices_have_the_markets_decimals() -> None:
    assert [numbers.decimals(78034.2, 0.1), numbers.decimals(5.0, 0.001), numbers.decimals(100.0, 1.0)] == [1, 3, 0]


def test_chart_lines_are_named_and_placed() -> None:
    hours: list[float | None] = [None, None, *(float(value // 4) for value in range(8))]
    series = {"macd": [1.23456789] * 10, "macd_signal": [0.5] * 10, "ema_50": [70000.0] * 10, "1h.rsi_14": hours}
    lines: Any = chart_lines(series, 9, "zh")
    assert lines["macd"] == {"name": "MACD", "over": False, "levels": [0], "with": ["macd_signal"], "at": None, "v": [1.234568] * 9}
    assert (lines["ema_50"]["over"], lines["macd"]["over"]) == (True, False)
    hour = lines["1h.rsi_14"]
    assert (hour["name"], hour["levels"]) == ("1h RSI(14)", [30, 70])
    assert (hour["at"], hour["v"]) == ([0, 1, 5], [None, 0.0, 1.0]), "a bar of the higher timeframe is given where it begins to count"


def said(source: str, key: str, claimed: float, actual: float) -> Fields:
    return {"type": "false_level", "price": claimed, "timestamp": AT, "label": key, "source": source, "claimed": claimed, "actual": actual}


def test_what_two_people_said_alike_is_drawn_once_in_both_names() -> None:
    marks: Any = made([said("bull", "ema_200", 77_850.0, 78_701.5), said("judge", "ema_200", 77_850.0, 78_701.5)]).marks
    assert [mark["text"] for mark in marks["false"]] == ["Bull, Judge said EMA 200 77,850"]
    other: Any = made([said("bull", "ema_200", 77_850.0, 78_701.5), said("judge", "ema_50", 77_850.0, 78_000.0)]).marks
    assert len(other["false"]) == 2, "of another line it is another statement"


def test_in_the_still_chart_words_stand_apart_and_a_price_off_the_scale_is_named_at_its_edge() -> None:
    marks = [said("bull", "rsi_14", 28.4, 48.6), said("bear", "rsi_14", 29.0, 48.6), said("judge", "rsi_14", 28.0, 48.6)]
    marks += [said("bear", "close", 780_342.0, 78_034.2), said("bull", "close", 7_803.4, 78_034.2)]
    drawn = chart_svg(made(marks))
    words = [(float(y), text) for y, text in re.findall(r'<text x="[^"]*" y="([^"]*)"[^>]*>([^<]*)</text>', drawn)]
    falsely = sorted(y for y, text in words if text.startswith("✕"))
    assert len(falsely) == 3
    assert min(later - earlier for earlier, later in itertools.pairwise(falsely)) >= 13
    (above,) = [(y, text) for y, text in words if "780,342" in text]
    (under,) = [(y, text) for y, text in words if "7,803.4" in text]
    assert above[1].startswith("↑ Bear said")
    assert under[1].startswith("↓ Bull said")
    assert above[0] < 30, "the upper edge"
    assert under[0] > 280, "the lower edge of the candles"


@pytest.mark.full
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["bull", "bear", "judge", "trend"]), st.floats(60_000, 90_000)), min_size=2, max_size=12))
def test_in_the_still_chart_no_words_about_a_false_price_lie_on_others(lies: list[tuple[str, float]]) -> None:
    marks = [said(source, f"ema_{n}", round(claimed, 1), 78_701.5) for n, (source, claimed) in enumerate(lies)]
    places = re.findall(r'<text x="([^"]*)" y="([^"]*)"[^>]*>[^<]*\bsaid\b[^<]*</text>', chart_svg(made(marks)))
    assert len(places) == len(made(marks).marks["false"])
    for (x, y), (other_x, other_y) in itertools.combinations([(float(x), float(y)) for x, y in places], 2):
        assert abs(x - other_x) >= 350 or abs(y - other_y) >= 13
