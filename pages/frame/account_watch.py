"""What begins with the server and not with a page: the terminal is told its address, and the positions of exchange accounts are watched
over. And what is waited for at its end."""

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from engine.api import Engine
from engine.domain.errors import BadInput, TribunalError
from pages.frame.shared_engine import cached_engine
from pages.server.address_line import say_address

_AGAIN_S: Final = 15.0
_LAST_ORDER_S: Final = 60.0
_log = logging.getLogger(__name__)


@asynccontextmanager
async def watching(_app: Any) -> AsyncIterator[None]:
    """Span the life of the application: from its start positions are watched over, in the background, whether a page is opened or not; at
    its end (SIGTERM, Ctrl-C) an order that is under way comes to its end, and to its stop; then everything is released."""
    say_address()
    ended, watched = threading.Event(), list[Engine]()
    threading.Thread(target=_begin, args=(ended, watched), name="tribunal-watching", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        if watched:
            await asyncio.to_thread(_settle, watched[0])


def _begin(ended: threading.Event, watched: list[Engine]) -> None:
    """Begin to watch. A journal that cannot be opened at the moment is tried again; bad settings are said on every page, and once here."""
    while not ended.is_set():
        try:
            engine = cached_engine()
            engine.watch_accounts()
            watched.append(engine)
            _say_end(engine)
        except BadInput as problem:
            _log.warning("positions are not watched over: %s", problem)
        except TribunalError as problem:
            _log.warning("positions are not watched over yet: %s", problem)
            ended.wait(_AGAIN_S)
            continue
        return


def _settle(engine: Engine) -> None:
    try:
        engine.trading.wait_until_idle(_LAST_ORDER_S)
    except TribunalError as problem:
        _log.warning("an order was under way when the server ended: %s", problem)
    _say_end(engine)
    engine.close()


def _say_end(engine: Engine) -> None:
    """Write to stderr where the audit chain ends, so that a journal put back between two starts shows in the log."""
    try:
        line = engine.trading.chain_end()
    except TribunalError:  # said elsewhere
        return
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
