"""Measured series as charts: the run's own record, drawn where its values lie."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.chart.curves import Curve, curves_figure, curves_table, round_values, time_ticks
from pages.desks.research.measured import curves_of, expected_curves, measured_panel
from pages.desks.research.page import ResearchPage
from pages.desks.research.research_reducer import RESEARCH
from pages.frame.show import Show
from tests.pages.desks.research.runs import EVIL, Log, at_end
from tests.pages.reader import Reader

DAY_MS = 86_400_000
NOON = int(datetime(2026, 5, 16, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.full
def test_the_series_are_those_that_the_run_recorded(logs: Callable[[str], Log]) -> None:
    record, events = log = logs("plan")
    view = at_end(log)
    assert record.result is not None
    recorded = [result for factor in record.result["factors"] for result in factor["task_results"] if result["status"] == "done"]
    funding, interest = curves_of(view, Show())
    given = next(each["output"]["values"] for each in recorded if each["tool"] == "funding_history")
    assert [(datetime.fromtimestamp(ms / 1000, UTC).isoformat(), pytest.approx(value / 100)) for ms, value in funding.points] == [
        tuple(row) for row in given
    ]
    assert (funding.unit, funding.bars, interest.unit, interest.bars) == ("%", True, "", False)
    assert len(interest.points) == 168
    html = measured_panel(view, Show())
    assert Reader(html).tags >= {"svg", "path", "figure"}
    assert html.count('href="#source-') == 2, "each names the result that it is of"
    asked = next(at for at, event in enumerate(events) if event.kind == "plan.ready")
    begun = RESEARCH.reduce(events[: asked + 1])
    assert (curves_of(begun, Show()), expected_curves(begun)) == ([], 2), "their room is there before they are"
    assert measured_panel(at_end(logs("research")), Show()) == ""


@pytest.mark.full
def test_what_cannot_be_read_of_a_series_is_left_out(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("plan"))
    factor = view.factors[0]
    rows = [["yesterday", 1.0], ["2026-05-16T08:00:00+00:00", None], ["2026-05-16T08:00:00", 1.0], 7, ["2026-05-16T08:00:00+00:00", 0.0002]]
    odd = replace(factor, tasks=tuple(replace(task, result={"values": rows}) for task in factor.tasks))
    (curve,) = curves_of(replace(view, factors=(odd,)), Show())
    assert [value for _, value in curve.points] == [pytest.approx(0.02)]
    assert Reader(curves_figure([curve], Show())).text


def test_a_line_goes_through_its_values() -> None:
    curve = Curve("x", "%", ((NOON, 0.0), (NOON + DAY_MS, 10.0), (NOON + 2 * DAY_MS, 5.0)))
    html = curves_figure([curve], Show())
    points = [tuple(map(float, pair.split())) for pair in re.search(r'class="v" d="M([^"]+)"', html)[1].split("L")]  # type: ignore[index]
    first, top, last = points
    assert first[1] > last[1] > top[1], "a higher value stands higher"
    assert last[1] - top[1] == pytest.approx(first[1] - last[1], abs=0.02), "5 is half way"
    assert top[0] - first[0] == pytest.approx(last[0] - top[0], abs=0.2)
    assert "3 values from 2026-05-16 12:00 to 2026-05-18 12:00 UTC" in html
    assert "10.0" in curves_table([curve], Show())


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 6))
def test_ticks_are_round_and_within_the_scale(low: float, size: float, count: int) -> None:
    high = low + size
    if high - low < abs(low) * 1e-9:
        return
    values = round_values(low, high, count)
    assert len(values) <= count + 2
    assert all(low - size * 1e-6 <= value <= high + size * 1e-6 for value in values)


@pytest.mark.parametrize(
    ("days", "first", "count"),
    [(0.25, "12:00", 7), (1, "12:00", 5), (7, "05-17", 4), (60, "05-21", 4), (400, "2026-07", 4)],
)
def test_times_are_named_by_what_tells_them_apart(days: float, first: str, count: int) -> None:
    ticks = time_ticks(NOON, NOON + int(days * DAY_MS))
    assert (ticks[0][1], len(ticks)) == (first, count)


def test_a_saved_file_has_the_charts_and_without_its_log_runs_nothing(logs: Callable[[str], Log]) -> None:
    record, _ = log = logs("plan")
    document = ResearchPage("plan").document(record, at_end(log), Show(), "green-up")
    assert document.count('class="tb-curve"') == 2
    assert document.index("The answer, checked") < document.index('class="tb-curve"') < document.index("least confidence")
    assert "<script" not in document
    body = str(document).partition("<body>")[2].removesuffix("</body></html>")
    assert "attach" not in Reader(body).text.lower(), "nobody hands on a file"


@pytest.mark.full
@pytest.mark.parametrize("flow", ["plan", "research"])
def test_a_saved_file_plays_how_it_was_answered(logs: Callable[[str], Log], flow: str) -> None:
    record, events = log = logs(flow)
    document = str(ResearchPage(flow).document(record, at_end(log), Show(), "green-up", events))
    (played,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', document, re.S)
    moments = json.loads(played)
    assert moments["seq"][-1] == events[-1].seq
    assert len(moments["at"]) > 10
    assert moments["at"] == sorted(moments["at"])
    answers = [change for part in moments["parts"] for change in part if change[0] == len(moments["at"]) - 1]
    assert answers, "its end is the last moment"
    assert EVIL not in document
