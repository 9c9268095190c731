"""One ccxt client and the manners of talking through it: addresses, retries, and what an answer that is none means.

Gives a client whose REST addresses may be redirected, and `Wire.ask`, which repeats a request for network trouble only and ends every
other failure in one MarketError of one line. It never repeats a "no" (geo-block, ban, bad request) and never lets a web page pass for data.
"""

import asyncio
import difflib
import re
from collections.abc import Awaitable, Callable
from types import MethodType
from typing import Any, Never, TypeVar

import aiohttp
import ccxt.async_support as ccxt

from engine.domain.errors import BadInput, BadMarketData, MarketRefused, MarketUnreachable, UnknownSymbol

ATTEMPTS = 4
_HOST = re.compile(r"^https?://[^/]+")
_GARBLED = (TypeError, ValueError, KeyError, IndexError, AttributeError)  # what ccxt's parsers do with an answer of another shape
_WAY_OUT = "choose another venue with TRIBUNAL_EXCHANGE, or a gateway with TRIBUNAL_EXCHANGE_URL"

T = TypeVar("T")


class _SlowDown(ccxt.DDoSProtection):  # type: ignore[misc]
    """HTTP 429, with the seconds the venue asks to wait."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Wire:
    """A client and its manners. client: the ccxt exchange. backoff_s: wait before the second attempt, doubled for each further one."""

    def __init__(self, exchange_id: str, url: str | None, timeout_s: float, backoff_s: float) -> None:
        self.client = _client(exchange_id, url, timeout_s)
        self._backoff_s = backoff_s

    async def ask(self, what: str, request: Callable[[], Awaitable[T]]) -> T:
        """The answer to `request`, repeated for network trouble. what: the thing asked for, in words. Raises MarketError."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await request()
            except ccxt.BaseError as error:
                if not _is_network_trouble(error):
                    self._refuse(what, error)
                if attempt == ATTEMPTS:
                    raise MarketUnreachable(f"{self.client.id} did not give {what} in {ATTEMPTS} attempts: {_brief(error)}") from error
                wait_s = max(self._backoff_s * 2 ** (attempt - 1), error.wait_s if isinstance(error, _SlowDown) else 0.0)
            except _GARBLED as error:
                raise BadMarketData(f"{self.client.id} answered {what} in a form that cannot be read ({_brief(error)})") from error
            await asyncio.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()

    def _refuse(self, what: str, error: Exception) -> Never:
        if isinstance(error, ccxt.BadSymbol):
            raise UnknownSymbol(f"{self.client.id} does not know the symbol: {_brief(error)}") from error
        raise MarketRefused(f"{self.client.id} refused {what}: {_brief(error)}") from error


def _client(exchange_id: str, url: str | None, timeout_s: float) -> Any:
    if exchange_id not in ccxt.exchanges:
        near = ", ".join(difflib.get_close_matches(exchange_id, ccxt.exchanges, n=3))
        raise BadInput(
            f"exchange {exchange_id!r} is not known to ccxt" + (f": did you mean {near}?" if near else ": write a ccxt id, such as kraken")
        )
    client = getattr(ccxt, exchange_id)({"timeout": int(timeout_s * 1000), "enableRateLimit": True})
    if client.has.get("fetchOHLCV") is not True:
        raise BadInput(f"exchange {exchange_id} gives no candles: choose one that has them, for example binanceusdm or kraken")
    if url is not None:
        if _HOST.match(url) is None:
            raise BadInput(f"exchange address {url!r} is not one: write http://host:port or https://host")
        client.urls["api"] = _redirected(client.urls["api"], url.rstrip("/"))
    if url is not None and url.startswith("http://"):
        client.timeout_on_exit = 0  # only encrypted connections need a moment to say goodbye
    client.on_rest_response = MethodType(_look_at_answer, client)
    if type(client).parse_ohlcvs is ccxt.Exchange.parse_ohlcvs:
        client.parse_ohlcvs = MethodType(_all_rows, client)
    return client


def _redirected(entry: Any, url: str) -> Any:
    """Every REST address in a (nested) table of addresses, with scheme and host replaced and the path kept."""
    if isinstance(entry, dict):
        return {name: _redirected(value, url) for name, value in entry.items()}
    return _HOST.sub(lambda _: url, entry) if isinstance(entry, str) else entry


def _all_rows(client: Any, ohlcvs: Any, market: Any = None, *_: Any, **__: Any) -> list[Any]:
    """ccxt drops rows without a time and sorts the rest; a broken answer must reach the check as it is."""
    if not isinstance(ohlcvs, list):
        raise BadMarketData(f"{client.id} answered candles with {str(ohlcvs)[:80]!r}")
    return [client.parse_ohlcv(row, market) for row in ohlcvs]


def _look_at_answer(client: Any, code: int, reason: str, url: str, *rest: Any) -> str:
    """Called by ccxt with every answer before it reads it: names what ccxt would take for something else."""
    _, headers, body, *_ = rest
    text = str(body).strip()
    if code in (403, 451):
        raise MarketRefused(f"{client.id} does not serve this place (HTTP {code}): {_WAY_OUT}")
    if code == 418:
        raise MarketRefused(f"{client.id} has banned this address for a while (HTTP 418, too many requests): wait, or {_WAY_OUT}")
    if code == 429:
        raise _SlowDown(f"HTTP 429 {reason}, too many requests", _seconds(headers))
    if code < 300 and text.startswith("<"):
        raise BadMarketData(f"{client.id} answered with a web page instead of data: is {url.split('?', maxsplit=1)[0]} its address?")
    if code < 300 and text[:1] in ("{", "[") and text[-1] not in ("}", "]"):
        raise BadMarketData(f"{client.id} sent an answer that is cut off after {len(text)} characters")
    return text


def _seconds(headers: dict[str, str]) -> float:
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(value) if value.isdigit() else 0.0


def _is_network_trouble(error: Exception) -> bool:
    """ccxt calls an answer that breaks off in the middle an ExchangeError; it is the network's fault all the same."""
    return isinstance(error, ccxt.NetworkError) or isinstance(error.__cause__, aiohttp.ClientError)


def _brief(error: Exception) -> str:
    """One short line."""
    return (" ".join(str(error).split()) or type(error).__name__)[:200]
