"""The paper account: money adds up, no loss exceeds the margin; fills and changed levels, computed by hand."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.ledger import LedgerEntry
from engine.domain.market.candles import Candle
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Order, Outcome
from engine.instruments.contract_fills import entries_of_candle, entries_of_order, entry_of_funding
from engine.trading.book import Book
from engine.trading.levels import entry_of_levels
from engine.trading.protocol import MarketPath

D = Decimal
START = datetime(2026, 3, 1, tzinfo=UTC)
TERMS = MarketTerms(
    price_step=D("0.1"), amount_step=D("0.01"), min_amount=D("0.01"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
)
SYMBOL = "BTC/USDT:USDT"


def order(number: int, side: str = "buy", amount: str = "1", **more: object) -> Order:
    return Order.model_validate({"client_id": f"tb-test-{number:04}", "symbol": SYMBOL, "side": side, "amount": D(amount), **more})


def candle(place: int, opened: float, high: float, low: float, close: float) -> Candle:
    return Candle(int((START + timedelta(minutes=place)).timestamp() * 1000), opened, high, low, close, 1.0)


def book(cash: str = "10000") -> Book:
    made = Book()
    made.apply(LedgerEntry(kind="deposit", at=START, cash=D(cash)))
    return made


def put(made: Book, entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """Apply entries one by one. What a market does to a position never costs more than its margin; slippage is a thousandth at most."""
    done = []
    for entry in entries:
        held, cost = made.held.get(entry.symbol), made.cash
        made.apply(entry)
        done.append(entry)
        after = made.held.get(entry.symbol)
        assert held is None or after is None or held.sign == after.sign  # never turned round
        if held is not None and entry.reason in {"stop", "target", "liquidation"}:
            assert cost - made.cash <= held.margin + entry.fee + abs(held.size) * held.entry / 1000
    return done


def enter(made: Book, price: str = "100", at: datetime = START, **more: object) -> list[LedgerEntry]:
    given_ = {"leverage": 5, "stop": D(98), "target": D(106), **more}
    return put(made, entries_of_order(made, order(len(made.reports), **given_), D(price), TERMS, at))


def test_a_market_order_pays_slippage_and_the_takers_fee() -> None:
    made = book()
    (fill,) = enter(made)
    assert fill.price == D("100.1")  # 100 * 1.0002 = 100.02, up to the next step of 0.1
    assert fill.fee == D("0.05005")
    assert made.cash == D("10000") - D("0.05005")
    assert made.held[SYMBOL].margin == D("20.02")


@pytest.mark.parametrize(
    ("bar", "price", "reason"),
    [
        ((100, 107, 99, 105), "105.9", "target"),  # 106 * 0.9998 = 105.9788, down to the next step
        ((100, 106, 99, 105), None, None),  # a touch is not a fill
        ((100, 101, 98, 99), "97.9", "stop"),  # 98 * 0.9998 = 97.9804, down to the next step
        ((100, 110, 97, 108), "97.9", "stop"),  # both in one candle: the stop was first
        ((97, 99, 96, 98), "96.9", "stop"),  # opened beyond it: at the open, 97 * 0.9998 = 96.9806
        ((70, 75, 60, 72), "80.08", "liquidation"),  # 100.1 * (1 - 1/5): the margin, and nothing more
    ],
)
def test_how_a_candle_ends_a_long(bar: tuple[float, ...], price: str | None, reason: str | None) -> None:
    made = book()
    enter(made)
    put(made, entries_of_candle(made, SYMBOL, candle(1, *bar), TERMS))
    if price is None:
        assert SYMBOL in made.held
        return
    assert SYMBOL not in made.held
    assert made.trades[-1].result == D(price) - D("100.1")
    fee = D(0) if reason == "liquidation" else D("0.0005") * D(price)
    assert made.cash == D("10000") - D("0.05005") + D(price) - D("100.1") - fee


def test_the_candle_of_the_entry_counts_for_the_stop_and_not_for_the_target() -> None:
    inside = START + timedelta(seconds=30)
    made = book()
    enter(made, at=inside)
    put(made, entries_of_candle(made, SYMBOL, candle(0, 100, 110, 99, 105), TERMS))
    assert SYMBOL in made.held
    put(made, entries_of_candle(made, SYMBOL, candle(0, 100, 110, 97.5, 105), TERMS))
    assert SYMBOL not in made.held
    assert made.trades[-1].result == D("97.9") - D("100.1")


def test_a_limit_order_waits_until_it_is_traded_through() -> None:
    made = book()
    put(made, entries_of_order(made, order(1, limit=D(95), leverage=5, stop=D(90), target=D(105)), D(100), TERMS, START))
    assert made.reports["tb-test-0001"].state == "open"
    put(made, entries_of_candle(made, SYMBOL, candle(1, 100, 101, 95, 100), TERMS))
    assert SYMBOL not in made.held
    put(made, entries_of_candle(made, SYMBOL, candle(2, 100, 108, 94, 100), TERMS))
    assert made.held[SYMBOL].entry == D(95)  # filled at its own price, and the target of that candle may have come before
    assert made.reports["tb-test-0001"].fee == D("0.019")


def test_a_short_is_the_mirror() -> None:
    made = book()
    put(made, entries_of_order(made, order(1, "sell", leverage=5, stop=D(102), target=D(94)), D(100), TERMS, START))
    assert made.held[SYMBOL].entry == D("99.9")
    put(made, entries_of_candle(made, SYMBOL, candle(1, 100, 103, 99, 101), TERMS))
    assert made.trades[-1].result == D("99.9") - D("102.1")  # 102 * 1.0002, up to the next step


def test_funding_is_paid_by_the_side_the_rate_says() -> None:
    made = book()
    enter(made)
    eight = int((START + timedelta(hours=8)).timestamp() * 1000)
    paid = entry_of_funding(made, SYMBOL, eight, 0.0001, D(110))
    assert paid is not None
    assert paid.cash == D("-0.011")
    assert entry_of_funding(made, SYMBOL, int(START.timestamp() * 1000), 0.0001, D(110)) is None  # it was not held yet
    assert entry_of_funding(made, "ETH/USDT:USDT", eight, 0.0001, D(110)) is None


def test_what_an_order_has_come_to() -> None:
    made = book()
    enter(made)
    eight = int((START + timedelta(hours=8)).timestamp() * 1000)
    paid = entry_of_funding(made, SYMBOL, eight, 0.0001, D(110))
    assert paid is not None
    mark = LedgerEntry(kind="mark", at=START, symbol=SYMBOL, marked_ms=eight, price=D(103))
    put(made, [paid, mark])
    entry, reduction = "tb-test-0000", "tb-test-0009"
    assert made.outcome(entry) == Outcome(result=D("103") - D("100.1") - D("0.05005") - D("0.011"), ended=None)
    put(made, entries_of_order(made, order(9, "sell", "0.4", reduce_only=True), D(103), TERMS, START))
    taken = D("0.4") * (D("102.9") - D("100.1")) - D("0.4") * D("102.9") * D("0.0005")  # 103 * 0.9998, down to the next step
    assert made.outcome(reduction) == Outcome(result=taken, ended="order")
    put(made, entries_of_candle(made, SYMBOL, candle(500, 103, 107, 102, 105), TERMS))
    rest = D("0.6") * (D("105.9") - D("100.1")) - D("0.6") * D("105.9") * D("0.0005")  # the target is a market order too
    assert made.outcome(entry) == Outcome(result=taken + rest - D("0.05005") - D("0.011"), ended="target")
    assert made.outcome("tb-test-0001") is None


@pytest.mark.parametrize(
    ("given_", "price", "why"),
    [
        ({"reduce_only": True}, "100", "no position"),
        ({"amount": "0.01"}, "100", "smallest"),
        ({"amount": "1000", "leverage": 5}, "100", "margin"),
    ],
)
def test_what_the_account_refuses(given_: dict[str, object], price: str, why: str) -> None:
    made = book()
    put(made, entries_of_order(made, order(1, **given_), D(price), TERMS, START))
    report = made.reports["tb-test-0001"]
    assert report.state == "refused"
    assert why in str(report.why)
    assert made.cash == D(10000)
    assert not made.held


def test_a_position_is_never_turned_round_and_a_reduction_never_goes_beyond_it() -> None:
    made = book()
    enter(made)
    put(made, entries_of_order(made, order(7, "sell", "1"), D(100), TERMS, START))
    assert made.reports["tb-test-0007"].state == "refused"
    put(made, entries_of_order(made, order(8, "sell", "5", reduce_only=True), D(100), TERMS, START))
    assert made.reports["tb-test-0008"].filled == D(1)
    assert not made.held


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("order"),
            st.sampled_from(["buy", "sell"]),
            st.decimals("0.01", "60", places=2),
            st.integers(1, 20),
            st.booleans(),
            st.sampled_from([None, "0.97", "1.03"]),
        ),
        st.tuples(st.just("candle"), st.floats(0.6, 1.6), st.floats(0, 0.3), st.floats(0, 0.3), st.floats(0, 1)),
        st.tuples(st.just("funding"), st.floats(-0.01, 0.01)),
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=300, deadline=None)
@given(steps=steps)
def test_money_always_adds_up(steps: list[tuple[object, ...]]) -> None:
    made, price, place, entries = book(), D(100), 0, [LedgerEntry(kind="deposit", at=START, cash=D(10000))]
    closing: set[str] = set()
    for number, (kind, *rest) in enumerate(steps):
        at = START + timedelta(minutes=place)
        before = len(made.trades)
        if kind == "order":
            side, amount, leverage, reduces, limit = rest
            sign = 1 if side == "buy" else -1
            levels = {} if reduces else {"stop": price * (1 - sign * D("0.05")), "target": price * (1 + sign * D("0.08"))}
            wanted = price * D(str(limit)) if limit else None
            made_order = order(number, str(side), str(amount), leverage=leverage, reduce_only=reduces, limit=wanted, **levels)
            closing |= {made_order.client_id} if reduces else set()
            entries += put(made, entries_of_order(made, made_order, price, TERMS, at))
        elif kind == "candle":
            place += 1
            factor, up, down, where = (float(str(each)) for each in rest)
            opened = float(price)
            close = max(1.0, opened * factor)
            high, low = max(opened, close) * (1 + up), min(opened, close) * (1 - down)
            entries += put(made, entries_of_candle(made, SYMBOL, candle(place, opened, high, low, low + (high - low) * where), TERMS))
            price = D(str(round(close, 1)))
        elif (paid := entry_of_funding(made, SYMBOL, int(at.timestamp() * 1000), float(str(rest[0])), price)) is not None:
            entries += put(made, [paid])
        assert made.cash == made.deposits + made.realised - made.fees + made.funding
        brought = sum((each.result for client_id, each in made.outcomes.items() if client_id not in closing), D(0))
        assert brought == made.cash - made.deposits  # every coin has an order that it came from
        if SYMBOL not in made.held and kind == "candle" and len(made.trades) > before:
            assert not made.resting  # no orphan orders after a close
    again = Book()
    for entry in entries:
        again.apply(entry)
    assert again == made  # the account is nothing but the sum of its entries


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
