"""A venue of our own on 127.0.0.1: speaks enough of Binance's USD-M REST (and Kraken's and Binance's spot REST) for the real ccxt clients.
Signed requests go to its account (`exchange_account`).

Its candles are a formula over minutes, so any timeframe, any instant and the expected answer of a test come from the same arithmetic.
Faults are put in line with `fail` and used up one request at a time. Starts on a free port, in threads of its own; ends with the `with`.
"""

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import numpy as np

from engine.domain.clock import utc_now
from tests.servers.exchange_account import API_KEY, SECRET, ExchangeAccount
from tests.servers.exchange_book import AMOUNT_STEP, MIN_NOTIONAL, STEPS

MINUTE = 60_000
HOUR = 60 * MINUTE
EIGHT_HOURS = 8 * HOUR
_UNITS = {"m": MINUTE, "h": HOUR, "d": 24 * HOUR, "w": 7 * 24 * HOUR}
_MONDAY = 4 * 24 * HOUR
PAIRS = {name: (name.removesuffix("USDT"), "USDT", str(step)) for name, step in STEPS.items()}
FaultKind = Literal[
    "429", "500", "503", "451", "418", "400", "403", "drop", "cut", "html", "nulls", "duplicate", "gap", "shape", "hang", "empty", "object",
    "500-after", "drop-after", "hang-after", "html-after", "cut-after", "empty-after", "429-after", "403-after", "reject", "echo", "-1003",
    "-1007", "-2022",
]  # fmt: skip


CODES = {
    "-1003": "Too many requests; please use the websocket for live updates.",
    "-1007": "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
    "-2022": "ReduceOnly Order is rejected.",
}
"""Refusals that can be planted, in Binance's words."""


_BUSY = '{"code":-1003,"msg":"Too many requests."}'
_NGINX = "<html><body>nginx</body></html>"
_REFUSALS = {
    "429": (429, _BUSY),
    "418": (418, _BUSY),
    "451": (451, '{"code":0,"msg":"Service unavailable from a restricted location according to the terms."}'),
    "403": (403, "<html><body>Request blocked.</body></html>"),
    "reject": (400, '{"code":-2019,"msg":"Margin is insufficient."}'),
    **{name: (int(name), _NGINX) for name in ("500", "503", "400")},
    **{name: (400, json.dumps({"code": int(name), "msg": words})) for name, words in CODES.items()},
}


@dataclass
class Fault:
    """A fault that waits for a request whose line (`POST /fapi/v1/order?side=BUY`) holds `part`. times: how many requests it spoils.

    spare: how many come before those. What would change something is not done under a fault, but for the kinds that end in `-after`: done,
    and then the answer is spoiled."""

    part: str
    kind: FaultKind
    times: int
    spare: int = 0


def ticks(minutes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Open, high, low, close in tenths and volume in whole units of each minute (counted from 1970)."""

    def edge(at: np.ndarray) -> np.ndarray:
        waves = 30_000 * np.sin(at / 9000) + 8_000 * np.sin(at / 770) + 1_200 * np.sin(at / 7) + 60 * np.sin(at * 1.7)
        return np.rint(600_000 + waves).astype(np.int64)

    opened, close = edge(minutes - 1), edge(minutes)
    return opened, np.maximum(opened, close) + minutes % 37, np.minimum(opened, close) - minutes % 23, close, 5 + minutes % 11


def candles(interval: str, first: int, last: int, now: int) -> list[list[Any]]:
    """Rows of the interval that open in [first, last] and not after `now`; the one open at `now` holds its minutes up to then."""
    length = int(interval[:-1]) * _UNITS[interval[-1]]
    anchor = _MONDAY if interval.endswith("w") else 0
    first = anchor - (-(first - anchor) // length) * length
    last = min(last, now)
    if last < first:
        return []
    count = (last - first) // length + 1
    opens = first + np.arange(count) * length
    end = min(first + count * length, (now // MINUTE + 1) * MINUTE)
    opened, high, low, close, volume = ticks(np.arange(first // MINUTE, end // MINUTE))
    starts = (opens - first) // MINUTE
    stops = np.r_[starts[1:], len(opened)] - 1
    highs, lows = np.maximum.reduceat(high, starts), np.minimum.reduceat(low, starts)
    sums = np.add.reduceat(volume, starts)
    prices = zip(opens.tolist(), opened[starts].tolist(), highs.tolist(), lows.tolist(), close[stops].tolist(), sums.tolist(), strict=True)
    return [[at, *(f"{price / 10:.1f}" for price in four), f"{lots}.000"] for at, *four, lots in prices]


class LoopbackExchange:
    """The venue. now: its clock. listed_at: when trading began, UTC milliseconds. requests: the line of every request, body included."""

    def __init__(self, now: Callable[[], datetime] | None = None, listed_at: int = 1_609_459_200_000) -> None:
        self._clock = now or utc_now
        self.listed_at = listed_at
        self.requests: list[str] = []
        self._faults: list[Fault] = []
        self._delays: list[tuple[str, Callable[[], float], bool]] = []
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        price = Decimal(candles("1m", self.now() - MINUTE, self.now(), self.now())[-1][4])
        self.account = ExchangeAccount(self.now, prices=dict.fromkeys(PAIRS, price))
        self.released = threading.Event()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"venue": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def now(self) -> int:
        return int(self._clock().timestamp() * 1000)

    def fail(self, part: str, kind: FaultKind, times: int = 1, spare: int = 0) -> None:
        """Spoil the next `times` requests whose path holds `part`, after `spare` that are left alone."""
        self._faults.append(Fault(part, kind, times, spare))

    def heal(self) -> None:
        self._faults.clear()

    def slow(self, part: str, seconds: float | Callable[[], float], *, answer: bool = False) -> None:
        """Let every request whose line holds `part` wait before it is done, until `fast`. seconds: or what gives them. answer: it is done
        at once, and its answer waits: what it says may be past when it comes."""
        given = seconds
        self._delays.append((part, given if callable(given) else lambda: given, answer))

    def fast(self) -> None:
        self._delays.clear()

    def delay_for(self, line: str, *, answer: bool = False) -> float:
        return sum(seconds() for part, seconds, late in list(self._delays) if part in line and late is answer)

    def fault_for(self, line: str) -> FaultKind | None:
        with self._lock:
            self.requests.append(line)
            for fault in self._faults:
                if fault.part not in line or fault.times == 0:
                    continue
                if fault.spare > 0:
                    fault.spare -= 1
                    continue
                fault.times -= 1
                return fault.kind
        return None

    def hangs(self, line: str) -> bool:
        """Whether this request, if it came now, would not be answered."""
        with self._lock:
            met = [fault for fault in self._faults if fault.part in line and fault.times > 0 and fault.spare == 0]
        return bool(met) and met[0].kind.startswith("hang")

    def asked(self, part: str) -> int:
        return sum(part in line for line in self.requests)

    def __enter__(self) -> "LoopbackExchange":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def by_hand(self, act: Callable[[ExchangeAccount], object]) -> None:
        """Let somebody else do something with the account, between two requests."""
        with self._one_at_a_time:
            act(self.account)

    def signed(self, method: str, path: str, text: str, headers: dict[str, str]) -> tuple[int, Any]:
        """Status and JSON of a signed request without faults. text: its parameters."""
        with self._one_at_a_time:
            return self.account.answer(method, path, text, headers)

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path.endswith("/time"):
            return 200, {"serverTime": self.now()}
        if path.endswith("/exchangeInfo"):
            return 200, {"symbols": [] if "/dapi/" in path else [_listing(name, spot="/api/v3/" in path) for name in PAIRS]}
        if path.startswith("/0/public/"):
            return 200, {"error": [], "result": self._kraken(path.rsplit("/", 1)[1], query)}
        routes = {"klines": self._klines, "premiumIndex": self._premium, "fundingRate": self._funding, "openInterestHist": self._interest}
        route = routes.get(path.rsplit("/", 1)[1])
        if route is None:
            return 404, {"code": -1, "msg": f"no such path {path}"}
        if query.get("symbol") not in PAIRS:
            return 400, {"code": -1121, "msg": "Invalid symbol."}
        return 200, route(query)

    def _klines(self, query: dict[str, str]) -> list[list[Any]]:
        limit = min(int(query.get("limit", "500")), 1500)
        length = int(query["interval"][:-1]) * _UNITS[query["interval"][-1]]
        end = int(query.get("endTime", self.now()))
        start = max(int(query.get("startTime", end - limit * length)), self.listed_at)
        rows = candles(query["interval"], start, min(end, start + (limit + 1) * length), self.now())
        rows = rows[:limit] if "startTime" in query else rows[-limit:]
        if rows and query["symbol"] in self.account.moved and rows[-1][0] + length > self.now():  # the open candle ends where the price is
            at, opened, high, low, _, volume = rows[-1]
            price = self.account.prices[query["symbol"]]
            rows[-1] = [at, opened, f"{max(Decimal(high), price)}", f"{min(Decimal(low), price)}", f"{price}", volume]
        return [[*row, row[0] + length - 1, "0", 1, "0", "0", "0"] for row in rows]

    def _premium(self, query: dict[str, str]) -> dict[str, Any]:
        settled = self.now() // EIGHT_HOURS * EIGHT_HOURS
        rate = {"lastFundingRate": funding_at(settled), "nextFundingTime": settled + EIGHT_HOURS, "interestRate": "0.0001"}
        return {"symbol": query["symbol"], "markPrice": "60000.0", "indexPrice": "60000.0", **rate, "time": self.now()}

    def _funding(self, query: dict[str, str]) -> list[dict[str, Any]]:
        start = -(-max(int(query["startTime"]), self.listed_at) // EIGHT_HOURS) * EIGHT_HOURS
        stamps = range(start, self.now() + 1, EIGHT_HOURS)[: int(query.get("limit", "100"))]
        return [{"symbol": query["symbol"], "fundingTime": at + 3, "fundingRate": funding_at(at), "markPrice": "60000.0"} for at in stamps]

    def _interest(self, query: dict[str, str]) -> list[dict[str, Any]]:
        start = -(-max(int(query["startTime"]), self.listed_at) // HOUR) * HOUR
        stamps = range(start, min(self.now(), int(query["endTime"])) + 1, HOUR)[: int(query.get("limit", "30"))]
        return [
            {"symbol": query["symbol"], "sumOpenInterest": f"{interest_at(at)}", "sumOpenInterestValue": "1", "timestamp": at}
            for at in stamps
        ]

    def _kraken(self, what: str, query: dict[str, str]) -> dict[str, Any]:
        if what == "Assets":
            return {
                name: {"aclass": "currency", "altname": name, "decimals": 8, "display_decimals": 5, "status": "enabled"}
                for name in ("XXBT", "ZUSD")
            }
        if what == "AssetPairs":
            fees = {"fees": [[0, 0.26]], "fees_maker": [[0, 0.16]], "fee_volume_currency": "ZUSD"}
            shape = {"pair_decimals": 1, "lot_decimals": 8, "cost_decimals": 5, "tick_size": "0.1", "ordermin": "0.0001", "costmin": "0.5"}
            names = {"altname": "XBTUSD", "wsname": "XBT/USD", "base": "XXBT", "quote": "ZUSD"}
            classes = {"aclass_base": "currency", "aclass_quote": "currency", "lot": "unit", "lot_multiplier": 1}
            return {"XXBTZUSD": {**names, **classes, **shape, **fees, "leverage_buy": [], "leverage_sell": [], "status": "online"}}
        length = int(query["interval"]) * MINUTE
        first = max(int(query["since"]) * 1000 + 1, self.now() - 720 * length)  # it never gives more than the newest 720
        rows = candles(f"{query['interval']}m", first, self.now(), self.now())
        return {query["pair"]: [[at // 1000, *four, four[3], volume, 7] for at, *four, volume in rows], "last": 0}


def funding_at(settled: int) -> str:
    """The rate of a settlement, as the venue writes it."""
    return f"{(settled // EIGHT_HOURS % 41 - 15) / 100_000:.8f}"


def interest_at(at: int) -> float:
    return 80_000 + at // HOUR % 977 * 1.5


def _listing(name: str, *, spot: bool) -> dict[str, Any]:
    base, quote, tick = PAIRS[name]
    filters = [{"filterType": "PRICE_FILTER", "minPrice": tick, "maxPrice": "1000000", "tickSize": tick}]
    shape = {"pricePrecision": 2, "quantityPrecision": 3, "baseAssetPrecision": 8, "quotePrecision": 8, "filters": filters}
    if not spot:
        lot = {"minQty": str(AMOUNT_STEP), "maxQty": "1000", "stepSize": str(AMOUNT_STEP)}
        filters += [{"filterType": "LOT_SIZE", **lot}, {"filterType": "MIN_NOTIONAL", "notional": str(MIN_NOTIONAL)}]
        shape["orderTypes"] = ["LIMIT", "MARKET", "STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"]
    contract = {} if spot else {"pair": name, "contractType": "PERPETUAL", "deliveryDate": 4_133_404_800_000, "marginAsset": quote}
    return {"symbol": name, "status": "TRADING", "baseAsset": base, "quoteAsset": quote, **shape, **contract}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # of the usual 5 the sixth client at once waits a second until its system tries again


class _Handler(BaseHTTPRequestHandler):
    venue: LoopbackExchange
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def _answer(self, method: str) -> None:
        parts = urlsplit(self.path)
        text = parts.query or self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        line = f"{method} {parts.path}?{text}"
        fault, delay_s = self.venue.fault_for(line), self.venue.delay_for(line)
        if delay_s > 0:
            self.venue.released.wait(delay_s)
            if self.venue.released.is_set():
                self._hang_up()
                return
        headers = {name.lower(): value for name, value in self.headers.items()}
        if fault is not None and method != "GET" and not fault.endswith("-after"):
            status, data = 200, {}
        elif "signature=" in text:
            status, data = self.venue.signed(method, parts.path, text, headers)
        else:
            status, data = self.venue.answer(parts.path, {name: values[0] for name, values in parse_qs(text).items()})
        self.venue.released.wait(self.venue.delay_for(line, answer=True))
        self._spoil(fault.removesuffix("-after") if fault else None, status, data)

    def _spoil(self, fault: str | None, status: int, data: Any) -> None:
        if fault == "drop":
            self._hang_up()
        elif fault == "hang":
            self.venue.released.wait(30)
            self._hang_up()
        elif fault == "html":
            self._send(200, "<!DOCTYPE html><html><body><h1>Welcome to the hotel</h1></body></html>", kind="text/html")
        elif fault in _REFUSALS:
            status, body = _REFUSALS[fault]
            self._send(status, body, {"Retry-After": "1"}, kind="text/html" if body.startswith("<") else "application/json")
        elif fault == "echo":
            self._send(400, json.dumps({"code": -1102, "msg": f"Mandatory parameter missing for {API_KEY} with {SECRET} at {self.path}"}))
        elif fault == "cut":
            body = json.dumps(data)
            self._send(200, body[: len(body) // 2], {"Content-Length": str(len(body))})
            self._hang_up()
        else:
            self._send(status, json.dumps(data if fault is None else _spoiled(data, fault)))

    def _send(self, status: int, body: str, headers: dict[str, str] | None = None, kind: str = "application/json") -> None:
        raw = body.encode()
        self.send_response(status)
        for name, value in ({"Content-Type": kind, "Content-Length": str(len(raw))} | (headers or {})).items():
            self.send_header(name, value)
        try:
            self.end_headers()
            self.wfile.write(raw)
        except ConnectionError:  # whoever asked did not wait
            self.close_connection = True

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


def _spoiled(data: Any, kind: str) -> Any:
    """The same answer with something wrong in it."""
    if kind in ("empty", "object") or not isinstance(data, list):
        return {} if kind == "object" else type(data)()
    middle = len(data) // 2
    if kind == "nulls":
        return [None] * len(data)
    if kind == "duplicate":
        return [*data[:middle], data[middle], *data[middle:]]
    if kind == "shape":
        return {"rows": data}
    return [*data[:middle], *data[middle + 3 :]]
