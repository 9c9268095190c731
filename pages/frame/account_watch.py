"""What begins with the server and not with a page: the terminal is told its address, and the positions of exchange accounts are watched
over. And what is waited for at its end."""

import asyncio
import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import sleep
from typing import Any, Final

from streamlit import config

from engine.api import Engine
from engine.domain.errors import BadInput, TribunalError
from pages.frame.shared_engine import cached_engine
from pages.server.static_files import base_path

_AGAIN_S: Final = 15.0
_LAST_ORDER_S: Final = 60.0
_EVERYWHERE: Final = {"", "0.0.0.0", "::"}  # noqa: S104 - what is compared with, nothing is bound here
_TRIES, _PAUSE_S = 240, 0.25
_log = logging.getLogger(__name__)


@asynccontextmanager
async def watching(_app: Any) -> AsyncIterator[None]:
    """Span the life of the application: from its start positions are watched over, in the background, whether a page is opened or not; at
    its end (SIGTERM, Ctrl-C) an order that is under way comes to its end, and to its stop; then everything is released."""
    _say_address()
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


def _say_address() -> None:
    """Print the address of the pages, and open it in a browser once it answers: not without a display, and not where the option
    `server.headless` says so."""
    host = str(config.get_option("server.address") or "")
    name = "127.0.0.1" if host in _EVERYWHERE else host
    port = int(config.get_option("server.port"))
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    address = f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}{base_path()}/"
    sys.stdout.write(f"Tribunal: {address}\n")
    sys.stdout.flush()
    if not config.get_option("server.headless"):
        threading.Thread(target=_open, args=(name, port, address), name="tribunal-opening", daemon=True).start()


def _open(name: str, port: int, address: str) -> None:
    """Open the address when something listens there: a browser that comes earlier shows an error."""
    for _ in range(_TRIES):
        with socket.socket(socket.AF_INET6 if ":" in name else socket.AF_INET) as probe:
            if probe.connect_ex((name, port)) == 0:
                webbrowser.open(address)
                return
        sleep(_PAUSE_S)
