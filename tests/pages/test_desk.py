"""The desk without a browser: what it asks the engine for, and what it says when that cannot be done."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The page with an engine of its own; the engine ends with the test."""
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    st.cache_resource.clear()
    st.cache_data.clear()
    yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    from pages.parts import door

    door.open_door().close()
    st.cache_resource.clear()


def page_of(desk: AppTest) -> str:
    """All the HTML the desk has put on the page."""
    return "\n".join(str(element.proto.body) for element in desk.get("html"))


def run_of(desk: AppTest) -> str:
    """The run that the address names."""
    named = desk.query_params["run"]
    return named if isinstance(named, str) else named[0]


def settle(desk: AppTest) -> AppTest:
    """Wait for the run of the address to end, then look again."""
    from pages.parts import door

    door.open_door().wait(run_of(desk), 30)
    return desk.run()


def run_button(desk: AppTest) -> Any:
    return desk.button(key="run-button")


def test_a_bare_start_says_what_it_is(desk: AppTest) -> None:
    desk.run()
    assert not desk.exception
    assert "No run yet" in page_of(desk)
    assert "not advice" in page_of(desk)


def test_a_run_is_named_by_the_address_and_shown_whole(desk: AppTest) -> None:
    desk.run()
    run_button(desk).click().run()
    settle(desk)
    assert not desk.exception
    shown = page_of(desk)
    assert "Simulated market" in shown
    assert "Scripted model" in shown
    assert any(word in shown for word in ("Enter long", "Enter short", "Wait"))
    assert "tb-claim" in shown
    assert not run_button(desk).disabled


def test_an_open_position_takes_the_position_path(desk: AppTest) -> None:
    desk.run()
    desk.selectbox(key="side-en").select("long").run()
    desk.number_input(key="entry_price").set_value(60_000.0)
    desk.number_input(key="size").set_value(0.1)
    desk.text_input(key="opened_at").input("2026-11-01T00:00Z").run()
    run_button(desk).click().run()
    settle(desk)
    from pages.parts import door

    record = door.open_door().run(run_of(desk))
    assert record is not None
    assert record.result is not None
    assert record.result["execution_path"] == "position"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [("at", "yesterday", "cannot be read"), ("at", "2999-01-01", "future")],
)
def test_what_cannot_be_asked_is_said_in_one_line(desk: AppTest, field: str, value: str, said: str) -> None:
    desk.run()
    desk.text_input(key=field).input(value).run()
    run_button(desk).click().run()
    if "run" in desk.query_params:
        from pages.parts import door

        with pytest.raises(Exception, match=said):
            door.open_door().wait(run_of(desk), 30)
        desk.run()
    assert not desk.exception
    assert said in page_of(desk) + "".join(error.value for error in desk.error).replace("\\", "")


def test_in_chinese(desk: AppTest) -> None:
    desk.query_params["lang"] = "zh"
    desk.run()
    assert run_button(desk).label == "开始决策"
    assert "尚无运行" in page_of(desk)


def test_bad_settings_are_said_and_nothing_else_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "file" / "home"))
    st.cache_resource.clear()
    desk = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
    assert not desk.exception
    assert "TRIBUNAL_HOME" in desk.error[0].value.replace("\\", "")
    st.cache_resource.clear()
