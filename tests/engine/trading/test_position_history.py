"""Positions out of a ledger, and where they come out even: worked out by hand, and against the account that the ledger makes."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.ledger import LedgerEntry
from engine.instruments.contract_fills import entries_of_candle, entries_of_order
from engine.trading.history.position_history import PositionHistory, break_even
from tests.engine.trading.test_paper_book import START, SYMBOL, TERMS, book, candle, enter, order, put

D = Decimal


def history(entries: list[LedgerEntry]) -> PositionHistory:
    made = PositionHistory("paper:x")
    made.take(entries)
    return made


def test_a_position_that_was_enlarged_reduced_paid_funding_and_was_stopped() -> None:
    made = book()
    entries = enter(made)  # 1 at 100.1, fee 0.05005, stop 98: 2.1 at risk
    entries += put(made, entries_of_order(made, order(5, amount="1"), D("102"), TERMS, START + timedelta(minutes=1)))  # at 102.1
    entries += put(made, [LedgerEntry(kind="funding", at=START + timedelta(minutes=2), symbol=SYMBOL, cash=D("-0.4"))])
    entries += put(made, entries_of_order(made, order(6, "sell", "0.5", reduce_only=True), D(104), TERMS, START + timedelta(minutes=3)))
    (open_,) = history(entries).records()
    assert (open_.size, open_.entry_price, open_.closed_size, open_.exit_price) == (D(2), D("101.1"), D("0.5"), D("103.9"))
    assert (open_.risk, open_.closed_at, open_.result) == (D("2.1"), None, None)
    fees = D("0.05005") + D("102.1") * D("0.0005") + D("0.5") * D("103.9") * D("0.0005")
    assert (open_.fees, open_.funding) == (fees, D("-0.4"))
    assert open_.cash == D("0.5") * (D("103.9") - D("101.1")) - fees - D("0.4")
    entries += put(made, entries_of_candle(made, SYMBOL, candle(9, 100, 100, 97.5, 97.8), TERMS))
    (closed,) = history(entries).records()
    assert (closed.ended, closed.closed_by, closed.closed_size) == ("stop", None, D(2))
    assert closed.result == made.cash - 10_000, "all there was to the account"
    assert closed.in_r(closed.result) == pytest.approx(float(closed.result or 0) / 2.1)


@given(
    st.sampled_from(["buy", "sell"]),
    st.decimals(min_value=50, max_value=150, places=1),
    st.decimals(min_value="0.1", max_value=5, places=2),
    st.decimals(min_value=-3, max_value=3, places=2),
)
def test_at_break_even_the_account_is_where_it_began(side: str, price: Decimal, amount: Decimal, funding: Decimal) -> None:
    """Closed there, it has lost nothing and won less than a step of the price and its fee."""
    made = book("100000")
    fill = order(1, side, str(amount), leverage=2)
    entries = put(made, entries_of_order(made, fill, price, TERMS, START))
    entries += put(made, [LedgerEntry(kind="funding", at=START + timedelta(minutes=1), symbol=SYMBOL, cash=funding)])
    (record,) = history(entries).records()
    position = made.position(SYMBOL, TERMS)
    assert position is not None
    even = break_even(position, record, TERMS)
    if even is None:
        return
    fee = amount * even * TERMS.taker_fee
    won = made.cash + position.sign * amount * (even - position.entry_price) - fee - 100_000
    assert 0 <= won <= amount * TERMS.price_step * 2


def test_a_split_makes_other_shares_and_no_money() -> None:
    known = PositionHistory("paper:x")
    shares = {"at": START, "symbol": "AAPL", "instrument": "shares"}
    known.take([LedgerEntry(kind="fill", side="buy", amount=D(10), price=D(100), fee=D(1), cash=D(-1001), stop=D(90), **shares)])
    known.take([LedgerEntry(kind="split", amount=D(40), ratio=D(4), price=D(25), **shares)])
    known.take([LedgerEntry(kind="dividend", price=D("0.5"), cash=D(20), **shares)])
    (held,) = known.records()
    assert (held.size, held.entry_price, held.first_stop, held.risk, held.dividends) == (D(40), D(25), D("22.5"), D(100), D(20))
    assert held.booked(D(40), D(25)) == D(19)  # dividends less the fee
    known.take([LedgerEntry(kind="fill", side="sell", amount=D(40), price=D(26), fee=D(1), cash=D(1039), reason="target", **shares)])
    (sold,) = known.records()
    assert (sold.ended, sold.result) == ("target", D(58))
