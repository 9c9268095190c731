"""Whether real orders may leave this process, and the words that allow it from a page.

The words are random, made when the process starts, and written to the terminal it was started in and nowhere else: anyone who can type them
has seen that terminal. A page of another program, or a program that talks to this server, has not. Only a digest of them is kept.
"""

import hashlib
import hmac
import secrets
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.errors import NotAllowed
from engine.domain.text.reason import Reason
from engine.settings import Settings

_CONSONANTS: Final = "bdfgkmnprstvz"
_VOWELS: Final = "aeiou"
_WORDS, _SYLLABLES = 4, 2  # 48 bits: with so few tries, no one guesses them
_FREE_TRIES, _MOST_TRIES, _PAUSE_S = 3, 10, 15.0


class LiveGate:
    """asks: whether the words must be typed beside TRIBUNAL_LIVE=yes. clock: seconds that only grow."""

    def __init__(self, settings: Settings, *, asks: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._live, self._asks = settings.live == "yes", asks
        self._confirmed = False
        self._trying = threading.Lock()
        self._clock, self._wrong, self._closed_until = clock, 0, 0.0
        self._salt, self._digest = secrets.token_bytes(16), b""
        if self.requires_words:
            words = _random_words()
            self._digest = self._digest_of(words)
            _show(words)

    @property
    def requires_words(self) -> bool:
        """Whether what opens the way for real orders has to be typed here, each time."""
        return self._live and self._asks

    @property
    def is_open(self) -> bool:
        """Whether real orders may leave."""
        return self._live and (self._confirmed or not self._asks)

    @property
    def asks(self) -> bool:
        """Whether the confirmation is still missing."""
        return self.requires_words and not self._confirmed

    def confirm(self, typed: str) -> None:
        """Open the gate for as long as this process lives. Raises NotAllowed for any other words."""
        if not self._live:
            raise NotAllowed(Reason("tribunal_live_is_not_yes"))
        self.check(typed)
        self._confirmed = True

    def check(self, typed: str) -> None:
        """Require the words of this start where they are required. Wrong ones cost a growing pause; after ten no words are accepted. Raises
        NotAllowed."""
        if not self.requires_words:
            return
        with self._trying:
            left_s = self._closed_until - self._clock()
            if self._wrong >= _MOST_TRIES:
                raise NotAllowed(Reason("wrong_words_were_typed_too_often"))
            if left_s > 0:
                raise NotAllowed(Reason("wrong_words_were_typed", left_s=f"{left_s:.0f}"))
            if hmac.compare_digest(self._digest_of(typed), self._digest):
                self._wrong = 0
                return
            self._wrong += 1
            if self._wrong >= _FREE_TRIES:
                self._closed_until = self._clock() + _PAUSE_S * 2.0 ** (self._wrong - _FREE_TRIES)
            raise NotAllowed(Reason("these_are_not_words"))

    def may_send(self, account_ref: AccountRef) -> None:
        """Require that orders for this account may leave now. Raises NotAllowed while real orders are not confirmed, and without
        TRIBUNAL_LIVE=yes for a broker that has no sandbox."""
        able = capabilities_of(account_ref.broker)
        if able.real_money and not able.sandbox and not self._live:
            raise NotAllowed(Reason("broker_has_no_sandbox", broker=account_ref.broker))
        if able.real_money and self.asks:
            raise NotAllowed(Reason("real_orders_are_not_confirmed_yet"))

    def _digest_of(self, words: str) -> bytes:
        plain = " ".join(words.split()).casefold().encode("utf-8", "replace")
        return hashlib.blake2b(plain, key=self._salt).digest()


def _random_words() -> str:
    def word() -> str:
        return "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(_SYLLABLES))

    return " ".join(word() for _ in range(_WORDS))


def _show(words: str) -> None:
    """Write the words to stderr, past every logger. Where there is none, no one can read them, and no real order leaves."""
    lines = ("TRIBUNAL_LIVE=yes: real orders wait until these words are typed on the settings page:", f"    {words}")
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write("\n".join((*lines, "They hold until this program ends; lifting a halt on a page asks for them too.", "")))
        sys.stderr.flush()
