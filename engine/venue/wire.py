"""One ccxt client and the manners of talking through it: retries, and what an answer that is none means.

Gives `Wire.ask`, which repeats a request for network trouble only and ends every other failure in one MarketError of one line. It never
repeats a "no" (geo-block, ban, bad request) and never lets a web page pass for data.
"""

from asyncio import sleep
from collections.abc import Awaitable, Callable
from typing import Never, TypeVar

import aiohttp
import ccxt.async_support as ccxt
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_random

from engine.domain.errors import BadMarketData, MarketRefused, MarketUnreachable, UnknownSymbol
from engine.domain.text.reason import Reason
from engine.venue.answers import SlowDown
from engine.venue.client import open_client
from engine.venue.keys import Keys

ATTEMPTS = 4
_MOST_SPREAD_S = 5.0
GARBLED = (TypeError, ValueError, KeyError, IndexError, AttributeError)  # what ccxt's parsers do with an answer of another shape

T = TypeVar("T")


class Wire:
    """A client and its manners. client: the ccxt exchange. backoff_s: wait before the second attempt, doubled for each further one."""

    def __init__(
        self, exchange_id: str, url: str | None, timeout_s: float, backoff_s: float, keys: Keys | None = None, *, sandbox: bool = False
    ) -> None:
        self.client = open_client(exchange_id, url, timeout_s, keys, sandbox=sandbox)
        self._backoff = wait_exponential(multiplier=backoff_s)

    async def ask(self, what: str, request: Callable[[], Awaitable[T]]) -> T:
        """Return the answer to `request`, repeated for network trouble. what: the thing asked for, in words. Raises MarketError."""

        async def attempt() -> T:
            try:
                return await request()
            except ccxt.BaseError as error:
                if not _is_network_trouble(error):
                    self._refuse(what, error)
                raise
            except GARBLED as error:
                raise BadMarketData(
                    Reason("venue_answer_cannot_be_read", client_id=self.client.id, what=what, error=self._brief(error))
                ) from error

        asking = AsyncRetrying(
            retry=retry_if_exception_type(ccxt.BaseError), wait=self._wait, stop=stop_after_attempt(ATTEMPTS), reraise=True, sleep=sleep
        )
        try:
            return await asking(attempt)
        except ccxt.BaseError as error:
            words = self._brief(error)
            raise MarketUnreachable(
                Reason("did_not_give_in_attempts", client_id=self.client.id, what=what, attempts=ATTEMPTS, words=words)
            ) from error

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds before the next attempt: no fewer than the venue asks for, and a random part, so that many that failed
        together do not come back together."""
        error = state.outcome.exception() if state.outcome is not None else None
        least = max(self._backoff(state), error.wait_s if isinstance(error, SlowDown) else 0.0)
        return least + wait_random(0, min(least / 2, _MOST_SPREAD_S))(state)

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()

    def _refuse(self, what: str, error: Exception) -> Never:
        if isinstance(error, ccxt.BadSymbol):
            raise UnknownSymbol(Reason("does_not_know_symbol", client_id=self.client.id, error=self._brief(error))) from error
        raise MarketRefused(Reason("venue_refused", client_id=self.client.id, what=what, error=self._brief(error))) from error

    def _brief(self, error: Exception) -> str:
        """Return one short line."""
        return (" ".join(str(error).split()) or type(error).__name__)[:200]


def _is_network_trouble(error: Exception) -> bool:
    """Return whether the network failed: ccxt calls an answer that breaks off in the middle an ExchangeError, and it is the network's fault
    all the same."""
    return isinstance(error, ccxt.NetworkError) or isinstance(error.__cause__, aiohttp.ClientError)
