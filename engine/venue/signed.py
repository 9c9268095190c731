"""Talking to an account: reading from it, and sending what must not be sent twice.

`read` repeats like the feed does. `send` asks exactly once, and distinguishes three ends of a failure: the venue said no (OrderRejected,
BrokerRefused: nothing was ordered), nothing left (BrokerUnreachable), unknown (OrderUnknown). Whatever is not clearly one of the first
two is the third: so is "too many requests" and "not from here" (429, 403, 418, 451), which a gateway says as well as a venue, before it
passed an order on or after. No message holds more than the venue's own words: ccxt's hold addresses with signatures, so errors are raised
without them in their chain.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Never, TypeVar

import aiohttp
import ccxt.async_support as ccxt

from engine.domain.errors import BrokerError, BrokerRefused, BrokerUnreachable, MarketError, MarketRefused, OrderUnknown, UnknownSymbol
from engine.domain.text.reason import Reason, mapped
from engine.venue.answers import Response, last_response
from engine.venue.keys import Keys
from engine.venue.wire import GARBLED, Wire

_NOBODY_KNOWS = {"-1000", "-1001", "-1003", "-1006", "-1007"}  # Binance: an error inside, after the request may have gone on; too many
_GATEWAYS = {403, 407, 408, 418, 429, 451}  # answers that something before the venue gives, too
_DEFINITE = (
    ccxt.InsufficientFunds,
    ccxt.InvalidOrder,
    ccxt.BadRequest,
    ccxt.AuthenticationError,
    ccxt.OperationRejected,
    ccxt.NotSupported,
)
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, socket.gaierror)
_CHECK = Reason("check_tribunal_api_key_and_tribunal_api_secret")

T = TypeVar("T")


class OrderRejected(BrokerRefused):
    """The venue said no to one order. code: its own, "" where it gave none."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class DuplicateOrder(OrderRejected):
    """The venue has an order of this client id."""


class WouldTriggerNow(OrderRejected):
    """A conditional order was refused because the price is beyond it already."""


class SignedWire(Wire):
    """A client with keys. deadline_s: total time of one reading, retries included. timeout_s: of one request."""

    def __init__(
        self,
        exchange_id: str,
        url: str | None,
        keys: Keys,
        *,
        sandbox: bool,
        timeout_s: float = 10.0,
        deadline_s: float = 20.0,
        backoff_s: float = 0.5,
    ) -> None:
        super().__init__(exchange_id, url, timeout_s, backoff_s, keys, sandbox=sandbox)
        self._keys, self._deadline_s = keys, deadline_s

    async def read(self, what: str, request: Callable[[], Awaitable[T]]) -> T:
        """Return the answer, repeated for network trouble. Raises BrokerRefused for a "no", BrokerUnreachable for everything else that
        is none."""
        trouble: BrokerError
        last_response.set(Response())
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self.ask(what, request)
        except (MarketRefused, UnknownSymbol) as error:
            trouble = BrokerRefused(mapped(str(error), self._keys.hidden))
        except MarketError as error:
            trouble = BrokerUnreachable(mapped(str(error), self._keys.hidden))
        except TimeoutError:
            trouble = BrokerUnreachable(Reason("did_not_give_within_s", id=self.client.id, what=what, deadline_s=f"{self._deadline_s:g}"))
        raise trouble

    async def send(self, what: str, request: Callable[[], Awaitable[T]]) -> T:
        """Return the answer to a request that is sent once, whatever happens. Raises OrderRejected, BrokerRefused, BrokerUnreachable,
        OrderUnknown."""
        answer = Response()
        last_response.set(answer)
        try:
            return await request()
        except (ccxt.BaseError, MarketError, OSError, *GARBLED) as error:
            trouble = self._end_of(what, error, answer)
        raise trouble

    def last(self) -> object:
        """Return the reply to the last `read` or `send` of this task, as JSON: the shape that ccxt's parsers do not check."""
        answer = last_response.get()
        return answer.data if answer is not None else None

    def is_unasked(self) -> bool:
        """Return whether the last answer says that the venue does not know this question, as gateways and smaller venues do."""
        answer = last_response.get()
        return answer is not None and (answer.status == 404 or answer.code == "-5000")

    def last_code(self) -> str:
        """Return the venue's own error code in it, "" where it gave none."""
        answer = last_response.get()
        return answer.code if answer is not None else ""

    def _end_of(self, what: str, error: Exception, answer: Response) -> BrokerError:
        venue, words = self.client.id, self._brief(error)
        if isinstance(error.__cause__, _NOT_SENT) and answer.status is None:
            return BrokerUnreachable(Reason("cannot_be_reached", venue=venue, what=what, words=words))
        if not _is_no(error, answer):
            return OrderUnknown(Reason("may_or_may_not_have_got", venue=venue, what=what, words=words))
        if isinstance(error, ccxt.AuthenticationError):
            return BrokerRefused(Reason("refused_account", venue=venue, words=words, check=_CHECK))
        kind = DuplicateOrder if _is_duplicate(error, answer) else WouldTriggerNow if _is_at_once(error, answer) else OrderRejected
        return kind(words, answer.code)

    def _refuse(self, what: str, error: Exception) -> Never:
        if isinstance(error, ccxt.AuthenticationError):
            raise MarketRefused(Reason("refused_account", venue=self.client.id, words=self._brief(error), check=_CHECK)) from None
        super()._refuse(what, error)

    def _brief(self, error: Exception) -> str:
        """Return the venue's own words where it had some, else what kind of trouble it was."""
        answer = last_response.get() or Response()
        if isinstance(error, MarketError):
            words = str(error)
        elif answer.words:
            words = answer.words + (f" ({answer.code})" if answer.code else "")
        elif isinstance(error, ccxt.RequestTimeout | TimeoutError):
            words = Reason("no_answer_in_time")
        elif answer.status is not None and answer.status >= 300:
            words = f"HTTP {answer.status}"
        elif isinstance(error, ccxt.NetworkError):
            words = Reason("connection_failed")
        else:
            words = f"{type(error).__name__}"
        return self._keys.hidden(words)[:200]


def _is_no(error: Exception, answer: Response) -> bool:
    """Return whether it is certain that nothing was ordered."""
    if answer.status is None:  # ccxt refused it before it left
        return isinstance(error, ccxt.ExchangeError) and error.__cause__ is None
    if not isinstance(answer.data, dict) or answer.code in _NOBODY_KNOWS or answer.status in _GATEWAYS:
        return False
    if answer.status < 300:
        return isinstance(error, _DEFINITE)
    return 400 <= answer.status < 500 and (answer.code != "" or isinstance(error, _DEFINITE))


def _is_duplicate(error: Exception, answer: Response) -> bool:
    return isinstance(error, ccxt.DuplicateOrderId) or answer.code == "-4116" or "duplicate" in answer.words.lower()


def _is_at_once(error: Exception, answer: Response) -> bool:
    return isinstance(error, ccxt.OrderImmediatelyFillable) or "immediately trigger" in answer.words.lower()
