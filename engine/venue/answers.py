"""What a venue answered, as it came in: names what ccxt would take for something else, and keeps the last answer.

ccxt finds the meaning of an error code by the address it was sent to, which a redirected client does not have; so the code and the words
are read here, out of the answer itself. `last_response` is what the requests of the current task got.
"""

import json
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import ccxt.async_support as ccxt

from engine.domain.errors import BadMarketData, MarketRefused
from engine.domain.text.reason import Reason

_WAY_OUT = Reason("choose_another_venue_with_tribunal_exchange")
_CODES = ("code", "retCode", "sCode", "errorCode")
_WORDS = ("msg", "message", "retMsg", "sMsg", "error", "errmsg")


class SlowDown(ccxt.DDoSProtection):  # type: ignore[misc]
    """HTTP 429, with the seconds the venue asks to wait."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


@dataclass
class Response:
    """The last answer to this task's requests. status: HTTP, None = nothing came back."""

    status: int | None = None
    text: str = ""

    @property
    def data(self) -> Any:
        """The answer as JSON; None when it is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    @property
    def code(self) -> str:
        """The venue's own error code, "" where it gave none."""
        return self._first(_CODES)

    @property
    def words(self) -> str:
        """The venue's own words of an error, in one line."""
        return " ".join(self._first(_WORDS).split())

    def _first(self, names: tuple[str, ...]) -> str:
        data = self.data
        return next((str(data[name]) for name in names if data.get(name)), "") if isinstance(data, dict) else ""


last_response: ContextVar[Response | None] = ContextVar("heard", default=None)


class CheckedAnswers:
    """What a client of any venue does with answers. A ccxt exchange class is mixed in behind it (`client.py`)."""

    def on_rest_response(self, code: int, reason: str, url: str, _method: str, headers: dict[str, str], body: str, *_: Any) -> str:
        """Return the text of an answer, before ccxt reads it. Raises MarketRefused, BadMarketData and SlowDown."""
        return _checked(str(getattr(self, "id", "")), code, reason, url, headers, body)


class AllRows:
    """For venues without a way of their own to read candles: every row is kept."""

    def parse_ohlcvs(self, ohlcvs: Any, market: Any = None, *_: Any, **__: Any) -> list[Any]:
        """Return all rows in the venue's order: ccxt drops those without a time and sorts the rest, but a broken answer must reach the
        check as it is. Raises BadMarketData."""
        client: Any = self
        if not isinstance(ohlcvs, list):
            raise BadMarketData(Reason("answered_candles_with", client_id=client.id, ohlcvs=f"{str(ohlcvs)[:80]!r}"))
        return [client.parse_ohlcv(row, market) for row in ohlcvs]


def _checked(venue: str, code: int, reason: str, url: str, headers: dict[str, str], body: str) -> str:
    text = str(body).strip()
    listening = last_response.get()
    if listening is not None:
        listening.status, listening.text = code, text
    if code in (403, 451):
        raise MarketRefused(Reason("does_not_serve_this_place", venue=venue, code=code, way_out=_WAY_OUT))
    if code == 418:
        raise MarketRefused(Reason("has_banned_this_address_for_while", venue=venue, way_out=_WAY_OUT))
    if code == 429:
        raise SlowDown(f"HTTP 429 {reason}, too many requests", _seconds(headers))
    if code < 300 and text.startswith("<"):
        raise BadMarketData(Reason("answered_with_web_page_instead_of_data", venue=venue, value=url.split("?", maxsplit=1)[0]))
    if code < 300 and text[:1] in ("{", "[") and text[-1] not in ("}", "]"):
        raise BadMarketData(Reason("sent_answer_that_is_cut_off", venue=venue, text=len(text)))
    return text


def _seconds(headers: dict[str, str]) -> float:
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(value) if value.isdigit() else 0.0
