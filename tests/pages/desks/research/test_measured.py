"""Measured series as charts: the run's own record, drawn where its values lie."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from pages.chart.curves import Curve, curves_figure, curves_table
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
