"""What a page says of a run and of its signature is true of the moment it shows: looked back at, run out of time, decided again, saved."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.proposal import Proposal, Signature
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from pages.desks.decision.decision_reducer import reduce_decision
from pages.desks.decision.document import run_document
from pages.desks.decision.steps import step_strip
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.run.view import Filed
from pages.trading.signature import signature_panel
from tests.pages.events import RUNS
from tests.pages.proposals import START, made_proposal
from tests.pages.reader import Reader
from tests.pages.started import AT, Start, page_of


def filed(engine: Engine) -> Proposal:
    """What a run with an order in it was filed as, whether its time is over by now or not."""
    for seed in range(301, 400):  # in 300 there is nothing to decide
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, at=AT)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.state in ("pending", "expired"):
            return proposal
    pytest.fail("no market with something to decide")


def desk_of(app: AppTest, run_id: str) -> AppTest:
    """The desk on that run."""
    app.query_params["run"] = run_id
    return app.run()


def approve_buttons(app: AppTest) -> list[Any]:
    return [button for button in app.button if str(button.key).startswith("approve-")]


def later_sliders(app: AppTest) -> list[Any]:
    return [slider for slider in app.slider if str(slider.key).startswith("later-")]


def moment(app: AppTest) -> Any:
    return next(slider for slider in app.slider if str(slider.key).startswith("moment-"))


@pytest.mark.full
def test_a_run_with_a_proposal_is_looked_back_at_step_by_step(start: Start) -> None:
    app = start()
    proposal = filed(shared_engine.get_engine())
    events = shared_engine.get_engine().events(proposal.basis.run_id)
    desk_of(app, proposal.basis.run_id)
    at = next(event.seq for event in events if event.kind == "proposal.filed")
    moment(app).set_value(at).run()
    assert not app.exception
    assert "the proposal was filed" in page_of(app)
    assert f"As it stood after event {at} of {len(events)}" in page_of(app)


@pytest.mark.full
def test_a_past_moment_shows_its_own_clock_and_no_signature_of_today(start: Start) -> None:
    app = start()
    proposal = filed(shared_engine.get_engine())
    desk_of(app, proposal.basis.run_id)
    assert len(approve_buttons(app)) == 1
    events = shared_engine.get_engine().events(proposal.basis.run_id)
    grounding = next(event.seq for event in events if event.kind == "node.started" and event.node == "entry_grounding")
    for at in (1, grounding, len(events) - 1):
        moment(app).set_value(at).run()
        assert not app.exception
        assert approve_buttons(app) == []
        strip = next(body for body in page_of(app).split("\n") if "tb-steps" in body)
        assert "</b>to sign" not in strip
        assert not any("</b> to sign" in body for body in page_of(app).split("\n") if "<nav" not in body)
        assert "A signature is awaited until" in page_of(app)
        if at == grounding:  # it has just begun, whatever the clock says today
            spent = Reader(strip).text.partition("checking")[2]
            assert spent.startswith("0\u2009ms"), spent
    app.button(key="to-the-end").click().run()
    assert len(approve_buttons(app)) == 1
    assert "As it stood" not in page_of(app)


@pytest.mark.full
def test_an_event_of_a_kind_that_nobody_knows_is_called_by_its_name(start: Start, tmp_path: Path) -> None:
    """The journal of a newer version is read by an older one."""
    app = start()
    proposal = filed(shared_engine.get_engine())
    run_id = proposal.basis.run_id
    last = len(shared_engine.get_engine().events(run_id))
    with closing(sqlite3.connect(tmp_path / "home" / "tribunal.db")) as journal, journal:
        journal.execute("UPDATE events SET kind = 'market.<b>blinked' WHERE run_id = ? AND seq = ?", (run_id, last - 3))
    shared_engine.get_engine().close()
    st.cache_resource.clear()
    app = start()
    desk_of(app, run_id)
    assert not app.exception
    moment(app).set_value(last - 3).run()
    assert not app.exception
    assert "market.&lt;b&gt;blinked" in page_of(app)


@pytest.mark.full
def test_a_decision_made_again_has_nothing_to_sign(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    again = engine.wait(engine.fork(proposal.basis.run_id, "executor"), 60)
    assert again.result is not None
    assert again.result["final_action"] == proposal.basis.action
    desk_of(app, again.run_id)
    strip = next(body for body in page_of(app).split("\n") if "tb-steps" in body)
    assert "</b>to sign" not in strip
    assert "nothing to sign" in strip


@pytest.mark.full
def test_what_came_after_stays_covered_until_the_signature_is_given(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    again = engine.wait(engine.fork(proposal.basis.run_id, "executor"), 60)
    earlier = engine.decisions.request("BTC/USDT:USDT", seed=proposal.basis.place.seed, propose=False, at="2026-11-01T07:00:00Z")
    before = engine.wait(engine.start(earlier), 60)
    for run_id in (proposal.basis.run_id, again.run_id):
        desk_of(app, run_id)
        assert not app.exception
        assert later_sliders(app) == [], "the same market, by another door"
        assert "are shown when the signature has been given" in page_of(app)
    (slider,) = later_sliders(desk_of(app, before.run_id))
    assert slider.max == 4, "an hour of candles: what whoever signs may know"
    engine.trading.reject(proposal.id, "op-1", "too late")
    for run_id in (proposal.basis.run_id, again.run_id, before.run_id):
        (slider,) = later_sliders(desk_of(app, run_id))
        assert slider.max > 4


@pytest.mark.full
def test_another_market_is_nobody_elses_secret(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    other = engine.decisions.request("BTC/USDT:USDT", seed=(proposal.basis.place.seed or 0) + 1000, propose=False, at=AT)
    assert len(later_sliders(desk_of(app, engine.wait(engine.start(other), 60).run_id))) == 1


def test_a_filed_run_without_its_row_is_not_your_call() -> None:
    view = reduce_decision(RUNS["entry"]())
    assert "nothing to sign" in step_strip(view, Show()), "nothing was filed"
    told = replace(view, filed=Filed("p-1", "blocked", "too large", "a" * 64))
    assert "</b>to sign" not in step_strip(told, Show())
    assert "</b>blocked" in step_strip(told, Show())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("state", ["pending", "rejected", "filled", "expired", "blocked", "unknown"])
def test_the_saved_page_says_what_became_of_it_with_its_money(state: str, language: str) -> None:
    view = reduce_decision(RUNS["entry"]())
    show = Show(language, step=0.1)  # type: ignore[arg-type]
    proposal = made_proposal(state=state, changed_by="op-2", why=Reason("rejected_weak") if state == "rejected" else "")
    page = run_document(view, show, None, "green-up", proposal, START + timedelta(minutes=2))
    body = page[page.index("<main") : page.index("</body>")]
    words = " ".join(Reader(body).words)
    for part in ("−39.2", "+63.3", "0.192 BTC", proposal.hash[:12]):
        assert part in words, part
    if state == "rejected":
        assert "op-2" in words
        assert ("argument is weak" if language == "en" else "论据薄弱") in words
    if state == "pending":
        assert "2026-05-17 09:10:00 UTC" in words, "a saved page does not count down: it says until when"


def test_a_signature_says_who_when_and_under_which_hash() -> None:
    signed = Signature(who="op-2 <b>", at=START + timedelta(seconds=90), hash=made_proposal().hash)
    page = signature_panel(made_proposal(state="filled", signatures=(signed,), order_ids=("tb-1",), why="order tb-1 filled"), Show())
    words = " ".join(Reader(page).words)
    for part in ("op-2 <b>", "2026-05-17 09:01:30 UTC", made_proposal().hash[:12], "tb-1", "3 limits apply, all pass"):
        assert part in words, part
    assert "op-2 &lt;b&gt;" in page


def test_a_proposal_has_expired_when_its_time_is_over_not_when_that_is_written_down() -> None:
    proposal = made_proposal()
    assert proposal.as_at(proposal.expires_at - timedelta(microseconds=1)) is proposal
    over = proposal.as_at(proposal.expires_at)
    assert (over.state, over.changed_at, over.changed_by) == ("expired", proposal.expires_at, "clock")
    filled = made_proposal(state="filled")
    assert filled.as_at(datetime(2030, 1, 1, tzinfo=UTC)) is filled
    assert made_proposal(state="edited").as_at(datetime(2030, 1, 1, tzinfo=UTC)).state == "expired"


def two_of_one_market(engine: Engine) -> tuple[Proposal, Proposal]:
    """A proposal that was rejected, and one of the same market an hour later that waits."""

    def decided(seed: int, at: str, *, propose: bool) -> RunRecord:
        return engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=propose, at=at)), 60)

    instants = ("2026-11-01T07:00:00Z", AT)
    entries = ("signal_entry_long", "signal_entry_short")
    for seed in range(301, 400):  # in 300 there is nothing to decide
        if all((decided(seed, at, propose=False).result or {}).get("final_action") in entries for at in instants):
            refused = engine.trading.proposal_of(decided(seed, instants[0], propose=True).run_id)
            assert refused is not None
            refused = engine.trading.reject(refused.id, "op-1", "too late")
            waits = engine.trading.proposal_of(decided(seed, instants[1], propose=True).run_id)
            assert waits is not None
            return refused, waits
    pytest.fail("no market with something to decide twice")


@pytest.mark.full
@pytest.mark.usefixtures("_midday")
def test_what_a_refusal_would_have_come_to_is_told_when_the_next_signature_has_been_given(start: Start) -> None:
    """It is followed past the instant at which somebody has to sign in the same market now."""
    app = start("approvals")
    engine = shared_engine.get_engine()
    refused, waits = two_of_one_market(engine)
    assert engine.trading.shadow(refused.id) is not None
    app.run()
    app.run()
    assert not app.exception
    assert "too late" in page_of(app)
    assert "USDT Stop" not in page_of(app)
    assert "USDT Target" not in page_of(app)
    assert "refusals followed on paper" not in page_of(app)
    engine.trading.reject(waits.id, "op-1", "too large")
    app.run()
    app.run()
    assert "refusals followed on paper" in page_of(app)
