"""Shares in the paper account: cash and positions add up to the cent, nothing unsellable is sold, splits change no value, and the rules of
a session, worked out by hand."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.brokers.paper.share_account import cash_account_of, drawdowns
from engine.domain.ledger import LedgerEntry
from engine.domain.market.candles import Candle
from engine.domain.market.share_terms import ShareFees, ShareTerms
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Order
from engine.instruments.contract_fills import entries_of_candle, entries_of_order
from engine.instruments.share_fills import entries_of_session, entries_of_share_order
from engine.trading.book import Book
from engine.trading.protocol import MarketPath, ShareSession

D = Decimal
CENT = D("0.01")
START = date(2026, 3, 2)
US = MarketTerms(
    price_step=D("0.01"), amount_step=D(1), min_amount=D(1), min_cost=D(0), taker_fee=D(0), maker_fee=D(0), max_leverage=1,
    shares=ShareTerms(currency="USD", fees=ShareFees(per_share=D("0.005"), least=D(1), on_sales=D("0.0000278"))),
)  # fmt: skip
CN = MarketTerms(
    price_step=D("0.01"), amount_step=D(100), min_amount=D(100), min_cost=D(0), taker_fee=D(0), maker_fee=D(0), max_leverage=1,
    shares=ShareTerms(
        currency="CNY", sessions_until_sellable=1, price_limit_pct=D(10),
        fees=ShareFees(commission=D("0.00025"), least=D(5), both_sides=D("0.00001"), on_sales=D("0.0005")),
    ),
)  # fmt: skip
CONTRACT = MarketTerms(
    price_step=D("0.1"), amount_step=D("0.01"), min_amount=D("0.01"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
)
COIN = "BTC/USDT:USDT"


def opens(day: int) -> datetime:
    return datetime(2026, 3, 2, 14, 30, tzinfo=UTC) + timedelta(days=day)


def closes(day: int) -> datetime:
    return datetime(2026, 3, 2, 21, 0, tzinfo=UTC) + timedelta(days=day)


def at_open(day: int, price: str, previous: str | None = None) -> MarketPath:
    return MarketPath(None, None, D(price), opens(day), (), START + timedelta(days=day), D(previous or price))


def at_close(day: int, price: str, previous: str | None = None) -> MarketPath:
    return MarketPath(None, None, D(price), closes(day), (), START + timedelta(days=day), D(previous or price))


def session(
    day: int, bar: tuple[float, float, float, float] | None, previous: str = "10", ratio: str | None = None, dividend: str = "0"
) -> ShareSession:
    candle = Candle(day * 86_400_000, *bar, 1000.0) if bar is not None else None
    return ShareSession(START + timedelta(days=day), opens(day), closes(day), candle, D(ratio) if ratio else None, D(dividend), D(previous))


def order(number: int, side: str = "buy", amount: str = "100", **more: object) -> Order:
    sells = {"reduce_only": True} if side == "sell" else {}
    return Order.model_validate({"client_id": f"tb-test-{number:04}", "symbol": "ABC", "side": side, "amount": D(amount), **sells, **more})


def book(cash: str = "100000") -> Book:
    made = Book()
    made.apply(LedgerEntry(kind="deposit", at=opens(0) - timedelta(days=1), cash=D(cash)))
    return made


def put(made: Book, entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    done = []
    for entry in entries:
        made.apply(entry)
        done.append(entry)
    return done


def mark(made: Book, at: datetime, price: str) -> None:
    made.apply(LedgerEntry(kind="mark", at=at, symbol="ABC", marked_ms=int(at.timestamp() * 1000), price=D(price)))


def place(made: Book, path: MarketPath, terms: MarketTerms, placed: Order) -> list[LedgerEntry]:
    mark(made, path.at, str(path.price))
    return put(made, entries_of_share_order(made, placed, path, terms))


def play(made: Book, each: ShareSession, terms: MarketTerms, since: datetime | None = None) -> list[LedgerEntry]:
    before = int((since or each.opens - timedelta(hours=1)).timestamp() * 1000)
    return put(made, entries_of_session(made, "ABC", each, before, terms))


def test_a_chinese_buy_and_sale_by_hand() -> None:
    made = book()
    (bought,) = place(made, at_close(0, "10.00"), CN, order(1, amount="1000"))
    # 10 * 1.0002 = 10.002, up to 10.01; commission 10010 * 0.00025 = 2.5025, 5 at least; transfer 0.1001: 5.10
    assert (bought.price, bought.fee, bought.cash) == (D("10.01"), D("5.10"), D("-10015.10"))
    assert made.cash == D("89984.90")
    (refused,) = place(made, at_close(0, "10.00"), CN, order(2, "sell", "1000"))
    assert refused.kind == "refused"
    assert "next session" in str(refused.why)
    (sold,) = place(made, at_close(1, "11.00", "10.00"), CN, order(3, "sell", "1000", limit=D("10.90")))
    # 11 * 0.9998 = 10.9978, down to 10.99; commission 5; transfer 0.1099; stamp 5.495: 10.60
    assert (sold.price, sold.fee) == (D("10.99"), D("10.60"))
    assert made.cash == D("89984.90") + D("10990") - D("10.60")
    assert made.realised == D("980")
    assert made.outcome("tb-test-0003").result == D("980") - D("10.60")  # type: ignore[union-attr]
    assert made.outcome("tb-test-0001").result == D("980") - D("10.60") - D("5.10")  # type: ignore[union-attr]


def waits(path: MarketPath) -> MarketPath:
    return replace(path, orders_wait=True)


def test_where_orders_wait_they_are_filled_at_the_next_open_by_hand() -> None:
    made = book()
    (resting,) = place(made, waits(at_close(0, "10.00")), CN, order(1, amount="1000", collar=D("10.50"), stop=D("9")))
    # cash is kept for 1000 at 10 * 1.0002, up to 10.01, and 5.10 of fees
    assert (resting.kind, resting.price, resting.collar, resting.reserved) == ("accepted", None, D("10.50"), D("10015.10"))
    (bought,) = play(made, session(1, (10.2, 10.4, 9.9, 10.1)), CN)
    # 10.2 * 1.0002 = 10.20204, up to 10.21; commission 5 at least; transfer 0.1021
    assert (bought.kind, bought.price, bought.fee, bought.at, bought.reason) == ("fill", D("10.21"), D("5.10"), opens(1), "order")
    assert bought.sellable_after == START + timedelta(days=1)
    assert (made.cash, made.reserved) == (D(100_000) - D(10_210) - D("5.10"), {})
    place(made, waits(at_close(2, "10.10")), CN, order(2, "sell", "1000"))
    (sold,) = play(made, session(3, (10.5, 10.6, 10.3, 10.4), "10.1"), CN)
    assert (sold.price, sold.at) == (D("10.49"), opens(3))  # 10.5 * 0.9998 = 10.4979, down
    assert made.held == {}


@pytest.mark.parametrize(
    ("levels", "bar", "outcome"),
    [
        ({"limit": D("10.05")}, (9.8, 10.0, 9.7, 9.9), D("9.81")),  # the last price is within it, so is the open: 9.80196, up
        ({"limit": D("10.05")}, (10.2, 10.3, 10.04, 10.2), D("10.05")),  # opened beyond it, traded through it
        ({"limit": D("9.90")}, (9.8, 10.0, 9.7, 9.9), D("9.90")),  # it rested: at its own price, as everywhere
        ({"collar": D("10.50")}, (10.6, 10.8, 10.4, 10.7), D("10.50")),
        ({"collar": D("10.50")}, (10.6, 10.8, 10.5, 10.7), "did not trade through 10.5"),
        ({"collar": D("10.50"), "stop": D("9.50")}, (9.4, 9.9, 9.3, 9.8), "stop"),
        ({}, (11.0, 11.0, 10.8, 10.9), "upper"),
        ({"amount": D(9900)}, (10.6, 10.8, 10.4, 10.7), "costs"),
    ],
)
def test_an_order_that_waits_is_filled_within_its_bounds_or_is_over(
    levels: dict[str, Any], bar: tuple[float, float, float, float], outcome: Decimal | str
) -> None:
    made = book()
    place(made, waits(at_close(0, "10.00")), CN, order(1).model_copy(update=levels))
    (entry,) = play(made, session(1, bar), CN)
    if isinstance(outcome, str):
        assert (entry.kind, made.cash, made.held, made.reserved) == ("cancelled", D(100_000), {}, {})
        assert outcome in str(entry.why)
    else:
        assert (entry.kind, entry.price) == ("fill", outcome)


def test_a_four_to_one_split_and_a_dividend_by_hand() -> None:
    made = book()
    place(made, at_close(0, "499.23"), US, order(1, amount="100", stop=D("450"), target=D("600")))
    held = made.held["ABC"]
    assert (held.entry, made.cash) == (D("499.33"), D(100_000) - D(49_933) - D(1))  # 499.3299 up to the cent; a dollar of commission
    before = made.equity
    entries = play(made, session(1, None, ratio="4", dividend="0.205"), US)
    assert [entry.kind for entry in entries] == ["split", "dividend"]
    held = made.held["ABC"]
    assert (held.size, held.entry, held.stop, held.target) == (D(400), D("124.8325"), D("112.5"), D(150))
    assert made.dividends == D(82)  # 400 * 0.205
    assert made.equity == before  # the dividend is in cash, and in the price no more
    assert play(made, session(1, None, ratio="4", dividend="0.205"), US, since=opens(1)) == []  # once, however often it is read


def test_a_reverse_split_pays_cash_for_what_is_no_whole_share() -> None:
    made = book()
    place(made, at_close(0, "2.00"), US, order(1, amount="105"))
    before = made.equity
    (entry,) = play(made, session(1, None, ratio="0.1"), US)
    assert (made.held["ABC"].size, entry.cash) == (D(10), D("10.00"))  # half a share at 20
    assert made.equity == before


@pytest.mark.parametrize(
    ("bar", "price", "reason"),
    [
        ((10, 10.5, 9.6, 10.2), None, None),
        ((10, 10.5, 9.5, 10.2), "9.49", "stop"),  # 9.5 * 0.9998, down to the cent
        ((9.3, 9.9, 9.2, 9.8), "9.29", "stop"),  # opened beyond it
        ((10, 11.5, 9.4, 11.2), "9.49", "stop"),  # both: the stop was first
        ((10, 11.01, 9.9, 11), "10.99", "target"),  # 11 * 0.9998, down to the cent
        ((10, 11, 9.9, 11), None, None),  # a touch is not a fill
    ],
)
def test_how_a_session_ends_a_position(bar: tuple[float, float, float, float], price: str | None, reason: str | None) -> None:
    made = book()
    place(made, at_open(1, "10"), US, order(1, stop=D("9.5"), target=D(11)))
    sold = [entry for entry in play(made, session(1, bar), US, since=opens(1)) if entry.kind == "fill"]
    if price is None:
        assert sold == []
        return
    assert (sold[0].price, sold[0].reason, "ABC" in made.held) == (D(price), reason, False)


def test_a_stop_waits_for_the_session_in_which_the_shares_may_be_sold_and_for_a_buyer() -> None:
    made = book()
    place(made, at_open(1, "10"), CN, order(1, amount="200", stop=D("9.5")))
    assert play(made, session(1, (10, 10, 9.2, 9.3)), CN, since=opens(1)) == []  # bought that day
    assert play(made, session(2, (8.37, 8.37, 8.37, 8.37), "9.3"), CN) == []  # 9.3 less a tenth: locked at its lower limit
    (sold,) = play(made, session(3, (8.0, 8.2, 7.6, 7.7), "8.37"), CN)
    assert (sold.price, sold.amount) == (D("7.99"), D(200))  # 8 * 0.9998, down to the cent; its lower limit is 7.53


def test_a_limit_order_is_good_for_one_session_and_keeps_its_cash() -> None:
    made = book("1010")
    (rests,) = place(made, at_close(0, "10"), US, order(1, amount="100", limit=D("9.90")))
    assert (rests.kind, made.spendable) == ("accepted", D(1010) - D(990) - D(1))
    (poor,) = place(made, at_close(0, "10"), US, order(2, amount="2"))
    assert "may be spent" in str(poor.why)
    (filled,) = play(made, session(1, (10, 10, 9.8, 9.85)), US)
    assert (filled.price, filled.reason, made.spendable) == (D("9.90"), "limit", D(19))
    place(made, at_close(1, "9.85"), US, order(3, amount="1", limit=D("9.00")))
    (over,) = play(made, session(2, (9.9, 10, 9.0, 9.5)), US)
    assert (over.kind, made.reports["tb-test-0003"].state, made.spendable) == ("cancelled", "cancelled", D(19))


def test_a_split_ends_orders_that_rest() -> None:
    made = book()
    place(made, at_close(0, "10"), US, order(1, limit=D("9.90")))
    (over,) = play(made, session(1, (5, 5, 4, 4.5), "5", ratio="2"), US)
    assert (over.kind, "ABC" in made.held, made.reserved) == ("cancelled", False, {})


@pytest.mark.parametrize(
    ("given_", "path", "terms", "why"),
    [
        ({"amount": "150"}, at_close(0, "10"), CN, "lots of"),
        ({"amount": "100.5"}, at_close(0, "10"), US, "lots of"),
        ({"amount": "20000"}, at_close(0, "10"), US, "may be spent"),
        ({"side": "sell"}, at_close(0, "10"), US, "short"),
        ({}, at_close(0, "11.00", "10.00"), CN, "upper limit"),
        ({"limit": D("11.01")}, at_close(0, "10.50", "10.00"), CN, "outside the session"),
        ({"stop": D("10.5")}, at_close(0, "10"), US, "beyond its stop"),
        ({"collar": D("9.99")}, at_close(0, "10"), US, "worst"),
    ],
)
def test_what_is_refused(given_: dict[str, object], path: MarketPath, terms: MarketTerms, why: str) -> None:
    made = book()
    (entry,) = place(made, path, terms, order(1, **given_))  # type: ignore[arg-type]
    assert entry.kind == "refused"
    assert why in str(entry.why)
    assert made.cash == D(100_000)
    assert not made.held


def test_a_rest_below_a_lot_is_sold_whole_or_not_at_all() -> None:
    made = book()
    place(made, at_close(0, "10"), CN, order(1, amount="300"))
    play(made, session(1, None, ratio="1.15"), CN)  # 345 shares
    assert place(made, at_close(1, "8.70", "8.70"), CN, order(2, "sell", "20"))[0].kind == "refused"
    assert place(made, at_close(1, "8.70", "8.70"), CN, order(3, "sell", "145"))[0].kind == "fill"
    assert made.held["ABC"].size == D(200)


def test_what_is_in_shares_and_what_rests_is_no_margin_for_contracts() -> None:
    made = book("1000")
    place(made, at_close(0, "10"), US, order(1, amount="90"))
    entry = Order(client_id="tb-coin-0001", symbol=COIN, side="buy", amount=D(1), leverage=5)
    refused = put(made, entries_of_order(made, entry, D(1000), CONTRACT, closes(0)))
    assert "margin" in str(refused[0].why)
    small = entry.model_copy(update={"client_id": "tb-coin-0002", "amount": D("0.2")})
    put(made, entries_of_order(made, small, D(1000), CONTRACT, closes(0)))
    assert made.held[COIN].margin == D("40.008")  # 0.2 * 1000.2 / 5: what a contract may lose is not for shares
    account = cash_account_of(made, "paper:x", START, 0.0)
    assert account.cash == float(made.cash - D("40.008"))
    assert account.total_value == float(made.equity)
    assert (set(account.positions), account.contracts) == ({"ABC"}, 1)


def test_drawdown_of_positions_that_were_followed_one_after_the_other() -> None:
    """Each falls and recovers while the other does the opposite: together they never fell."""
    made = book()
    place(made, at_close(0, "10"), US, order(1, amount="1000"))
    other = order(2, amount="1000").model_copy(update={"symbol": "XYZ"})
    made.apply(LedgerEntry(kind="mark", at=closes(0), symbol="XYZ", marked_ms=0, price=D(10)))
    put(made, entries_of_share_order(made, other, at_close(0, "10"), US))
    for symbol, prices in (("ABC", ("5", "10")), ("XYZ", ("15", "10"))):
        for day, price in enumerate(prices, 1):
            made.apply(LedgerEntry(kind="mark", at=closes(day), symbol=symbol, marked_ms=0, price=D(price)))
    by_day = {at: value for at, value in made.worth() if at in {closes(1), closes(2)}}
    assert by_day[closes(1)] == by_day[closes(2)]
    assert drawdowns([(closes(0), D(100)), (closes(1), D(80)), (closes(2), D(95))]) == (20.0, 5.0)


moves = st.lists(
    st.one_of(
        st.tuples(st.just("buy"), st.integers(1, 9), st.sampled_from([None, "0.97", "1.02"]), st.sampled_from([None, "0.95"])),
        st.tuples(st.just("sell"), st.integers(1, 900), st.sampled_from([None, "0.97", "1.02"]), st.none()),
        st.tuples(st.just("session"), st.floats(0.91, 1.09), st.floats(0, 0.09), st.floats(0, 0.09)),
        st.tuples(st.just("split"), st.sampled_from(["2", "4", "0.1", "1.5", "0.333333"])),
        st.tuples(st.just("dividend"), st.sampled_from(["0.01", "0.333", "1"])),
        st.tuples(st.just("coin"), st.sampled_from(["buy", "sell"]), st.integers(1, 5), st.floats(0.8, 1.2)),
    ),
    min_size=1,
    max_size=25,
)


class Played:
    """An account that is put through moves, and checked after every entry. price: last one of the share. day: of the session."""

    def __init__(self, terms: MarketTerms) -> None:
        self.made, self.ledger, self.terms, self.price, self.day = Book(), list[LedgerEntry](), terms, D(10), 0
        self.bought_on: dict[date, Decimal] = {}
        self.put([LedgerEntry(kind="deposit", at=opens(0) - timedelta(days=1), cash=D(100_000))])

    def put(self, entries: Iterable[LedgerEntry]) -> None:
        for entry in entries:
            value = self.made.equity
            self._before(entry)
            self.made.apply(entry)
            self.ledger.append(entry)
            assert entry.kind not in {"split", "dividend"} or abs(self.made.equity - value) <= D("0.01")  # cents of what is no whole share
            self._adds_up()

    def _before(self, entry: LedgerEntry) -> None:
        """Nothing is sold that is not held, or was bought in a session whose shares are sold later."""
        if entry.kind != "fill" or entry.symbol != "ABC":
            return
        assert entry.amount is not None
        held, on = self.made.held.get("ABC"), START + timedelta(days=self.day)
        if entry.side == "buy":
            self.bought_on[on] = self.bought_on.get(on, D(0)) + entry.amount
            return
        assert held is not None
        assert entry.amount <= held.size
        assert self.terms is US or entry.amount <= held.size - self.bought_on.get(on, D(0))

    def _adds_up(self) -> None:
        made, shares = self.made, self.made.held.get("ABC")
        cost = shares.size * shares.entry if shares is not None else D(0)
        expected = made.deposits + made.realised - made.fees + made.funding + made.dividends - cost
        assert abs(made.cash - expected) < D("0.000001")
        assert shares is None or (shares.size > 0 and shares.size == shares.size.to_integral_value())
        if not any(each.kind == "fill" and each.symbol == COIN for each in self.ledger):
            assert made.cash >= 0  # no leverage

    def path(self) -> MarketPath:
        return MarketPath(None, None, self.price, closes(self.day), (), START + timedelta(days=self.day), self.price)

    def order(self, number: int, side: str, size: int, limit: str | None, stop: str | None) -> None:
        path = self.path()
        self.put([LedgerEntry(kind="mark", at=path.at, symbol="ABC", marked_ms=int(path.at.timestamp() * 1000), price=self.price)])
        levels = {"stop": (self.price * D(stop)).quantize(CENT)} if stop else {}
        rests = {"limit": (self.price * D(limit)).quantize(CENT)} if limit else {}
        placed = order(number, side, str(size * 100 if side == "buy" else size), **levels, **rests)
        self.put(entries_of_share_order(self.made, placed, path, self.terms))

    def next(self, bar: tuple[float, float, float, float] | None, **morning: str) -> None:
        self.day += 1
        played = session(self.day, bar, str(self.price), **morning)
        self.put(entries_of_session(self.made, "ABC", played, int(closes(self.day - 1).timestamp() * 1000), self.terms))

    def trade(self, drift: float, up: float, down: float) -> None:
        opened = max(D("0.05"), (self.price * D(str(drift))).quantize(CENT))
        high, low = (opened * D(str(1 + up))).quantize(CENT), max(CENT, (opened * D(str(1 - down))).quantize(CENT))
        self.next((float(opened), float(high), float(low), float(opened)))
        self.price = opened

    def split(self, ratio: str) -> None:
        if min(self.price, self.made.price("ABC") if "ABC" in self.made.held else self.price) / D(ratio) < D("0.05"):
            return
        self.price = (self.price / D(ratio)).quantize(CENT)
        self.next(None, ratio=ratio)

    def dividend(self, paid: str) -> None:
        if D(paid) < self.price:
            self.next(None, dividend=paid)
            self.price = max(D("0.05"), self.price - D(paid))

    def coin(self, number: int, side: str, leverage: int, level: float) -> None:
        wants = order(number, "buy", "1", leverage=leverage).model_copy(update={"symbol": COIN, "side": side})
        self.put(entries_of_order(self.made, wants, D(str(round(100 * level, 1))), CONTRACT, closes(self.day)))
        bar_at, at = int((closes(self.day) + timedelta(minutes=1)).timestamp() * 1000), 100 * level
        self.put(entries_of_candle(self.made, COIN, Candle(bar_at, at, at * 1.01, at * 0.99, at, 1.0), CONTRACT))


@settings(max_examples=200, deadline=None)
@given(moves=moves, terms=st.sampled_from([US, CN]))
def test_it_always_adds_up(moves: list[tuple[Any, ...]], terms: MarketTerms) -> None:
    played = Played(terms)
    for number, (kind, *given_) in enumerate(moves):
        if kind in {"buy", "sell"}:
            played.order(number, kind, *given_)
        elif kind == "coin":
            played.coin(number, *given_)
        else:
            {"session": played.trade, "split": played.split, "dividend": played.dividend}[kind](*given_)
    again = Book()
    for entry in played.ledger:
        again.apply(LedgerEntry.model_validate_json(entry.model_dump_json()))
    made = played.made
    assert vars(again) == vars(made)
    assert made.equity == made.cash + sum((held.value(made.price(symbol)) for symbol, held in made.held.items()), D(0))
