"""The books of the loopback venue's account: one USD-M account in one-way mode. What it holds, what waits, what was paid.

Market orders are filled at the venue's price, at once or as `slow_fills` says; limit and conditional ("algo") orders wait until `move`
takes the price to them. Amounts and prices are Decimal. Not for threads: the venue comes one request at a time.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

FEE = Decimal("0.0004")
MIN_NOTIONAL, AMOUNT_STEP = Decimal(100), Decimal("0.001")
STEPS = {"BTCUSDT": Decimal("0.10"), "ETHUSDT": Decimal("0.01"), "SOLUSDT": Decimal("0.0100")} | {
    f"{base}USDT": Decimal("0.10") for base in ("BNB", "ADA", "LTC", "DOT", "XRP")
}


@dataclass
class Held:
    """A position. amount: negative = short."""

    amount: Decimal
    entry: Decimal
    opened: int


OPEN = ("NEW", "PARTIALLY_FILLED")


@dataclass
class Slow:
    """How the next orders that would be filled at once are filled instead. share: of the amount, at once. reads: how often one has to be
    asked for until it ends. end: how it ends then; `NEW`: never. times: how many orders. only: None = all, True = those that reduce."""

    share: Decimal
    reads: int
    end: Literal["FILLED", "EXPIRED", "NEW"]
    times: int
    only: bool | None


@dataclass
class Book:
    """now: the venue's clock in milliseconds. prices: by market. moved: markets whose price was set. hedged: hedge mode. hidden: client ids
    of orders that the venue keeps to itself when asked for them. least_stops: after each request, how many stops the least protected
    position had. least_covered: after each request, how much of a position its stop closed, where that was least."""

    now: Callable[[], int]
    wallet: Decimal = Decimal(10_000)
    hedged: bool = False
    may_withdraw: bool = False
    prices: dict[str, Decimal] = field(default_factory=lambda: {name: Decimal(60_000) for name in STEPS})
    positions: dict[str, Held] = field(default_factory=dict)
    orders: list[dict[str, Any]] = field(default_factory=list)
    algos: list[dict[str, Any]] = field(default_factory=list)
    trades: list[dict[str, Any]] = field(default_factory=list)
    income: list[dict[str, Any]] = field(default_factory=list)
    leverage: dict[str, int] = field(default_factory=dict)
    isolated: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    least_stops: list[int] = field(default_factory=list)
    least_covered: list[Decimal] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    _slow: list[Slow] = field(default_factory=list)
    _filling: dict[int, Slow] = field(default_factory=dict)

    def slow_fills(
        self,
        share: str = "0",
        reads: int = 3,
        end: Literal["FILLED", "EXPIRED", "NEW"] = "FILLED",
        *,
        times: int = 1,
        reducing: bool | None = None,
    ) -> None:
        """Fill the next `times` orders slowly, or never to the end. See `Slow`."""
        self._slow.append(Slow(Decimal(share), reads, end, times, reducing))

    def stops(self, name: str) -> int:
        """How many open stops close the whole position of a market."""
        held = self.positions.get(name)
        if held is None:
            return 0
        side = "SELL" if held.amount > 0 else "BUY"
        return sum(
            algo["symbol"] == name
            and algo["side"] == side
            and algo["orderType"] == "STOP_MARKET"
            and (algo["closePosition"] or Decimal(algo["quantity"]) >= abs(held.amount))
            for algo in self.open_algos()
        )

    def covered(self, name: str) -> Decimal:
        """How much of a position its widest open stop closes."""
        held = self.positions[name]
        side = "SELL" if held.amount > 0 else "BUY"
        stops = [each for each in self.open_algos() if (each["symbol"], each["side"], each["orderType"]) == (name, side, "STOP_MARKET")]
        sizes = [abs(held.amount) if each["closePosition"] else Decimal(each["quantity"]) for each in stops]
        return min(abs(held.amount), max(sizes, default=Decimal(0)))

    def open_algos(self) -> list[dict[str, Any]]:
        return [algo for algo in self.algos if algo["algoStatus"] == "NEW"]

    def move(self, name: str, price: str) -> None:
        """The price goes to `price`: conditional orders and resting limit orders on its way are filled at it."""
        before, self.prices[name] = self.prices[name], Decimal(price)
        self.moved.add(name)
        low, high = sorted((before, self.prices[name]))
        for algo in [each for each in self.open_algos() if each["symbol"] == name and low <= Decimal(each["triggerPrice"]) <= high]:
            self._trigger(algo)
        for order in [each for each in self.orders if each["symbol"] == name and each["status"] in OPEN and each["type"] == "LIMIT"]:
            if low <= Decimal(order["price"]) <= high:
                self.fill(order)

    def _trigger(self, algo: dict[str, Any]) -> None:
        """A conditional order becomes a market order; one that may only reduce, and finds nothing to reduce, is refused by the venue."""
        name, held = algo["symbol"], self.positions.get(algo["symbol"])
        reduces = held is not None and (held.amount > 0) == (algo["side"] == "SELL")
        algo |= {"algoStatus": "FINISHED" if reduces else "REJECTED", "triggerTime": self.now(), "updateTime": self.now()}
        if held is None or not reduces:
            return
        amount = abs(held.amount) if algo["closePosition"] else min(abs(held.amount), Decimal(algo["quantity"]))
        order = self.new_order(name, algo["side"], amount, f"triggered-{algo['algoId']}", "MARKET", reduce_only=True)
        algo |= {"actualOrderId": str(order["orderId"])}
        self.match(order)

    def lose_algo(self, client_id: str) -> None:
        """A conditional order that waited is gone, as when the venue expires it by itself."""
        for algo in self.open_algos():
            if algo["clientAlgoId"] == client_id:
                algo["algoStatus"] = "EXPIRED"

    def match(self, order: dict[str, Any]) -> None:
        """Fill an order that the market takes, at once or as slowly as was asked for."""
        slow = next((each for each in self._slow if each.times > 0 and each.only in {None, order["reduceOnly"]}), None)
        if slow is None:
            self.fill(order)
            return
        slow.times -= 1
        first = (Decimal(order["origQty"]) * slow.share).quantize(AMOUNT_STEP)
        if first > 0:
            self.fill(order, first)
        if order["status"] in OPEN:
            self._filling[order["orderId"]] = Slow(slow.share, slow.reads, slow.end, 1, slow.only)

    def was_read(self, order: dict[str, Any]) -> None:
        """Somebody asked for an order: what fills it slowly goes on."""
        slow = self._filling.get(order["orderId"])
        if slow is None or order["status"] not in OPEN or slow.end == "NEW":
            return
        slow.reads -= 1
        if slow.reads <= 0:
            self.finish(order["clientOrderId"], slow.end)

    def finish(self, client_id: str, end: Literal["FILLED", "EXPIRED"] = "FILLED") -> None:
        for order in [each for each in self.orders if each["clientOrderId"] == client_id and each["status"] in OPEN]:
            if end == "FILLED":
                self.fill(order)
            else:
                order |= {"status": end, "updateTime": self.now()}

    def trade(self, name: str, side: str, amount: str, *, reduce_only: bool = False) -> None:
        """Somebody else on the account orders at market, by hand. side: `BUY` or `SELL`."""
        order = self.new_order(name, side, Decimal(amount), f"by-hand-{len(self.orders)}", "MARKET", reduce_only=reduce_only)
        self.fill(order)

    def open_position(self, name: str, amount: str, price: str) -> None:
        """A position that somebody else opened. amount: negative = short."""
        self.positions[name] = Held(Decimal(amount), Decimal(price), self.now())

    def add_algo(self, name: str, side: str, kind: str, trigger: str, client_id: str, *, whole: bool = True, amount: str = "0") -> None:
        self.new_algo(
            {"symbol": name, "side": side, "type": kind, "triggerPrice": trigger, "clientAlgoId": client_id},
            whole=whole,
            amount=Decimal(amount),
        )

    def unrealised(self, name: str) -> Decimal:
        held = self.positions[name]
        return held.amount * (self.prices[name] - held.entry)

    def margin_type(self, name: str) -> str:
        return "ISOLATED" if name in self.isolated else "CROSSED"

    def margin(self, name: str) -> Decimal:
        return abs(self.positions[name].amount) * self.prices[name] / self.leverage.get(name, 20)

    def new_order(
        self, name: str, side: str, amount: Decimal, client_id: str, kind: str, *, reduce_only: bool, price: str = "0", within: str = "GTC"
    ) -> dict[str, Any]:
        order = {
            "orderId": 1000 + len(self.orders),
            "symbol": name,
            "status": "NEW",
            "clientOrderId": client_id,
            "price": price,
            "avgPrice": "0.00",
            "origQty": f"{amount}",
            "executedQty": "0",
            "cumQty": "0",
            "cumQuote": "0",
            "timeInForce": within,
            "type": kind,
            "reduceOnly": reduce_only,
            "closePosition": False,
            "side": side,
            "positionSide": "BOTH",
            "stopPrice": "0",
            "workingType": "CONTRACT_PRICE",
            "origType": kind,
            "time": self.now(),
            "updateTime": self.now(),
        }
        self.orders.append(order)
        return order

    def fill(self, order: dict[str, Any], amount: Decimal | None = None) -> None:
        """Fill a part of an order, or all that is left of it, at the present price. What may only reduce never does more."""
        name, price, done = order["symbol"], self.prices[order["symbol"]], Decimal(order["executedQty"])
        held = self.positions.get(name)
        amount = Decimal(order["origQty"]) - done if amount is None else amount
        if order["reduceOnly"]:
            amount = min(amount, abs(held.amount)) if held is not None and (held.amount > 0) == (order["side"] == "SELL") else Decimal(0)
        if amount <= 0:
            order |= {"status": "EXPIRED", "updateTime": self.now()}
            return
        signed = amount if order["side"] == "BUY" else -amount
        fee, paid = amount * price * FEE, Decimal(order["cumQuote"]) + amount * price
        whole = done + amount >= Decimal(order["origQty"])
        order |= {
            "status": "FILLED" if whole else "PARTIALLY_FILLED",
            "avgPrice": f"{paid / (done + amount):.8f}".rstrip("0").rstrip("."),
            "executedQty": f"{done + amount}",
            "cumQty": f"{done + amount}",
            "cumQuote": f"{paid}",
            "updateTime": self.now(),
        }
        result = Decimal(0)
        if held is None:
            self.positions[name] = Held(signed, price, self.now())
        elif (held.amount > 0) == (signed > 0):
            held.entry = (held.entry * abs(held.amount) + price * amount) / (abs(held.amount) + amount)
            held.amount += signed
        else:
            result = min(amount, abs(held.amount)) * (price - held.entry) * (1 if held.amount > 0 else -1)
            held.amount += signed
            if held.amount == 0:
                del self.positions[name]
            elif (held.amount > 0) == (signed > 0):  # turned round
                held.entry, held.opened = price, self.now()
        self.wallet += result - fee
        self._book("COMMISSION", -fee, name)
        if result != 0:
            self._book("REALIZED_PNL", result, name)
        self.trades.append(
            {
                "id": len(self.trades) + 1,
                "orderId": order["orderId"],
                "symbol": name,
                "side": order["side"],
                "price": f"{price}",
                "qty": f"{amount}",
                "quoteQty": f"{amount * price}",
                "realizedPnl": f"{result}",
                "commission": f"{fee}",
                "commissionAsset": "USDT",
                "positionSide": "BOTH",
                "buyer": order["side"] == "BUY",
                "maker": False,
                "time": self.now(),
            }
        )

    def earn(self, kind: str, amount: str, at: int | None = None, name: str = "BTCUSDT") -> None:
        """A row of the income history and the money with it. kind: `REALIZED_PNL`, `FUNDING_FEE`, `COMMISSION`, `TRANSFER`. at: UTC
        milliseconds, None = now."""
        self.wallet += Decimal(amount)
        self._book(kind, Decimal(amount), name, at)

    def _book(self, kind: str, amount: Decimal, name: str, at: int | None = None) -> None:
        self.income.append(
            {
                "symbol": name,
                "incomeType": kind,
                "income": f"{amount}",
                "asset": "USDT",
                "time": at or self.now(),
                "info": kind,
                "tranId": 9000 + len(self.income),
                "tradeId": "",
            }
        )

    def new_algo(self, given: dict[str, str], *, whole: bool, amount: Decimal) -> dict[str, Any]:
        algo = {
            "algoId": 5000 + len(self.algos),
            "clientAlgoId": given["clientAlgoId"],
            "algoType": "CONDITIONAL",
            "orderType": given["type"],
            "symbol": given["symbol"],
            "side": given["side"],
            "positionSide": "BOTH",
            "timeInForce": "GTC",
            "quantity": f"{amount}",
            "algoStatus": "NEW",
            "triggerPrice": given["triggerPrice"],
            "price": "0",
            "workingType": "CONTRACT_PRICE",
            "closePosition": whole,
            "reduceOnly": given.get("reduceOnly") == "true",
            "createTime": self.now(),
            "updateTime": self.now(),
            "triggerTime": 0,
        }
        self.algos.append(algo)
        return algo
