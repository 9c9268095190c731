"""What a page says of a run and of its signature is true of the moment it shows: looked back at, run out of time, decided again, saved."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.proposal import Proposal, Signature
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from pages.desks.decision.decision_view import DECISION
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.trading.answered import signature_panel
from tests.pages.events import RUNS
from tests.pages.proposals import START, made_proposal
from tests.pages.reader import Reader
from tests.pages.saved import run_document
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


@pytest.mark.parametrize(("state", "language"), [("pending", "en"), ("rejected", "en"), ("rejected", "zh"), ("filled", "en")])
def test_the_saved_page_says_what_became_of_it_with_its_money(state: str, language: str) -> None:
    view = DECISION.reduce(RUNS["entry"]())
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
