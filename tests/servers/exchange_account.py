"""The signed half of the loopback venue: the requests of a USD-M account of Binance, as far as a broker needs them.

Checks the key and the HMAC signature and refuses with Binance's own codes. As on Binance a client id is unique among OPEN orders only: one
that has ended may be used again, and whoever asks for it is told of the newest. One order at most of a kind may close the whole position of
a side.
"""

import hashlib
import hmac
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

from tests.servers.exchange_book import AMOUNT_STEP, MIN_NOTIONAL, OPEN, STEPS, Book

API_KEY, SECRET = "loopback-key", "loopback-secret"
Answer = tuple[int, Any]


class No(Exception):
    """Binance's way of refusing."""

    def __init__(self, code: int, msg: str, status: int = 400) -> None:
        super().__init__(msg)
        self.answer: Answer = (status, {"code": code, "msg": msg})


class ExchangeAccount(Book):
    """The book behind signed requests."""

    def answer(self, method: str, path: str, text: str, headers: dict[str, str]) -> Answer:
        """What the venue says to a signed request. text: its parameters, signature last."""
        try:
            given = self._checked(text, headers)
            route = self._routes().get(f"{method} {path.split('/v', 1)[1].split('/', 1)[1]}")
            if route is None:
                raise No(-5000, f"Path {path}, Method {method} is invalid", 404)
            told = route(given)
        except No as no:
            return no.answer
        self.least_stops.append(min((self.stops(name) for name in self.positions), default=0))
        self.least_covered.append(min((self.covered(name) for name in self.positions), default=Decimal(0)))
        return 200, told

    def _checked(self, payload: str, headers: dict[str, str]) -> dict[str, str]:
        if headers.get("x-mbx-apikey") != API_KEY:
            raise No(-2015, "Invalid API-key, IP, or permissions for action.", 401)
        text, _, signature = payload.rpartition("&signature=")
        if hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest() != signature:
            raise No(-1022, "Signature for this request is not valid.")
        given = dict(parse_qsl(text))
        if abs(int(given["timestamp"]) - self.now()) > 60_000:
            raise No(-1021, "Timestamp for this request is outside of the recvWindow.")
        return given

    def _routes(self) -> dict[str, Callable[[dict[str, str]], Any]]:
        return {
            "GET account": self._account,
            "GET positionRisk": self._risk,
            "GET positionSide/dual": lambda _: {"dualSidePosition": self.hedged},
            "GET leverageBracket": lambda _: [{"symbol": name, "brackets": [_BRACKET]} for name in STEPS],
            "GET symbolConfig": lambda _: [
                {"symbol": name, "marginType": self.margin_type(name), "leverage": self.leverage.get(name, 20)} for name in STEPS
            ],
            "POST marginType": self._set_margin,
            "POST leverage": self._set_leverage,
            "POST order": self._post_order,
            "GET order": self._read_order,
            "DELETE order": self._delete_order,
            "GET openOrders": lambda given: [each for each in self.orders if each["status"] in OPEN and _in(given, each)],
            "GET userTrades": lambda given: [
                each
                for each in self.trades
                if _in(given, each) and given.get("orderId") in {None, str(each["orderId"])} and each["id"] >= int(given.get("fromId", 0))
            ][: int(given.get("limit", 500))],
            "GET income": self._get_income,
            "POST algoOrder": self._post_algo,
            "GET algoOrder": self._get_algo,
            "DELETE algoOrder": self._delete_algo,
            "GET openAlgoOrders": lambda given: [
                each for each in self.open_algos() if _in(given, each) and each["clientAlgoId"] not in self.hidden
            ],
            "GET account/apiRestrictions": lambda _: {"enableWithdrawals": self.may_withdraw, "enableFutures": True, "ipRestrict": False},
        }

    def _account(self, _: dict[str, str]) -> dict[str, Any]:
        unrealised = sum((self.unrealised(name) for name in self.positions), Decimal(0))
        used = sum((self.margin(name) for name in self.positions), Decimal(0))
        total = self.wallet + unrealised
        asset = {
            "asset": "USDT",
            "walletBalance": f"{self.wallet:.8f}",
            "unrealizedProfit": f"{unrealised:.8f}",
            "marginBalance": f"{total:.8f}",
            "initialMargin": f"{used:.8f}",
            "availableBalance": f"{total - used:.8f}",
            "balance": f"{self.wallet:.8f}",
            "updateTime": self.now(),
        }
        return {"totalWalletBalance": f"{self.wallet:.8f}", "totalMarginBalance": f"{total:.8f}", "assets": [asset], "positions": []}

    def _risk(self, given: dict[str, str]) -> list[dict[str, Any]]:
        return [self._risk_row(name) for name in self.positions if given.get("symbol") in {None, name}]

    def _risk_row(self, name: str) -> dict[str, Any]:
        held, price = self.positions[name], self.prices[name]
        times = self.leverage.get(name, 20)
        away = held.entry * (1 - (1 if held.amount > 0 else -1) * (Decimal(1) / times - Decimal("0.004")))
        return {
            "symbol": name,
            "positionSide": "BOTH" if not self.hedged else "LONG" if held.amount > 0 else "SHORT",
            "positionAmt": f"{held.amount}",
            "entryPrice": f"{held.entry}",
            "breakEvenPrice": f"{held.entry}",
            "markPrice": f"{price:.8f}",
            "unRealizedProfit": f"{self.unrealised(name):.8f}",
            "liquidationPrice": f"{away:.8f}",
            "isolatedMargin": f"{self.margin(name) if name in self.isolated else 0:.8f}",
            "notional": f"{held.amount * price:.8f}",
            "marginAsset": "USDT",
            "isolatedWallet": "0",
            "initialMargin": f"{self.margin(name):.8f}",
            "maintMargin": "0",
            "positionInitialMargin": f"{self.margin(name):.8f}",
            "openOrderInitialMargin": "0",
            "adl": "1",
            "bidNotional": "0",
            "askNotional": "0",
            "updateTime": held.opened,
        }

    def _set_margin(self, given: dict[str, str]) -> dict[str, Any]:
        if given["marginType"] == self.margin_type(given["symbol"]):
            raise No(-4046, "No need to change margin type.")
        if given["symbol"] in self.positions:
            raise No(-4048, "Margin type cannot be changed if there exists position.")
        (self.isolated.add if given["marginType"] == "ISOLATED" else self.isolated.discard)(given["symbol"])
        return {"code": 200, "msg": "success"}

    def _set_leverage(self, given: dict[str, str]) -> dict[str, Any]:
        wanted = int(given["leverage"])
        if not 1 <= wanted <= 100:
            raise No(-4028, f"Leverage {wanted} is not valid")
        self.leverage[given["symbol"]] = wanted
        return {"leverage": wanted, "maxNotionalValue": "1000000", "symbol": given["symbol"]}

    def _post_order(self, given: dict[str, str]) -> dict[str, Any]:
        name, side, amount = given["symbol"], given["side"], Decimal(given["quantity"])
        reduce_only = given.get("reduceOnly") == "true"
        client_id, held = given["newClientOrderId"], self.positions.get(name)
        if len(client_id) > 36:
            raise No(-4015, "Client order id length should not be more than 36 chars")
        if any(each["clientOrderId"] == client_id and each["status"] in OPEN for each in self.orders):
            raise No(-4116, "ClientOrderId is duplicated.")
        price = Decimal(given["price"]) if given["type"] == "LIMIT" else self.prices[name]
        if amount % AMOUNT_STEP != 0 or price % STEPS[name] != 0:
            raise No(-1111, "Precision is over the maximum defined for this asset.")
        if reduce_only:
            if held is None or (held.amount > 0) == (side == "BUY"):
                raise No(-2022, "ReduceOnly Order is rejected.")
            amount = min(amount, abs(held.amount))
        elif amount * price < MIN_NOTIONAL:
            raise No(-4164, f"Order's notional must be no smaller than {MIN_NOTIONAL} (unless you choose reduce only).")
        elif amount * price / self.leverage.get(name, 20) > self.wallet:
            raise No(-2019, "Margin is insufficient.")
        within = given.get("timeInForce", "GTC")
        asked = {"reduce_only": reduce_only, "price": given.get("price", "0"), "within": within}
        order = self.new_order(name, side, amount, client_id, given["type"], **asked)
        crosses = price >= self.prices[name] if side == "BUY" else price <= self.prices[name]
        if given["type"] == "MARKET" or crosses:
            self.match(order)
        if within == "IOC" and order["status"] in OPEN and order["orderId"] not in self._filling:
            order["status"] = "EXPIRED"
        return order

    def _get_income(self, given: dict[str, str]) -> list[dict[str, Any]]:
        """As Binance: three months at most, seven days where no start is named, oldest first, in pages."""
        kind, now, day = given.get("incomeType"), self.now(), 24 * 3_600_000
        start = max(int(given.get("startTime", now - 7 * day)), now - 90 * day)
        end = int(given.get("endTime", now))
        rows = [row for row in self.income if kind in {None, row["incomeType"]} and start <= row["time"] <= end]
        limit, page = min(int(given.get("limit", "100")), 1000), max(int(given.get("page", "1")), 1)
        return sorted(rows, key=lambda row: row["time"])[(page - 1) * limit : page * limit]

    def _get_order(self, given: dict[str, str]) -> dict[str, Any]:
        for order in reversed(self.orders):
            named = given.get("origClientOrderId") == order["clientOrderId"] or given.get("orderId") == str(order["orderId"])
            if named and order["symbol"] == given["symbol"] and order["clientOrderId"] not in self.hidden:
                return order
        raise No(-2013, "Order does not exist.")

    def _read_order(self, given: dict[str, str]) -> dict[str, Any]:
        order = self._get_order(given)
        self.was_read(order)
        return order

    def _delete_order(self, given: dict[str, str]) -> dict[str, Any]:
        order = self._get_order(given)
        if order["status"] not in OPEN:
            raise No(-2011, "Unknown order sent.")
        order["status"] = "CANCELED"
        return order

    def _post_algo(self, given: dict[str, str]) -> dict[str, Any]:
        name, side, kind = given["symbol"], given["side"], given["type"]
        whole, trigger = given.get("closePosition") == "true", Decimal(given["triggerPrice"])
        if len(given["clientAlgoId"]) > 36:
            raise No(-4015, "Client order id length should not be more than 36 chars")
        if trigger % STEPS[name] != 0 or Decimal(given.get("quantity", "0")) % AMOUNT_STEP != 0:
            raise No(-1111, "Precision is over the maximum defined for this asset.")
        if any(algo["clientAlgoId"] == given["clientAlgoId"] for algo in self.open_algos()):
            raise No(-4116, "ClientOrderId is duplicated.")
        if whole and any(
            algo["closePosition"] and (algo["symbol"], algo["side"], algo["orderType"]) == (name, side, kind) for algo in self.open_algos()
        ):
            raise No(-4130, "An open stop or take profit order with GTE and closePosition in the direction is existing.")
        below = trigger < self.prices[name]
        if below != ((side == "SELL") == (kind == "STOP_MARKET")):
            raise No(-2021, "Order would immediately trigger.")
        return self.new_algo(given, whole=whole, amount=Decimal(given.get("quantity", "0")))

    def _get_algo(self, given: dict[str, str]) -> dict[str, Any]:
        for algo in reversed(self.algos):
            if given.get("clientAlgoId") == algo["clientAlgoId"] or given.get("algoId") == str(algo["algoId"]):
                return algo
        raise No(-2013, "Order does not exist.")

    def _delete_algo(self, given: dict[str, str]) -> dict[str, Any]:
        waiting = [each for each in self.open_algos() if given.get("algoId") == str(each["algoId"])]
        if not waiting:
            raise No(-2011, "Unknown order sent.")
        waiting[0]["algoStatus"] = "CANCELED"
        return {"algoId": waiting[0]["algoId"], "clientAlgoId": waiting[0]["clientAlgoId"], "code": "200", "msg": "success"}


_BRACKET = {
    "bracket": 1,
    "initialLeverage": 100,
    "notionalCap": 1_000_000,
    "notionalFloor": 0,
    "maintMarginRatio": 0.004,
    "cum": 0.0,
}


def _in(given: dict[str, str], row: dict[str, Any]) -> bool:
    return given.get("symbol") in {None, row["symbol"]}
