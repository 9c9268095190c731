"""The page of the equities desk over a real run: what was filed is signed there, and an analyst that failed is asked again."""

from datetime import date

import pytest

from engine.domain.proposal import Proposal
from engine.llm.protocol import ModelCall, Script
from pages.frame import shared_engine
from tests.flows.equities.played import VIEW, Says
from tests.pages.desks.equities.runs import say, silent, view_of
from tests.pages.started import Start, keyed, page_of

DAY = date(2024, 3, 5)


def first_silent() -> Says:
    """A role that has no words the first time it is asked, and a view from then on."""
    asked: list[str] = []

    def speak(call: ModelCall) -> Script:
        asked.append(call.where)
        return Script(VIEW if call.where.endswith("_again") else "")

    return speak


def filed_shares() -> Proposal:
    """A proposal for shares that waits."""
    engine = shared_engine.get_engine()
    for symbol in ("AAPL", "MSFT", "JPM", "XOM", "AMZN"):
        request = engine.equities.request(symbol, trade_date=date(2026, 11, 20), session="post_close", propose=True)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no company with something to decide")


def test_an_order_for_shares_is_answered_on_the_page(start: Start) -> None:
    app = start()
    proposal = filed_shares()
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    assert not app.exception
    shown = page_of(app)
    for words in ("Research debate, checked", "Risk debate, checked", "Account and the largest order", proposal.basis.symbol):
        assert words in shown
    assert "cannot be shown" not in shown
    app.run()  # with the price of now
    keyed(app, "approve-").click().run()
    assert not app.exception
    answered = shared_engine.get_engine().trading.proposal(proposal.id)
    assert answered.state in ("filled", "sent", "approved")


@pytest.mark.full
def test_an_analyst_that_failed_twice_is_asked_again_by_one_button(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    engine = shared_engine.get_engine()
    with monkeypatch.context() as patched:
        say(patched, market=silent, news=first_silent())
        record = engine.wait(engine.start(engine.equities.request("AAPL", trade_date=DAY, session="post_close")), 60)
    app.query_params["run"] = record.run_id
    app.run()
    assert {node.state for node in view_of(engine.events(record.run_id)).nodes.values() if node.name.startswith("news")} >= {"done"}
    retries = [(str(button.key), button.label) for button in app.button if str(button.key).startswith("retry-")]
    assert retries == [("retry-market", "Ask Market again")]
    app.button(key="retry-market").click().run()
    assert not app.exception
    again = engine.wait(str(app.query_params["run"]), 60)
    assert again.result is not None
    assert again.result["analysts"]["market"]["status"] == "done"
