"""The desk without a browser: what it asks the engine for, and what it says when that cannot be done.

`AppTest` runs the page's Python as a browser's messages would: nothing ticks, so a test waits for the run itself and then looks again.
It cannot type a new option into a box of options, nor choose one whose value is None: that is done in `tests/browser`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.domain.errors import TribunalError
from engine.domain.run import RunRecord
from engine.script import model as scripted
from engine.settings import Settings
from pages.frame import shared_engine
from pages.frame.page_style import bare_words
from tests.conftest import ROOT


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The page with an engine of its own; the engine ends with the test."""
    monkeypatch.setitem(Settings.model_config, "env_file", None)  # not the `.env` of whoever runs the tests
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    st.cache_resource.clear()
    st.cache_data.clear()
    yield AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30)
    shared_engine.get_engine().close()
    st.cache_resource.clear()


def page_of(desk: AppTest) -> str:
    """All the HTML the desk has put on the page."""
    return "\n".join(str(element.proto.body) for element in desk.get("html"))


def run_of(desk: AppTest) -> str:
    """The run that the address names."""
    named = desk.query_params["run"]
    return named if isinstance(named, str) else named[0]


def run_button(desk: AppTest) -> Any:
    return desk.button(key="run-button")


@contextmanager
def after_first_words(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a run that is watched go no further than the first words of its analysts while the block lasts, however slow the page is."""
    with monkeypatch.context() as patch:
        patch.setenv("TRIBUNAL_PACE", "4")
        patch.setattr(scripted, "_PAUSE_S", (3600.0, 3600.0))
        yield


def stopped(desk: AppTest) -> None:
    """Wait for the end of the run, which is that it was stopped."""
    with pytest.raises(TribunalError, match="stopped by a person"):
        shared_engine.get_engine().wait(run_of(desk), 60)


def decided(desk: AppTest) -> RunRecord:
    """Press the button, wait for the run to end, look again."""
    run_button(desk).click().run()
    assert not desk.exception
    record = shared_engine.get_engine().wait(run_of(desk), 30)
    desk.run()
    assert not desk.exception
    return record


@pytest.mark.full
def test_one_lie_is_planted_caught_and_asked_about(desk: AppTest) -> None:
    desk.run()
    desk.number_input(key="lies").set_value(0.0)
    desk.selectbox(key="liar-en").set_value("bear").run()
    desk.selectbox(key="lie-en").set_value("price").run()
    record = decided(desk)
    assert record.request.chaos is not None
    assert (record.request.chaos.role, record.request.chaos.kind) == ("bear", "price")
    assert "1 planted, 1 caught" in page_of(desk)
    assert "Did the corrections matter?" not in page_of(desk)
    desk.button(key="ask-matter").click().run()
    assert not desk.exception
    assert "Did the corrections matter?" in page_of(desk)
    assert not [button for button in desk.button if button.key == "ask-matter"]
    desk.button(key="ask-placebo").click().run()
    assert not desk.exception
    assert "corrections that change nothing</th>" in page_of(desk)
    assert not [button for button in desk.button if button.key == "ask-placebo"]


@pytest.mark.full
def test_a_run_is_named_by_the_address_and_shown_whole(desk: AppTest) -> None:
    desk.run()
    record = decided(desk)
    assert record.run_id == run_of(desk)
    assert record.request.lies == 0.2
    shown = page_of(desk)
    for words in ("Simulated market", "Scripted model", record.run_id, "tb-claim"):
        assert words in shown, words
    assert record.result is not None
    word = {"signal_entry_long": "Enter long", "signal_entry_short": "Enter short", "signal_wait": "Wait"}[record.result["final_action"]]
    assert word in shown
    assert not run_button(desk).disabled
    other = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30)
    other.query_params["run"] = record.run_id
    other.run()
    assert [body for body in page_of(other).split("\n") if "tb-debate" in body] == [
        body for body in shown.split("\n") if "tb-debate" in body
    ], "a second viewer reads the same"


@pytest.mark.full
def test_an_open_position_takes_the_position_path(desk: AppTest) -> None:
    desk.run()
    desk.selectbox(key="side-en").select("short").run()
    desk.number_input(key="entry_price").set_value(60_000.0)
    desk.number_input(key="size").set_value(0.1)
    desk.number_input(key="leverage").set_value(3.0)
    desk.text_input(key="opened_at").input("2026-11-01T00:00Z").run()
    record = decided(desk)
    assert record.result is not None
    assert record.result["execution_path"] == "position"
    holding = record.request.holding
    assert holding is not None
    assert (holding.side, float(holding.entry_price), float(holding.size), float(holding.leverage)) == ("short", 60_000.0, 0.1, 3.0)
    assert holding.opened_at.isoformat() == "2026-11-01T00:00:00+00:00"


@pytest.mark.full
@pytest.mark.parametrize("run", ["../../x", "![](http://127.0.0.1:9/x.png)"])
def test_an_address_of_no_run_is_said_to_be_unknown(desk: AppTest, run: str) -> None:
    desk.query_params["run"] = run
    desk.run()
    assert not desk.exception
    assert bare_words(run[:40]) in desk.warning[0].value
    assert "No run yet" in page_of(desk)


def test_messages_are_bare_words() -> None:
    assert bare_words("a\n![x](http://h/p_q.png)") == r"a \!\[x\](http\://h/p\_q.png)"
    assert (
        bare_words("`a` *b* $c$ :red[d] <e> ~f~ \\ \x1b\u202e") == "\\`a\\` \\*b\\* \\$c\\$ \\:red\\[d\\] \\<e\\> \\~f\\~ \\\\ \ufffd\ufffd"
    )


@pytest.mark.full
@pytest.mark.parametrize(("name", "value"), [("TRIBUNAL_HOME", "FILE/home"), ("TRIBUNAL_FEED", "moon")])
def test_bad_settings_are_said_and_nothing_else_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(name, value.replace("FILE", str(tmp_path / "file")))
    st.cache_resource.clear()
    desk = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30).run()
    assert not desk.exception
    assert [bare_words(name) in error.value for error in desk.error] == [True]
    assert not desk.button
    st.cache_resource.clear()


@pytest.mark.full
def test_a_run_is_stopped_and_continued_from_the_page(desk: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    with after_first_words(monkeypatch):
        desk.run()
        run_button(desk).click().run()
        desk.button(key="stop-button").click().run()
        assert not desk.exception
        stopped(desk)
    desk.run()
    assert "Stopped" in page_of(desk)
    assert not run_button(desk).disabled
    desk.button(key="resume-button").click().run()
    assert not desk.exception
    assert shared_engine.get_engine().wait(run_of(desk), 60).status == "finished"
    desk.run()
    assert "Stopped" not in page_of(desk)
    assert not any(button.key in {"stop-button", "resume-button"} for button in desk.button)
