"""The price beside a signature: never called that of now for longer than it may be, and the money of a line as the engine works it out."""

import time
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from engine.api import Preview
from engine.approvals.approval_service import ApprovalService
from engine.domain.errors import MarketError
from engine.domain.holding import Holding
from engine.domain.proposal import OrderPlan, Proposal
from engine.trading.figures import plan_figures
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.trading.edit_form import Draft
from pages.trading.live_price import live_content, live_rows, money_terms, next_lock, price_sentence, signed_now
from pages.trading.previews import AS_IT_IS
from pages.trading.proposal_state import PreviewState, PriceSeen
from tests.pages.proposals import PLAN, START, made_proposal, seen_at
from tests.pages.reader import Reader
from tests.pages.started import Start, keyed, page_of
from tests.pages.trading.test_verdict_bar import moving


def said(proposal: Proposal, state: PreviewState, language: Any = "en") -> str:
    return " ".join(" ".join(Reader(live_rows(proposal, state, Show(language))).words).split())


def seen(price: float, age_s: float = 0.4, **more: Any) -> PreviewState:
    return PreviewState(seen_at(price), price=PriceSeen(price, age_s), **more)


def test_price_drift_way_to_the_lock_and_what_signing_now_is_worth() -> None:
    # a short of 0.192 from 78,050.7, drift limit half of 93.5: locks at 78,003.95 below and 78,097.45 above, stop 78,200
    assert (
        said(made_proposal(), seen(78_034.2))
        == "drift −16.5 · 0.18 of 0.50 ATR to the lock −30.2 Price 78,034.2 live signed now −3.17 USDT"
    )
    assert "signed now +3.90 USDT" in said(made_proposal(), seen(78_071.0))
    assert "to the lock +26.4" in said(made_proposal(), seen(78_071.0))


@pytest.mark.parametrize(("age", "words"), [(4.9, "live"), (5.1, "5 s old")])
def test_an_old_price_says_its_age_and_offers_nothing(age: float, words: str) -> None:
    told = said(made_proposal(), seen(78_034.2, age))
    assert f"78,034.2 {words}" in told
    assert ("signed now" in told) == (words == "live")


def test_nothing_is_signed_without_a_price_of_now_and_no_other_is_called_that() -> None:
    proposal, edited = made_proposal(), made_proposal(plan=PLAN.model_copy(update={"stop": Decimal("78190.0")}))

    def signable(state: PreviewState) -> bool:
        return Draft(AS_IT_IS, PLAN, state).can_be_signed(proposal)

    def sentence(state: PreviewState, of: Proposal = proposal, plan: OrderPlan = PLAN) -> str:
        return price_sentence(of, plan, state, 78_034.2, Show())

    waits = " Approve waits for the price of now."
    assert (signable(seen(78_034.2)), sentence(seen(78_034.2))) == (True, "All of it at 78,034.2, the price of now.")
    unseen = PreviewState()
    assert (signable(unseen), sentence(unseen)) == (False, "All of it at 78,034.2, the price when it was decided." + waits)
    assert sentence(unseen, edited) == "All of it at 78,034.2, the price when it was changed." + waits
    old = seen(78_034.2, 12.0)
    assert (signable(old), sentence(old)) == (False, "All of it at 78,034.2, a price that is 12\u2009s old." + waits)
    past = PreviewState(seen_at(78_034.2), price=PriceSeen(78_034.2, 0.1, START))
    assert (signable(past), sentence(past)) == (True, "All of it at 78,034.2, the price of 05-17 09:00 UTC.")
    limit = PLAN.model_copy(update={"limit": Decimal("78034.2")})
    assert sentence(seen(78_034.2), plan=limit) == "All of it at the limit price, 78,034.2."
    for gone in (PreviewState(trouble="no feed"), seen(78_034.2, halted=True), seen(78_210.0)):
        assert not signable(gone)


def test_what_was_never_seen_and_what_does_not_move_is_no_price_of_now() -> None:
    assert said(made_proposal(), PreviewState()) == "drift — Price —"
    past = PreviewState(seen_at(78_034.2), price=PriceSeen(78_034.2, 0.1, START))
    assert "78,034.2 of 05-17 09:00 UTC" in said(made_proposal(), past)
    assert "signed now" not in said(made_proposal(), past)
    assert live_content(made_proposal(), PLAN, past, Show())["moves"] is False
    assert live_content(made_proposal(), PLAN, PreviewState(), Show())["moves"] is False
    gone = PreviewState(None, "no feed", price=PriceSeen(78_034.2, 42.0))
    assert "78,034.2 42 s old" in said(made_proposal(), gone)
    assert live_content(made_proposal(), PLAN, gone, Show())["age_s"] == 42.0, "the browser counts on from there"


def test_what_takes_risk_away_counts_from_its_entry_and_has_no_lock_by_price() -> None:
    held = Holding(side="long", entry_price=77_000.0, size=0.5, opened_at=START)
    plan = OrderPlan(side="sell", amount=Decimal("0.2"), reduce_only=True)
    proposal = made_proposal(plan=plan, machine=plan, basis_holding=held)
    assert signed_now(proposal, 78_000.0) == Decimal("200.0")
    assert next_lock(proposal, seen_at(78_000.0, plan=plan)) is None
    assert "closed now +200.00 USDT" in said(proposal, seen(78_000.0))
    limited = made_proposal(plan=PLAN.model_copy(update={"limit": Decimal(78_000)}))
    assert signed_now(limited, 78_034.2) is None, "it is not filled at the price of now"


def money_at(terms: Any, stop: float, target: float) -> tuple[float | None, float | None, float | None]:
    """As assets/chart/live.js has it."""
    on = SimpleNamespace(**terms)
    funding = on.wander * (target - on.price) ** 2
    loses, wins = (on.price - stop) * on.sign > 0, (target - on.price) * on.sign > 0

    def lost(of: float, since: float) -> float:
        return float(of * ((since - stop) * on.sign + on.out * stop) + on.paid + max(funding, 0))

    def gained(of: float, since: float) -> float:
        return float(of * ((target - since) * on.sign - on.out * target) - on.paid - funding)

    ratio = gained(on.added, on.since) / lost(on.added, on.since) if loses and wins and lost(on.added, on.since) > 0 else None
    return lost(on.size, on.entry) if loses else None, gained(on.size, on.entry) if wins else None, ratio


@given(
    side=st.sampled_from(["buy", "sell"]),
    rate=st.floats(-0.002, 0.002),
    stop=st.integers(770_000, 790_000),
    target=st.integers(770_000, 790_000),
    drafted=st.integers(775_000, 785_000),
    is_held=st.booleans(),
)
def test_the_money_at_a_dragged_line_is_the_engines(side: Any, rate: float, stop: int, target: int, drafted: int, is_held: bool) -> None:
    held = Holding(side="long" if side == "buy" else "short", entry_price=77_900.0, size=0.5, opened_at=START) if is_held else None
    drawn = PLAN.model_copy(update={"side": side, "target": Decimal(drafted) / 10})
    proposal = made_proposal(plan=drawn, basis_funding_rate=rate, basis_holding=held)
    terms = money_terms(proposal, drawn, plan_figures(drawn, proposal.basis, 78_050.7))
    dragged = drawn.model_copy(update={"stop": Decimal(stop) / 10, "target": Decimal(target) / 10})
    exact = plan_figures(dragged, proposal.basis, 78_050.7)
    loss, gain, ratio = money_at(terms, stop / 10, target / 10)
    for mine, engines in ((loss, exact.loss_at_stop), (gain, exact.gain_at_target), (ratio, exact.reward_risk_net)):
        assert (mine is None) == (engines is None)
        if abs(drafted - 780_507) > 300:  # a target close to the price tells little of the way to another
            assert mine is None or float(engines or 0) == pytest.approx(mine, rel=1e-3, abs=0.1), "within a step of the market"


def of_levels(**changed: Any) -> Proposal:
    """A change of the levels of a long of 0.5 from 77,000, proposed at 78,050.7."""
    held = Holding(side="long", entry_price=77_000.0, size=0.5, opened_at=START)
    plan = OrderPlan(side="buy", amount=Decimal("0.5"), stop=Decimal(77_500), target=Decimal(80_000), protects=True)
    return made_proposal(plan=plan, machine=plan, basis_holding=held, **changed)


def test_a_change_of_levels_trades_nothing_and_only_its_levels_lock_it() -> None:
    proposal = of_levels()
    assert signed_now(proposal, 78_500.0) is None
    words = said(proposal, seen_of(proposal, 78_500.0))
    assert "signed now" not in words
    assert "drift" not in words, "it locks no change of levels"
    assert "to the lock −1,000.0" in words, "its stop, not the drift limit of its entry"
    assert next_lock(proposal, seen_at(77_400.0, plan=proposal.plan)) is None, "it is locked by its stop already"
    assert next_lock(of_levels(basis_atr=None), seen_at(78_500.0, plan=proposal.plan)) == 77_500.0, "no ATR is needed for it"


def seen_of(proposal: Proposal, price: float) -> PreviewState:
    return PreviewState(seen_at(price, plan=proposal.plan), price=PriceSeen(price, 0.4))


@pytest.mark.full
def test_on_the_desk_a_feed_that_fails_is_said_beside_the_age_of_its_last_price(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app, now = start(), time.monotonic()
    engine = shared_engine.get_engine()
    proposal = moving(engine)
    monkeypatch.setattr(engine.trading._polling, "_clock", lambda: now)
    app.query_params["run"] = proposal.basis.run_id
    app.run().run()
    assert '<span class="age">live</span>' in page_of(app)
    assert approve_button(app).disabled is False

    async def fails(*_: Any) -> Preview:
        raise MarketError("the venue does not answer")

    monkeypatch.setattr(ApprovalService, "preview", fails)
    now += 30.0
    app.run()
    assert not app.exception
    assert "The market cannot be looked at: the venue does not answer" in page_of(app)
    assert ">30\u2009s old<" in page_of(app)
    assert "signed now" not in page_of(app)
    assert approve_button(app).disabled is True


def approve_button(app: AppTest) -> Any:
    return keyed(app, "approve-")
