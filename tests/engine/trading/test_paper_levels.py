"""Levels of a paper position that are changed while it is held: one write, and nothing of before the change reaches them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.ledger import LedgerEntry
from engine.domain.market.candles import Candle
from engine.domain.orders import Order
from engine.instruments.contract_fills import entries_of_candle
from engine.trading.book import Book
from engine.trading.levels import entry_of_levels
from engine.trading.protocol import MarketPath
from tests.engine.trading.test_paper_book import START, SYMBOL, TERMS, book, candle, enter, put

D = Decimal
MINUTE = timedelta(minutes=1)


def levels(number: int = 1, side: str = "sell", **given_: Decimal) -> Order:
    fields = {"client_id": f"tb-levels-{number:04}", "symbol": SYMBOL, "side": side, "amount": D(1), "reduce_only": True, "protects": True}
    return Order.model_validate({**fields, **given_})


def path(price: str, at: datetime, forming: Candle | None = None) -> MarketPath:
    return MarketPath(None, forming, D(price), at)


def changed(made: Book, order: Order, price: str, at: datetime, forming: Candle | None = None) -> LedgerEntry:
    entry = entry_of_levels(made, order, path(price, at, forming))
    made.apply(entry)
    return entry


def long(**given_: object) -> Book:
    """Long 1 from 100.1, stop 98, target 106."""
    made = book()
    enter(made, **given_)
    return made


def test_a_change_is_one_entry_and_moves_no_money() -> None:
    made = long()
    before = (made.cash, made.equity)
    entry = changed(made, levels(stop=D(99)), "101", START + MINUTE)
    held = made.held[SYMBOL]
    assert (held.stop, held.target) == (D(99), D(106)), "what is not named stays"
    assert (made.cash, made.equity) == before
    report = made.reports[entry.client_id or ""]
    assert (report.state, report.filled, report.protected) == ("filled", 0, True)
    assert made.ordered == [START], "it is no order that trades"


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (levels(stop=D(101)), "beyond its stop 101"),
        (levels(stop=D(102)), "beyond its stop 102"),
        (levels(target=D(101)), "beyond its target 101"),
        (levels(side="buy", stop=D(99)), "no position to protect"),
    ],
)
def test_levels_that_the_price_is_beyond_change_nothing(order: Order, why: str) -> None:
    made = long()
    entry = changed(made, order, "101", START + MINUTE)
    assert (entry.kind, made.reports[order.client_id].state) == ("refused", "refused")
    assert why in (entry.why or "")
    assert (made.held[SYMBOL].stop, made.held[SYMBOL].target) == (D(98), D(106))
    assert changed(book(), order, "101", START).kind == "refused"


def test_what_the_candle_did_before_does_not_reach_a_stop_that_is_set_in_it() -> None:
    """The low of 98.5 was there when the stop went to 99; a new low is another thing."""
    made = long()
    so_far = candle(10, 100, 101.2, 98.5, 101)
    changed(made, levels(stop=D(99)), "101", START + timedelta(minutes=10, seconds=30), so_far)
    assert put(made, entries_of_candle(made, SYMBOL, candle(10, 100, 101.5, 98.5, 100.8), TERMS)) == []
    (stopped,) = put(made, entries_of_candle(made, SYMBOL, candle(10, 100, 101.5, 98.4, 100.8), TERMS))
    assert (stopped.reason, stopped.price) == ("stop", D("98.9"))  # 99, worse by the slippage, in steps; never at the open of before


def test_a_close_beyond_the_new_stop_and_the_next_candle_count() -> None:
    made, at = long(), START + timedelta(minutes=10, seconds=30)
    changed(made, levels(stop=D(99)), "101", at, candle(10, 100, 101.2, 98.5, 101))
    closes = made.copy()
    assert [each.reason for each in put(closes, entries_of_candle(closes, SYMBOL, candle(10, 100, 101.5, 98.5, 98.9), TERMS))] == ["stop"]
    (stopped,) = put(made, entries_of_candle(made, SYMBOL, candle(11, 98.7, 99.5, 98.6, 99.2), TERMS))
    assert stopped.price == D("98.6")  # it opened beyond the stop


def test_a_target_that_is_brought_nearer_is_not_reached_by_the_high_of_before() -> None:
    made, at = long(), START + timedelta(minutes=10, seconds=30)
    changed(made, levels(target=D(102)), "101", at, candle(10, 100, 103, 99.5, 101))
    assert put(made, entries_of_candle(made, SYMBOL, candle(10, 100, 103, 99.5, 101), TERMS)) == []
    (filled,) = put(made, entries_of_candle(made, SYMBOL, candle(10, 100, 103.1, 99.5, 101), TERMS))
    assert (filled.reason, filled.price) == ("target", D("101.9"))


def test_where_the_candle_is_not_known_the_stop_of_before_counts_for_it() -> None:
    made = long()
    changed(made, levels(stop=D(99)), "101", START + timedelta(minutes=10, seconds=30))
    assert put(made, entries_of_candle(made, SYMBOL, candle(10, 100, 101.5, 98.1, 100.8), TERMS)) == []
    assert [each.reason for each in put(made, entries_of_candle(made, SYMBOL, candle(10, 100, 101.5, 98, 100.8), TERMS))] == ["stop"]


@given(st.sampled_from([1, -1]), st.floats(95, 105), st.floats(0, 4), st.floats(0, 4), st.floats(0, 3), st.floats(0, 3), st.floats(90, 110))
def test_only_what_came_after_the_change_ends_a_position(
    sign: int, price: float, down: float, up: float, lower: float, higher: float, stop: float
) -> None:
    """A reference that knows the way: the candle of before, then the change, then an extreme of after."""
    made = book()
    enter(made, at=START, stop=None, target=None, leverage=1) if sign > 0 else put(
        made,
        [LedgerEntry(kind="fill", at=START, symbol=SYMBOL, side="sell", amount=D(1), price=D(100), leverage=1, reason="order")],
    )
    low, high = price - down, price + up
    level = D(f"{stop:.1f}")
    so_far = candle(10, price, high, low, price)
    order = levels(side="sell" if sign > 0 else "buy", stop=level)
    entry = changed(made, order, f"{price}", START + timedelta(minutes=10, seconds=1), so_far)
    if entry.kind == "refused":
        assert (price - float(level)) * sign <= 0
        return
    whole = candle(10, price, high + higher, low - lower, price)
    ended = bool(put(made, entries_of_candle(made, SYMBOL, whole, TERMS)))
    after = (low - lower) if sign > 0 else (high + higher)
    moved = D(str(after)) < D(str(low)) if sign > 0 else D(str(after)) > D(str(high))
    assert ended == (moved and (D(str(after)) - level) * sign <= 0)


def test_the_instant_of_a_change_is_kept_in_the_ledger() -> None:
    made = long()
    entry = changed(made, levels(stop=D(99)), "101", START + MINUTE, candle(1, 100, 101, 99.5, 101))
    again = Book()
    for each in (*[LedgerEntry(kind="deposit", at=START, cash=D(10_000))],):
        again.apply(each)
    enter(again)
    again.apply(LedgerEntry.model_validate_json(entry.model_dump_json()))
    assert again.held == made.held
    assert made.held[SYMBOL].moved is not None
    assert made.held[SYMBOL].moved.at.tzinfo is UTC or made.held[SYMBOL].moved.at.utcoffset() == timedelta(0)
