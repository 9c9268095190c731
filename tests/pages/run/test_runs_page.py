"""The page of runs: the list as the journal has it, links that lead to a run, and two decisions side by side."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.run import DecideRequest, RunRecord, RunSummary
from engine.domain.text.language import LANGUAGES
from engine.journal.store import open_journal
from engine.settings import Settings
from pages.decision.compared_runs import compared_runs
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.run.run_list import runs_panel
from tests.conftest import ROOT
from tests.pages.reader import Reader
from tests.pages.test_desk import page_of

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)
STATES = ("starting", "running", "interrupted", "stopped", "finished", "failed")


def summary(status: str, **more: object) -> RunSummary:
    known: dict[str, object] = {"headline": None, "is_valid": None, "duration_ms": None, "error": None, "finished_at": None}
    known |= {
        "run_id": f"r-{status}",
        "created_at": NOW - timedelta(minutes=5),
        "status": status,
        "flow": "decision",
        "subject": "BTC/USDT:USDT",
    }
    return RunSummary.model_validate(known | more)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_is_listed_in_words(language: str) -> None:
    show = Show(language=language)  # type: ignore[arg-type]
    html = runs_panel([summary(status) for status in STATES], show, NOW)
    Reader(html)
    for status in STATES:
        assert show.say(f"state_{status}") in html
        assert f'href="./?run=r-{status}&amp;lang={language}"' in html
    assert html.count("5\u2009min") == len(STATES)
    assert show.say("runs_none") in runs_panel([], show, NOW)


def test_what_a_run_says_is_text() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    html = runs_panel([summary("failed", subject=hostile, error=hostile, model=hostile, parent=hostile)], Show(), NOW)
    assert "<img" not in html


def test_what_differs_between_two_decisions_is_marked(make_engine: "type[Engine]") -> None:
    engine = make_engine()
    first, second = (engine.start(engine.decisions.request("BTC/USDT", seed=1, at=NOW, language=language)) for language in LANGUAGES)
    records = [engine.wait(run_id, 60) for run_id in (first, second)]
    show = Show(titles={analyst.key: analyst.title["en"] for analyst in engine.decisions.analysts})
    same = compared_runs(records[0], records[0], show)
    assert "≠" not in same
    other = compared_runs(records[0], records[1], show)
    assert re.search(r"≠ Language</td><td><b>en</b></td><td><b>zh</b>", other)
    assert first in other
    assert second in other
    assert compared_runs(records[0], records[0].model_copy(update={"result": None}), show) == ""


@pytest.fixture
def runs_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The page on a journal of its own, nothing decided yet."""
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    st.cache_resource.clear()
    page = AppTest.from_file(str(ROOT / "pages" / "views" / "runs.py"), default_timeout=30).run()
    assert not page.exception
    yield page
    shared_engine.get_engine().close()
    st.cache_resource.clear()


def test_the_page_lists_and_compares(runs_page: AppTest) -> None:
    page, engine = runs_page, shared_engine.get_engine()
    assert "Nothing has been decided here yet" in page_of(page)
    for seed in (1, 2):
        engine.wait(engine.start(engine.decisions.request("BTC/USDT", seed=seed, at=NOW)), 60)
    page.run()
    assert page_of(page).count("?run=") == 2
    first, second = (run.run_id for run in engine.runs())
    page.selectbox(key="first-run").select(first)
    page.selectbox(key="second-run").select(second).run()
    assert not page.exception
    assert f"{first}</th>" in page_of(page)
    assert f"{second}</th>" in page_of(page)


def test_a_long_list_comes_in_two_parts_and_stays_whole_once_asked_for(runs_page: AppTest, tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "home", None)
    for number in range(230):
        failed = RunRecord(
            run_id=f"r-{number}",
            created_at=NOW,
            finished_at=NOW,
            status="failed",
            request=DecideRequest(symbol="BTC/USDT", feed="simulated"),
            error="no such market",
        )
        journal.add_run(failed, "", NOW)
        journal.end_run(failed)
    journal.close()
    runs_page.run()
    assert page_of(runs_page).count("?run=") == 200
    (more,) = (button for button in runs_page.button if "30" in button.label)
    more.click().run()
    assert page_of(runs_page).count("?run=") == 230
    runs_page.run()
    assert page_of(runs_page).count("?run=") == 230
