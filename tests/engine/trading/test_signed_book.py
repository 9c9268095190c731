"""What an account comes to once an order is signed: golden values, worked out by hand."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from engine.domain.market.terms import MarketTerms
from engine.domain.orders import AccountView, Position
from engine.domain.proposal import Figures, OrderPlan
from engine.trading.signed_book import signed_book, stopped_result

D = Decimal
AT = datetime(2026, 5, 17, 9, tzinfo=UTC)
TERMS = MarketTerms(
    price_step=D("0.1"), amount_step=D("0.001"), min_amount=D("0.001"), min_cost=D(5), taker_fee=D("0.001"), maker_fee=D("0.001"),
    maintenance_margin=D("0.005"), max_leverage=20,
)  # fmt: skip


def position(symbol: str, **changed: Any) -> Position:
    """Long 2 from 100 at 4x, stopped at 90."""
    given: dict[str, Any] = {
        "side": "long",
        "size": D(2),
        "entry_price": D(100),
        "leverage": 4.0,
        "opened_at": AT,
        "stop": D(90),
        **changed,
    }
    return Position(symbol=symbol, **given)


def figures(**changed: Any) -> Figures:
    given = {"price": D(50), "notional": D(500), "margin": D(100), "fees": D(1), "slippage": D(0), "funding": D(0), "loss_at_stop": D(60)}
    return Figures(**{**given, **changed})


ACCOUNT = AccountView(
    account="paper:x",
    broker="paper",
    equity=1_000.0,
    margins={"A/USDT": 50.0, "B/USDT": 50.0},
    notionals={"A/USDT": 220.0, "B/USDT": 210.0},
)
HELD = [position("A/USDT"), position("B/USDT", stop=D(95))]
KNOWN = {"A/USDT": TERMS, "B/USDT": TERMS}
A_STOPPED = D(2) * (D("89.9") - 100) - D(2) * D("89.9") * D("0.001")
"""Sold a step below its stop, at 89.9: 0.02 % of slippage is less than a step."""
B_STOPPED = D(2) * (D("94.9") - 100) - D(2) * D("94.9") * D("0.001")


def test_an_entry_adds_its_margin_its_notional_and_what_it_may_lose() -> None:
    plan = OrderPlan(side="buy", amount=D(10), stop=D(45), target=D(70), leverage=5)
    book = signed_book(HELD, KNOWN, ACCOUNT, "C/USDT", plan, figures())
    assert (book.now.open_positions, book.after.open_positions) == (2, 3)
    assert (book.now.total.margin, book.after.total.margin) == (D(100), D(200))
    assert (book.now.total.notional, book.after.total.notional) == (D(430), D(930))
    assert book.now.total.at_stop == pytest.approx(A_STOPPED + B_STOPPED)
    assert book.after.total.at_stop == pytest.approx(A_STOPPED + B_STOPPED - 60)
    assert book.equity == D(1000)


def test_what_enlarges_a_position_is_measured_with_all_of_it() -> None:
    plan = OrderPlan(side="buy", amount=D(1), stop=D(90), target=D(140), leverage=4)
    book = signed_book(HELD, KNOWN, ACCOUNT, "A/USDT", plan, figures(notional=D(110), margin=D("27.5"), loss_at_stop=D(42)))
    assert book.after.open_positions == 2
    assert book.after.total.margin == D("127.5")
    assert book.after.total.at_stop == pytest.approx(B_STOPPED - 42), "its old loss is in the new one"


@pytest.mark.parametrize(("amount", "count", "share"), [(D("0.5"), 2, D("0.75")), (D(2), 1, D(0))])
def test_what_is_sold_takes_its_part_away(amount: Decimal, count: int, share: Decimal) -> None:
    plan = OrderPlan(side="sell", amount=amount, reduce_only=True)
    book = signed_book(HELD, KNOWN, ACCOUNT, "A/USDT", plan, figures(loss_at_stop=None))
    assert book.after.open_positions == count
    assert book.after.total.margin == 50 + 50 * share
    assert book.after.total.at_stop == pytest.approx(A_STOPPED * share + B_STOPPED)


def test_another_stop_changes_only_what_is_lost_at_it() -> None:
    plan = OrderPlan(side="buy", amount=D(2), stop=D(101), target=None, protects=True)
    book = signed_book(HELD, KNOWN, ACCOUNT, "A/USDT", plan, figures(loss_at_stop=D("-1.5"), margin=D(0)))
    assert book.after.total.margin == book.now.total.margin
    assert book.after.total.at_stop == pytest.approx(B_STOPPED + D("1.5"))


def test_a_position_without_a_stop_or_of_unknown_terms_is_named_and_not_counted_as_safe() -> None:
    bare = [position("A/USDT", stop=None), position("B/USDT", stop=D(95))]
    plan = OrderPlan(side="buy", amount=D(10), stop=D(45), target=D(70), leverage=5)
    assert signed_book(bare, KNOWN, ACCOUNT, "C/USDT", plan, figures()).after.unstopped == ("A/USDT",)
    assert signed_book(HELD, {"A/USDT": TERMS}, ACCOUNT, "C/USDT", plan, figures()).after.unstopped == ("B/USDT",)
    assert stopped_result(position("A/USDT", stop=D(105)), 100.0, TERMS) is None, "on the wrong side of the price"
