"""The journal's page: its table and its sums, what people are told of too few cases, files with the same lines."""

import csv
import io
import json
import statistics
from datetime import date
from pathlib import Path

import pytest
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from engine.domain.calibration import Calibration
from engine.domain.outcome import JournalFilter, JournalSummary, PersonGroup, Total
from engine.outcomes.export import exported
from pages.frame.show import Show
from pages.journal.calibration import calibration_panel
from pages.journal.panels import drawdowns, person_panel, verdict_of, verdict_panel
from pages.journal.table import decisions_panel
from tests.journals import fill
from tests.pages.reader import Reader
from tests.pages.started import Start, page_of


@pytest.mark.full
def test_the_page_opens_with_many_decisions_and_says_how_many(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    fill(home, 130)
    page = start("journal")
    assert not page.exception
    told = Reader(page_of(page)).text
    assert "130 decisions" in told
    assert "1–50 of 130" in told
    assert "Calibration: is 70 worth 70?" in told
    page.selectbox(key="journal-outcome-en").select("target").run()
    assert page.query_params["outcome"] in ("target", ["target"])
    html = page_of(page)
    assert html.count('<td class="when">') == html.count("<td>target</td>") > 0
    page.selectbox(key="journal-sort-en").select("worst").run()
    assert not page.exception
    assert 'aria-sort="ascending"' in page_of(page)
    page.selectbox(key="journal-model-en").select("qwen2.5-7b").run()
    assert "qwen2.5-7b · Brier" in Reader(page_of(page)).text, "the calibration is of that model"


@pytest.mark.full
def test_the_figures_are_of_one_kind_of_prices(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    fill(home, 90, feed="simulated")
    fill(home, 60, feed="live")
    page = start("journal")
    told = Reader(page_of(page)).text
    assert "live prices only60 decisions" in told, "simulated results say nothing of live ones"
    assert "1–50 of 150" in told, "the table has all"
    live = statistics_of(page)
    page.selectbox(key="journal-feed-en").select("simulated").run()
    assert not page.exception
    told = Reader(page_of(page)).text
    assert "simulated prices only90 decisions" in told
    assert "1–50 of 90" in told
    assert statistics_of(page) != live


def statistics_of(page: AppTest) -> str:
    """The figures of the verdict."""
    return page_of(page).partition('<div class="tb-lev">')[2].partition("</section>")[0]


@pytest.mark.full
def test_sums_days_and_answers_are_those_of_the_lines(start: Start, tmp_path: Path) -> None:
    from pages.frame.shared_engine import get_engine

    home = tmp_path / "home"
    home.mkdir()
    fill(home, 300)
    start()
    outcomes = get_engine().outcomes
    lines = outcomes.lines(JournalFilter(), None).lines
    summary, over = (
        outcomes.summary(),
        [line for line in lines if line.known is not None and line.known.is_final and line.came.r is not None],
    )
    ordered = [line.came.r or 0.0 for line in over if line.known is not None and line.known.followed == "order"]
    assert (summary.decisions, summary.final, summary.still_open) == (300, len(over), 200 - len(over))
    assert summary.nothing_to_follow == sum(line.action == "signal_wait" for line in lines) == 100
    assert (summary.begins, summary.ends) == (lines[-1].created_at, lines[0].created_at)
    assert (summary.orders.n, summary.orders.right) == (len(ordered), sum(each > 0 for each in ordered))
    assert summary.orders.r == pytest.approx(sum(ordered))
    spread = 1.96 * statistics.stdev(ordered) * len(ordered) ** 0.5
    assert (summary.orders.low, summary.orders.high) == (pytest.approx(sum(ordered) - spread), pytest.approx(sum(ordered) + spread))
    by_day: dict[date, list[float]] = {}
    for line in over:
        assert line.came.ended_at is not None
        by_day.setdefault(line.came.ended_at.date(), []).append(line.came.r or 0.0)
    assert [(day, round(plans, 6)) for day, _, plans in summary.days] == [(day, round(sum(by_day[day]), 6)) for day in sorted(by_day)]
    assert sum(own for _, own, _ in summary.days) == pytest.approx(sum(ordered))
    groups = {each.answer: each for each in outcomes.person_groups()}
    assert sum(each.n for each in groups.values()) == len(over), "every filed entry is in one group"
    for answer in ("rejected", "expired", "blocked"):
        of = [line.came.r or 0.0 for line in over if line.answer == answer]
        assert (groups[answer].n, groups[answer].person_r) == (len(of), 0.0)
        assert groups[answer].worth == pytest.approx(-sum(of)), "a refused loss was worth what it would have cost"
    assert groups["filled"].worth == 0.0
    measured = outcomes.calibration()
    assert (measured.n, measured.base_rate) == (len(over), pytest.approx(100 * sum(line.came.r > 0 for line in over) / len(over), abs=1e-3))  # type: ignore[operator]
    assert outcomes.calibration(model="gpt-4o-mini").n == sum(line.model == "gpt-4o-mini" for line in over)


@pytest.mark.full
def test_files_have_the_same_lines(start: Start, tmp_path: Path) -> None:
    from pages.frame.shared_engine import get_engine

    home = tmp_path / "home"
    home.mkdir()
    fill(home, 40)
    start()
    lines = get_engine().outcomes.lines(JournalFilter(), None).lines
    hostile = lines[0].model_copy(update={"model": "=cmd|'/c calc'!A1"})
    rows = list(csv.DictReader(io.StringIO(exported((hostile, *lines[1:]), "csv").decode())))
    plain = json.loads(exported(lines, "json"))
    table = parquet.read_table(io.BytesIO(exported(lines, "parquet"))).to_pylist()
    ids = [line.run_id for line in lines]
    assert [row["run_id"] for row in rows] == [row["run_id"] for row in plain] == [row["run_id"] for row in table] == ids
    assert rows[0]["model"].startswith("'="), "no spreadsheet runs it"
    assert [row["r"] for row in plain] == [row["r"] for row in table] == [line.came.r for line in lines]
    assert table[0]["created_at"] == lines[0].created_at


def test_few_cases_prove_nothing_and_hostile_names_are_text() -> None:
    show = Show(language="en")
    assert [verdict_of(total) for total in (
        Total(n=29, r=30.0, low=20.0, high=40.0), Total(n=30, r=3.0, low=-1.0, high=7.0), Total(n=30, r=9.0, low=2.0, high=16.0),
        Total(n=30, r=-9.0, low=-16.0, high=-2.0), Total(),
    )] == ["few", "unproven", "proven", "loses", "few"]  # fmt: skip
    nothing = Reader(str(verdict_panel(JournalSummary(), Calibration(n=0), [], show))).text
    assert "Too few to say" in nothing
    assert drawdowns(JournalSummary()) == (None, None)
    assert "0 entries are over, 30 are needed" in Reader(str(calibration_panel(Calibration(n=0), show))).text


def test_the_way_from_the_machine_to_you_adds_up() -> None:
    """Of a machine that would have lost 1 R: refusals saved 4, edits cost 1, early closes 1.5, so that the account has 0.5."""
    groups = [
        PersonGroup(answer="filled", n=6, machine_r=1.5, person_r=1.5),
        PersonGroup(answer="edited", n=2, machine_r=-0.5, person_r=-1.5),
        PersonGroup(answer="rejected", n=12, machine_r=-4.0, person_r=0.0),
        PersonGroup(answer="handled", n=3, machine_r=2.0, person_r=0.5),
    ]
    told = " ".join(" ".join(Reader(str(person_panel(groups, Show(language="en")))).words).split())
    for part in (
        "Machine, as proposed 23 −1.00",
        "Your edits 2 −1.00",
        "moved levels 3 −1.50",
        "Your refusals 12 +4.00",
        "With you 23 +0.50",
    ):
        assert part in told, told
    assert "were worth +1.50 R in 17 decisions" in told
    assert "17 answers: too few to call it skill" in told
    assert "No entry was refused" in Reader(str(person_panel(groups[:1], Show(language="en")))).text


@pytest.mark.full
def test_names_are_text(start: Start, tmp_path: Path) -> None:
    from pages.frame.shared_engine import get_engine

    home = tmp_path / "home"
    home.mkdir()
    fill(home, 3)
    start()
    found = get_engine().outcomes.lines(JournalFilter(), None)
    bad = found.lines[0].model_copy(update={"symbol": "<img src=x>", "model": "<script>", "action": "<b>"})
    html = str(decisions_panel(found.model_copy(update={"lines": (bad,)}), 1, JournalFilter(), {}, lambda _: "", Show(language="zh")))
    assert "<img" not in html
    assert "<script>" not in html
