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

from engine.domain.errors import ClockOutOfRange, TribunalError
from engine.domain.run import RunRecord
from engine.llm import scripted
from engine.settings import Settings
from pages.frame import shared_engine
from pages.frame.page_style import bare_words
from pages.run import kept_runs
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
def test_a_bare_start_says_what_it_is(desk: AppTest) -> None:
    desk.run()
    assert not desk.exception
    shown = page_of(desk)
    for words in ("No run yet", "not advice", "BTC/USDT:USDT", "Simulated market", "Scripted model"):
        assert words in shown, words
    assert "run" not in desk.query_params
    assert not run_button(desk).disabled


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
def test_a_decision_is_asked_again_on_request(desk: AppTest) -> None:
    desk.run()
    desk.number_input(key="lies").set_value(0.3).run()
    record = decided(desk)
    assert "Would it say so again?" not in page_of(desk)
    desk.button(key="ask-again").click().run()
    assert not desk.exception
    shown, found = page_of(desk), shared_engine.get_engine().repetitions.last(record.run_id)
    low, high = (f"{100 * each:.0f}" for each in (found.low or 0, found.high or 0))
    assert found.modal is not None
    for words in ("Asked again 5 times", f"{found.actions[found.modal]} of 5", f"{low} to {high} %"):
        assert words in shown, words
    assert shown.count(f"{low} to {high} %") == 2, "on the bar and in the panel"
    assert not [button for button in desk.button if button.key == "ask-again"]


@pytest.mark.full
def test_a_run_without_corrections_offers_no_comparison(desk: AppTest) -> None:
    desk.run()
    desk.number_input(key="lies").set_value(0.0).run()
    decided(desk)
    assert not [button for button in desk.button if button.key == "ask-matter"]


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
def test_what_stands_in_the_form_is_what_is_asked_and_it_stays_there(desk: AppTest) -> None:
    desk.run()
    desk.selectbox(key="timeframe").select("1h").run()
    desk.selectbox(key="higher-1h-en").select("1d").run()
    desk.number_input(key="lies").set_value(0.0)
    desk.number_input(key="seed").set_value(11)
    desk.text_input(key="at").input("2026-11-01 08:00").run()
    request = decided(desk).request
    assert (request.timeframe, request.timeframe_htf, request.lies, request.seed) == ("1h", "1d", 0.0, 11)
    assert request.at is not None
    assert request.at.isoformat() == "2026-11-01T08:00:00+00:00"
    assert request.holding is None
    assert desk.number_input(key="seed").value == 11
    assert desk.text_input(key="at").value == "2026-11-01 08:00"
    assert desk.selectbox(key="higher-1h-en").value == "1d"


@pytest.mark.full
@pytest.mark.parametrize("side", ["long", "short"])
def test_an_open_position_takes_the_position_path(desk: AppTest, side: str) -> None:
    desk.run()
    desk.selectbox(key="side-en").select(side).run()
    desk.number_input(key="entry_price").set_value(60_000.0)
    desk.number_input(key="size").set_value(0.1)
    desk.number_input(key="leverage").set_value(3.0)
    desk.text_input(key="opened_at").input("2026-11-01T00:00Z").run()
    record = decided(desk)
    assert record.result is not None
    assert record.result["execution_path"] == "position"
    holding = record.request.holding
    assert holding is not None
    assert (holding.side, float(holding.entry_price), float(holding.size), float(holding.leverage)) == (side, 60_000.0, 0.1, 3.0)
    assert holding.opened_at.isoformat() == "2026-11-01T00:00:00+00:00"


@pytest.mark.full
def test_a_clock_that_cannot_be_read_is_said_in_one_line_and_nothing_begins(desk: AppTest) -> None:
    desk.run()
    desk.text_input(key="at").input("yesterday").run()
    run_button(desk).click().run()
    assert not desk.exception
    told = bare_words("time 'yesterday' cannot be read: write ISO 8601, for example 2026-05-16T12:00Z")
    assert [error.value for error in desk.error] == [told]
    assert "run" not in desk.query_params
    assert "No run yet" in page_of(desk)


@pytest.mark.full
def test_what_the_market_refuses_is_said_on_the_page(desk: AppTest) -> None:
    desk.run()
    desk.text_input(key="at").input("2999-01-01").run()
    run_button(desk).click().run()
    with pytest.raises(ClockOutOfRange, match="future"):
        shared_engine.get_engine().wait(run_of(desk), 30)
    desk.run()
    assert not desk.exception
    told = [body for body in page_of(desk).split("\n") if "tb-msg bad" in body]
    assert len(told) == 1
    assert "future" in told[0]
    assert not run_button(desk).disabled, "one may ask again"


@pytest.mark.full
def test_a_form_that_is_not_all_typed_yet_is_no_error_and_cannot_be_run(desk: AppTest) -> None:
    desk.run()
    desk.selectbox(key="side-en").select("long").run()
    assert (desk.number_input(key="entry_price").value, desk.number_input(key="size").value) == (None, None)
    assert "Give entry price and size" in page_of(desk)
    assert [len(desk.error), len(desk.warning), run_button(desk).disabled] == [0, 0, True]
    desk.number_input(key="entry_price").set_value(80_000.0)
    desk.number_input(key="size").set_value(0.1).run()
    assert not run_button(desk).disabled
    desk.selectbox(key="feed-en").select("recorded").run()
    assert "Type the folder" in page_of(desk)
    assert [len(desk.error), len(desk.warning), run_button(desk).disabled] == [0, 0, True]
    assert "run" not in desk.query_params


@pytest.mark.full
@pytest.mark.parametrize("run", ["../../x", "20200101-000000-abcdef", "![](http://127.0.0.1:9/x.png)", ""])
def test_an_address_of_no_run_is_said_to_be_unknown(desk: AppTest, run: str) -> None:
    desk.query_params["run"] = run
    desk.run()
    assert not desk.exception
    assert bare_words(run[:40]) in desk.warning[0].value
    assert "No run yet" in page_of(desk)


@pytest.mark.full
def test_in_chinese(desk: AppTest) -> None:
    desk.query_params["lang"] = "zh"
    desk.run()
    assert run_button(desk).label == "开始决策"
    shown = page_of(desk)
    for words in ("尚无运行", "模拟行情", "脚本模型", "不构成投资建议"):
        assert words in shown, words
    assert decided(desk).request.language == "zh"
    assert "分析师" in page_of(desk)


def test_messages_are_bare_words() -> None:
    assert bare_words("a\n![x](http://h/p_q.png)") == r"a \!\[x\](http\://h/p\_q.png)"
    assert (
        bare_words("`a` *b* $c$ :red[d] <e> ~f~ \\ \x1b\u202e") == "\\`a\\` \\*b\\* \\$c\\$ \\:red\\[d\\] \\<e\\> \\~f\\~ \\\\ \ufffd\ufffd"
    )


@pytest.mark.full
@pytest.mark.parametrize(("name", "value"), [("TRIBUNAL_HOME", "FILE/home"), ("TRIBUNAL_FEED", "moon"), ("TRIBUNAL_PACE", "-1")])
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
def test_a_run_is_first_drawn_with_its_first_words(desk: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not empty, until the page is drawn again half a second later."""
    monkeypatch.setattr(kept_runs, "FIRST_WORDS_S", 25.0)  # a busy machine takes longer to come to them
    with after_first_words(monkeypatch):
        desk.run()
        run_button(desk).click().run()
        assert page_of(desk).count('<span class="tb-caret">') == 8, "each analyst, in the bar and in its card"
        shared_engine.get_engine().stop(run_of(desk))
        stopped(desk)


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


@pytest.mark.full
def test_a_stopped_run_that_somebody_else_continues_is_shown_as_it_ends(desk: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    with after_first_words(monkeypatch):
        desk.run()
        run_button(desk).click().run()
        engine = shared_engine.get_engine()
        assert engine.wait_events(run_of(desk), 2, 60), "it has begun"
        desk.button(key="stop-button").click().run()
        stopped(desk)
    desk.run()
    assert "Stopped" in page_of(desk)
    engine.resume(run_of(desk))
    engine.wait(run_of(desk), 60)
    desk.run()
    assert "Stopped" not in page_of(desk)
