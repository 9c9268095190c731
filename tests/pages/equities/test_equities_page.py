"""The page of the equities desk over a real run: what was filed is signed or rejected there, and looked back at."""

from datetime import date

import pytest

from engine.domain.proposal import Proposal
from pages.frame import shared_engine
from tests.pages.started import Start, keyed, page_of


def filed_shares() -> Proposal:
    """A proposal for shares that waits."""
    engine = shared_engine.get_engine()
    for symbol in ("AAPL", "MSFT", "JPM", "XOM", "AMZN"):
        request = engine.equities.request(symbol, trade_date=date(2026, 11, 20), session="post_close", propose=True)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no company with something to decide")


@pytest.mark.parametrize(("press", "state"), [("approve-", ("filled", "sent", "approved")), ("open-rejects-", ("pending",))])
def test_an_order_for_shares_is_answered_on_the_page(start: Start, press: str, state: tuple[str, ...]) -> None:
    app = start()
    proposal = filed_shares()
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    assert not app.exception
    shown = page_of(app)
    for words in ("Research debate, checked", "Risk debate, checked", "Account and the largest order", proposal.basis.symbol):
        assert words in shown
    assert "cannot be shown" not in shown
    keyed(app, press).click().run()
    assert not app.exception
    answered = shared_engine.get_engine().trading.proposal(proposal.id)
    assert answered.state in state


def test_a_past_moment_of_a_run_has_no_signature(start: Start) -> None:
    app = start()
    run_id = filed_shares().basis.run_id
    app.query_params["run"] = run_id
    app.run()
    count = len(shared_engine.get_engine().events(run_id))
    app.button(key=f"moment-{run_id}-{count}-back").click().run()
    assert not app.exception
    assert "tb-moment" in page_of(app)
    assert [button for button in app.button if str(button.key).startswith("approve-")] == []


@pytest.mark.parametrize(("language", "bought"), [("en", "Trader"), ("zh", "交易员")])
def test_what_was_argued_stands_beside_the_order_in_the_queue(start: Start, language: str, bought: str) -> None:
    app = start(TRIBUNAL_LANGUAGE=language)
    proposal = filed_shares()
    app = app.switch_page("views/approvals.py").run()
    assert not app.exception
    shown = page_of(app)
    assert 'class="tb tb-brief"' in shown
    assert bought in shown
    assert proposal.basis.symbol in shown
    drawn = [each for each in app.get("bidi_component") if "plan-chart" in str(each.proto)]
    assert drawn, "the company's chart, with the plan"
