"""`GET /runs/{id}/events`: what happens in a run, as server-sent events, for pages of this server.

    event: text    what a role has written; the browser draws it in its seat      {"s": seat, "n": length, "k": blocks kept, "b": blocks}
    event: stage   something else has happened: the page asks Streamlit to draw its panels
    event: over    the run has ended, and nothing more comes

`id` is the number of the newest event. A reader that comes back says it (`Last-Event-ID`) and hears of a stage only if there was one after
it; texts always come whole at first. A page proves with a token that it was drawn for somebody who may see it: the token lives as long as
the visit in Streamlit, so a stream ends with its visit and at a logout. A visit has one stream.

Nothing is queued: a slow reader is sent the difference between what it has and what is newest, whenever it can take it.
"""

import asyncio
import json
import logging
import secrets
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, Final
from weakref import WeakValueDictionary, ref

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from engine.api import Engine
from engine.domain.errors import TribunalError
from pages.frame.shared_engine import cached_engine
from pages.frame.show import Show
from pages.run.flow_page import FlowPage
from pages.run.live_feed import LiveFeed, LiveNow, LiveText
from pages.server.static_files import base_path, mount

VISIT_HEADER: Final = "x-tribunal-visit"
MOST_STREAMS: Final = 256
BEAT_S: Final = 2.0
"""Silence after which a stream says that it is alive; a browser that hears nothing for three of them polls."""
SLOWEST_S: Final = 30.0
"""How long a reader may take for what it is sent before its stream is given up."""
_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
)
_KEPT: Final = "live-visit"
_log = logging.getLogger(__name__)


class Visit:
    """One session of Streamlit. stream: which of its streams is the newest."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.stream: object = None


_visits: "WeakValueDictionary[str, Visit]" = WeakValueDictionary()


def visit_token() -> str:
    """Return the token of the visit that a page is drawn for. Called behind the login."""
    visit: Visit | None = st.session_state.get(_KEPT)
    if visit is None:
        visit = st.session_state[_KEPT] = Visit()
        _visits[visit.token] = visit
    return visit.token


def is_visit(request: Request) -> bool:
    """Return whether a request comes from a page that was drawn for somebody who may see what there is."""
    return request.headers.get(VISIT_HEADER, "") in _visits


def end_visit() -> None:
    """Let the streams of this visit end, as at a logout."""
    visit: Visit | None = st.session_state.pop(_KEPT, None)
    if visit is not None:
        visit.stream = None


def follow_run(run_id: str, seq: int, show: Show) -> None:
    """Let the browser follow a run that goes on: draw its words as they come, and have the fragment drawn anew that this is called in.
    seq: of the newest event that is drawn."""
    data = {
        "run": run_id,
        "address": f"{base_path()}/runs/{run_id}/events",
        "visit": visit_token(),
        "seq": seq,
        "pending": show.say("pending"),
    }
    mount("live/live.js", "live", data, on_redraw_change=_redraw)


def _redraw() -> None:
    """Do nothing: what asked for it is drawn next."""


def live_routes(page_of_flow: Callable[[str], FlowPage], engine: Callable[[], Engine] = cached_engine) -> list[BaseRoute]:
    """Return the route of the streams, for `App(routes=...)`. page_of_flow: how runs of a flow are shown."""
    return [Route(f"{base_path()}/runs/{{run_id}}/events", LiveStreams(page_of_flow, engine).answer)]


class LiveStreams:
    """The open streams of this server. Lives on its event loop."""

    def __init__(self, page_of_flow: Callable[[str], FlowPage], engine: Callable[[], Engine]) -> None:
        self._page_of_flow, self._engine = page_of_flow, engine
        self._feeds: dict[str, tuple[LiveFeed, set[asyncio.Event]]] = {}
        self._count = 0
        self._server_ends = threading.Event()
        self._hears_end = False

    async def answer(self, request: Request) -> Any:
        """Answer with a stream; 403 for a visit that is not known, 404 for a run that there is not, 503 for one stream too many."""
        visit = _visits.get(request.headers.get(VISIT_HEADER, ""))
        if visit is None:
            return _refusal(403, "this page is not known here; load it again")
        if request.method != "GET":
            return _refusal(405, "only GET")
        if self._count >= MOST_STREAMS or self._server_ends.is_set():
            return _refusal(503, "too many streams are open")
        run_id = request.path_params["run_id"]
        try:
            engine = await asyncio.to_thread(self._engine)
            record = await asyncio.to_thread(engine.run, run_id)
        except TribunalError:
            return _refusal(503, "the journal cannot be read")
        if record is None:
            return _refusal(404, "there is no such run")
        after = request.headers.get("last-event-id", "")
        return _Stream(self, engine, run_id, self._page_of_flow(record.request.flow), visit, int(after) if after.isdecimal() else None)

    def join(self, engine: Engine, run_id: str, page: FlowPage, changed: asyncio.Event) -> LiveFeed:
        """Return the feed of a run, and have `changed` set whenever it has something new."""
        self._hear_the_end()
        self._count += 1
        known = self._feeds.get(run_id)
        if known is None or known[0].is_broken or (known[0].now is not None and known[0].now.is_over):
            loop, readers = asyncio.get_running_loop(), set[asyncio.Event]()
            known = self._feeds[run_id] = LiveFeed(engine, run_id, page, lambda: _wake(loop, readers)), readers
        known[1].add(changed)
        return known[0]

    def leave(self, run_id: str, feed: LiveFeed, changed: asyncio.Event) -> None:
        """Remove a reader; a run without readers is not followed."""
        self._count -= 1
        known = self._feeds.get(run_id)
        if known is None or known[0] is not feed:
            return
        known[1].discard(changed)
        if not known[1]:
            del self._feeds[run_id]
            feed.end()

    @property
    def server_ends(self) -> bool:
        """Whether the server has been told to end: it waits for its answers, so streams end by themselves."""
        return self._server_ends.is_set()

    def _hear_the_end(self) -> None:
        """Notice the signals that end the server, and pass them on to the earlier handlers."""
        if self._hears_end or threading.current_thread() is not threading.main_thread():
            return
        self._hears_end = True
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if callable(before):
                signal.signal(number, self._heard(loop, before))

    def _heard(self, loop: asyncio.AbstractEventLoop, before: Callable[[int, Any], Any]) -> Callable[[int, Any], None]:
        def heard(number: int, frame: Any) -> None:
            self._server_ends.set()
            for _, readers in self._feeds.values():
                _wake(loop, readers)
            before(number, frame)

        return heard


def _wake(loop: asyncio.AbstractEventLoop, readers: set[asyncio.Event]) -> None:
    def set_all() -> None:
        for each in readers:
            each.set()

    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(set_all)


def _refusal(status: int, why: str) -> PlainTextResponse:
    return PlainTextResponse(f"{why}\n", status, {"cache-control": "no-store"})


class _Stream:
    """One answer, as an ASGI application. It keeps no visit alive."""

    def __init__(self, streams: LiveStreams, engine: Engine, run_id: str, page: FlowPage, visit: Visit, after: int | None) -> None:
        self._streams, self._engine, self._run_id, self._page, self._after = streams, engine, run_id, page, after
        self._visit, self._own = ref(visit), object()
        visit.stream = self._own
        self._changed = asyncio.Event()
        self._is_left = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        feed = self._streams.join(self._engine, self._run_id, self._page, self._changed)
        leaving = asyncio.create_task(self._hear_leaving(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            async for words in self._messages(feed):
                async with asyncio.timeout(SLOWEST_S):
                    await send(_part(words))
            await send(_part(b"", more=False))
        except (TimeoutError, OSError):
            _log.info("a reader of run %s takes nothing any more", self._run_id)
        finally:
            leaving.cancel()
            self._streams.leave(self._run_id, feed, self._changed)

    async def _hear_leaving(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._is_left = True
        self._changed.set()

    def _is_wanted(self) -> bool:
        visit = self._visit()
        return not self._is_left and not self._streams.server_ends and visit is not None and visit.stream is self._own

    async def _messages(self, feed: LiveFeed) -> AsyncIterator[bytes]:
        known, sent, version = dict[str, LiveText](), None, -1
        yield b": here\n\n"
        while self._is_wanted():
            self._changed.clear()
            now = feed.now
            if now is not None and now is not sent:
                news = _news(now, known)
                if now.version != version and not (sent is None and self._after is not None and now.drawn <= self._after <= now.seq):
                    news += b"event: stage\ndata: {}\n\n"
                sent, version, known = now, now.version, dict(now.texts)
                if now.is_over:
                    news += b"event: over\ndata: {}\n\n"
                yield news + f"id: {now.seq}\nevent: at\ndata: {json.dumps(now.drawn)}\n\n".encode()
                if now.is_over:
                    return
            if feed.is_broken:
                return
            if feed.now is sent:
                try:
                    await asyncio.wait_for(self._changed.wait(), BEAT_S)
                except TimeoutError:
                    yield b": beat\n\n"


def _news(now: LiveNow, known: dict[str, LiveText]) -> bytes:
    """Return what a reader lacks. known: the texts that it has."""
    return b"".join(text.since(known.get(seat)) for seat, text in now.texts.items() if known.get(seat) is not text)


def _part(words: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": words, "more_body": more}
