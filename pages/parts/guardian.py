"""What begins with the server and not with a page: watching over the positions of exchange accounts."""

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from engine.domain.errors import BadInput, TribunalError
from pages.parts.door import the_engine

_AGAIN_S: Final = 15.0
_log = logging.getLogger(__name__)


@asynccontextmanager
async def watching(_app: Any) -> AsyncIterator[None]:
    """The lifespan of the application: from its start positions are watched over, in the background, whether a page is opened or not."""
    ended = threading.Event()
    threading.Thread(target=_begin, args=(ended,), name="tribunal-watching", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _begin(ended: threading.Event) -> None:
    """A journal that cannot be opened at the moment is tried again; bad settings are said on every page, and once here."""
    while not ended.is_set():
        try:
            the_engine().watch_accounts()
        except BadInput as problem:
            _log.warning("positions are not watched over: %s", problem)
        except TribunalError as problem:
            _log.warning("positions are not watched over yet: %s", problem)
            ended.wait(_AGAIN_S)
            continue
        return
