"""The page of runs: a list that is turned over, an address that says what is looked for, and words of two runs that differ."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as st_
from streamlit.testing.v1 import AppTest

from engine.domain.run import DecideRequest, RunRecord, RunSummary
from engine.journal.store import open_journal
from engine.settings import Settings
from pages.desks import flow_pages
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.run.run_filters import NAMES, RunQuery, read_query
from pages.run.run_filters import STATES as QUERY_STATES
from pages.run.run_list import runs_panel
from tests.conftest import ROOT
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


def test_what_a_run_says_is_text() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    html = runs_panel([summary("failed", subject=hostile, error=hostile, model=hostile, parent=hostile)], Show())
    assert "<img" not in html


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


@pytest.mark.full
def test_a_long_list_is_turned_over_page_by_page_and_the_address_says_which(runs_page: AppTest, tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "home", None)
    for number in range(120):
        failed = RunRecord(
            run_id=f"r-{number}",
            created_at=NOW + timedelta(minutes=number),
            finished_at=NOW,
            status="failed",
            request=DecideRequest(symbol="BTC/USDT", feed="simulated"),
            error="no such market",
        )
        journal.add_run(failed, "", NOW)
        journal.end_run(failed)
    journal.close()
    runs_page.run()
    listed = [f"r-{number}" for number in range(119, -1, -1)]
    assert re.findall(r"\?run=(r-\d+)", page_of(runs_page)) == listed[:50]
    assert "1–50 of 120" in page_of(runs_page)
    runs_page.button(key="runs-step-1").click().run()
    runs_page.button(key="runs-step-1").click().run()
    assert re.findall(r"\?run=(r-\d+)", page_of(runs_page)) == listed[100:]
    assert runs_page.query_params["page"] in ("3", ["3"])
    assert runs_page.button(key="runs-step-1").disabled
    runs_page.text_input(key="text-en").set_value("r-119").run()
    assert re.findall(r"\?run=(r-\d+)", page_of(runs_page)) == ["r-119"], "what is looked for begins on its first page"
    assert "page" not in runs_page.query_params
    assert runs_page.query_params["q"] in ("r-119", ["r-119"])


@pytest.mark.full
def test_an_address_shows_what_it_asks_for_and_says_what_of_it_cannot_be_used(runs_page: AppTest) -> None:
    page, engine = runs_page, shared_engine.get_engine()
    for symbol in ("BTC/USDT", "ETH/USDT"):
        engine.wait(engine.start(engine.decisions.request(symbol, seed=1, at=NOW)), 60)
    bitcoin = next(run.run_id for run in engine.runs() if run.subject == "BTC/USDT")
    for name, value in {"market": "BTC/USDT", "state": "moon", "from": "2026-13-01"}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    assert re.findall(r"\?run=([\w-]+)", page_of(page)) == [bitcoin]
    assert page.selectbox(key="market-en").value == "BTC/USDT"
    assert "state=moon" in page.warning[0].value.replace("\\", "")
    assert "from=2026-13-01" in page.warning[0].value.replace("\\", "")
    page.pills(key="state-en").set_value("failed").run()
    assert "No run is like that" in page_of(page)
    page.button(key="runs-clear").click().run()
    assert page_of(page).count("?run=") == 2
    came_to, began = next((run.headline, run.created_at) for run in engine.runs() if run.run_id == bitcoin)
    page.text_input(key="text-en").set_value(f"btc {came_to} {began:%m-%d}").run()
    assert re.findall(r"\?run=([\w-]+)", page_of(page)) == [bitcoin]
    page.text_input(key="text-en").set_value("btc 05-17 2001").run()
    assert "No run is like that" in page_of(page)


@pytest.mark.full
def test_an_outcome_is_found_by_its_word_in_the_language_of_the_page(runs_page: AppTest) -> None:
    page, engine = runs_page, shared_engine.get_engine()
    engine.wait(engine.start(engine.decisions.request("BTC/USDT", seed=1, at=NOW)), 60)
    word = flow_pages()["decision"].choices(Show(language="zh"))[str(engine.runs()[0].headline)].split()[-1]
    page.radio(key="language").set_value("zh").run()
    page.text_input(key="text-zh").set_value(word).run()
    assert page_of(page).count("?run=") == 1
    page.text_input(key="text-zh").set_value("平仓").run()
    assert page_of(page).count("?run=") == 0


def test_a_decision_in_an_older_address_is_a_word_to_look_for() -> None:
    assert read_query({"q": "btc", "decision": "signal_wait"}) == (RunQuery(text="btc signal_wait"), [])


QUERIES = st_.builds(
    RunQuery,
    text=st_.text(max_size=20),
    market=st_.sampled_from(["", "BTC/USDT:USDT", "What & why?"]),
    flow=st_.sampled_from(["", "decision"]),
    state=st_.sampled_from([None, *QUERY_STATES]),
    first_day=st_.none() | st_.dates(date(2000, 1, 1), date(2100, 1, 1)),
    last_day=st_.none() | st_.dates(date(2000, 1, 1), date(2100, 1, 1)),
    page=st_.integers(1, 1000),
)


@given(query=QUERIES)
def test_an_address_says_all_that_stands_in_the_fields(query: RunQuery) -> None:
    assert read_query(query.params()) == (query, [])


@given(params=st_.dictionaries(st_.sampled_from(NAMES), st_.text(max_size=30)))
def test_whatever_an_address_says_can_be_looked_for(params: dict[str, str]) -> None:
    query, unusable = read_query(params)
    assert query.wanted(None, {}).until is None or query.last_day is not None
    assert {each.partition("=")[0] for each in unusable} <= {"from", "to", "state", "page"}
