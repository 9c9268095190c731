"""A part of a page that breaks says so where it stands; the rest of the page stays, and so does what takes risk away."""

import importlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.domain.errors import StoreError
from pages.desks import page_of_flow
from pages.desks.decision import panels
from pages.desks.decision.decision_view import DECISION
from pages.frame import isolation, shared_engine
from pages.frame.isolation import isolated, isolated_html
from pages.frame.show import Show
from pages.words.texts import words_in
from tests.pages.events import RUNS
from tests.pages.reader import Reader
from tests.pages.saved import run_document
from tests.pages.started import Start, keyed, page_of
from tests.pages.test_look_back import desk_of, filed

SAY = words_in("en")
HOSTILE = "<img src=x onerror=alert(1)> \u202e\nnext line"
TOLD = "this part of the page cannot be shown."


class Fault(Exception):
    """What no page expects."""


def broken(*_: Any, **__: Any) -> Any:
    raise Fault(HOSTILE)


@pytest.fixture(autouse=True)
def _nothing_logged_before() -> Iterator[None]:
    isolation._logged.clear()
    yield
    isolation._logged.clear()


def break_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """name: module.function of the pages' parts, as the page calls it."""
    module, _, function = name.rpartition(".")
    monkeypatch.setattr(importlib.import_module(f"pages.{module}"), function, broken)


def break_panel(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """One of the panels that the desk draws by its table."""

    changed = tuple(replace(panel, build=broken) if panel.name == name else panel for panel in panels.PANELS)
    monkeypatch.setattr(page_of_flow("decision"), "panels", changed)


def faults(app: AppTest) -> list[str]:
    """What is told of broken parts."""
    return [body for body in page_of(app).split("\n") if TOLD in body]


def cards(app: AppTest) -> set[str]:
    """The panels that stand."""
    return {body for element in app.get("html") if '<section class="tb tb-card' in (body := str(element.proto.body))}


NAMES = [panel.name for panel in panels.PANELS]


@pytest.mark.full
def test_each_panel_of_the_desk_may_break_and_the_others_stand(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    proposal = filed(shared_engine.get_engine())
    desk_of(app, proposal.basis.run_id)
    whole = cards(app)
    lost_so_far: set[str] = set()
    assert faults(app) == []
    for name in NAMES:
        with monkeypatch.context() as patch:
            break_panel(patch, name)
            app.run()
        assert not app.exception, name
        (told,) = faults(app)
        assert SAY(name) in Reader(told).text
        assert "Fault: &lt;img src=x onerror=alert(1)&gt; \ufffd next line." in told
        lost = whole - cards(app)
        assert len(lost) <= 1, (name, "this panel and no other")
        lost_so_far |= lost
        assert keyed(app, "approve-")
    assert len(lost_so_far) > 8, "each was there to be lost"


@pytest.mark.full
def test_numbers_that_cannot_be_shown_cannot_be_signed(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    proposal = filed(shared_engine.get_engine())
    break_it(monkeypatch, "trading.ticket.signed_numbers")
    desk_of(app, proposal.basis.run_id)
    assert not app.exception
    assert len(faults(app)) == 1
    assert "Debate, checked" in page_of(app)
    assert [button for button in app.button if str(button.key).startswith("approve-")] == []


@pytest.mark.full
def test_a_position_whose_card_breaks_can_be_closed(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start("positions")
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    engine.trading.approve(proposal.id, "op-1", proposal.hash)
    st.cache_data.clear()
    break_it(monkeypatch, "positions.position_card.position_card")
    app.run()
    keyed(app, "close-").click().run()
    next(button for button in app.button if button.label == SAY("yes_close")).click().run()
    assert engine.trading.positions() == []


@pytest.mark.full
@pytest.mark.parametrize("page", ["", "positions"])
def test_a_journal_that_cannot_be_read_leaves_the_frame(start: Start, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    app = start(page)
    engine = shared_engine.get_engine()
    run_id = filed(engine).basis.run_id
    for owner, call in (
        (engine, "events"),
        (engine, "runs"),
        (engine, "find_runs"),
        (engine, "run"),
        (engine.trading, "proposals"),
        (engine.trading, "positions"),
    ):

        def unreadable(*_: Any, **__: Any) -> Any:
            raise StoreError("the journal cannot be read: disk I/O error")

        monkeypatch.setattr(owner, call, unreadable)
    st.cache_data.clear()
    app.session_state["views"] = {}
    desk_of(app, run_id) if not page else app.run()
    assert not app.exception
    assert "disk I/O error" in page_of(app) + " ".join(each.value for each in app.error)
    assert app.button(key="halt")


def test_the_saved_page_stands_without_the_part_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    view = DECISION.reduce(RUNS["entry"]())
    break_panel(monkeypatch, "grounding")
    page = run_document(view, Show(step=0.1), None, "green-up")
    assert page.count(TOLD) == 1
    assert "<img" not in page
    assert "tb-debate" in page


def test_a_fault_is_logged_once_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            assert "Fault" in isolated_html("Debate", SAY, broken)
    (logged,) = (each for each in caplog.records if each.name == isolation.__name__)
    assert logged.exc_info is not None
    assert "\u202e" not in logged.getMessage()
    assert "\n" not in logged.getMessage()


def test_a_rerun_and_a_stop_of_the_page_are_no_faults() -> None:
    from streamlit.runtime.scriptrunner import StopException

    with pytest.raises(StopException), isolated("X", SAY):
        raise StopException
