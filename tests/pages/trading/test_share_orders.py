"""An order for shares in the form: its limit price, refused where it is no price of the market, and how accounts are called."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.domain.proposal import Proposal
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.trading.account_names import account_name
from tests.pages.started import Start, keyed, page_of


def filed(symbol: str) -> Proposal:
    """A proposal for shares that waits, at the price of its recording's last session."""
    engine = shared_engine.get_engine()
    request = engine.equities.request(symbol, trade_date=date(2026, 11, 20), session="post_close", propose=True)
    proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
    assert proposal is not None
    return proposal


def waiting() -> Proposal:
    """Such a proposal of whichever company there is something to decide about."""
    return next(found for symbol in ("AAPL", "MSFT", "JPM", "XOM", "AMZN") if (found := filed(symbol)).is_waiting)


def limit_of(app: AppTest) -> Any:
    return next(each for each in app.number_input if str(each.key).startswith("plan-limit-"))


@pytest.mark.full
def test_a_limit_price_is_set_on_the_page_and_signed(start: Start) -> None:
    app, off_step = start("equities"), "between two prices"
    proposal = waiting()
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    keyed(app, "open-edits-").click().run()
    assert not app.exception
    field = limit_of(app)
    assert field.value == (float(proposal.plan.limit) if proposal.plan.limit is not None else None)
    below = round(proposal.basis.price * 0.995, 2)
    field.set_value(below + 0.004).run()
    assert off_step in page_of(app)
    assert keyed(app, "approve-").disabled
    limit_of(app).set_value(below).run()
    app.run()
    assert off_step not in page_of(app)
    keyed(app, "approve-").click().run()
    assert not app.exception
    after = shared_engine.get_engine().trading.proposal(proposal.id)
    assert (after.state, after.plan.limit) == ("sent", Decimal(str(below))), "it rests below the price, for a day"


@pytest.mark.parametrize(
    ("account", "name"),
    [
        ("paper:simulated:302", "Paper · Simulated market 302"),
        ("paper.CNY:recorded:/home/somebody/equity", "Paper · Recorded market equity · CNY"),
        ("paper:live:None", "Paper · Live market"),
        ("exchange:binanceusdm:sandbox", "binanceusdm:sandbox"),
    ],
)
def test_an_account_is_called_by_what_it_is(account: str, name: str) -> None:
    assert account_name(account, Show()) == name
