"""Server-sent events of a run: who is answered, what a reader has after any message, a dropped line, a slow reader, a run of another
process, and what ends a stream."""

import asyncio
import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette

from engine.api import Engine
from engine.domain.errors import StoreError
from engine.domain.events import Event
from engine.settings import Settings
from pages.claims.claim_markup import growing_blocks
from pages.desks import page_of_flow
from pages.run import live_stream
from pages.run.live_seat import seat_name
from pages.run.live_stream import VISIT_HEADER, Visit, live_routes
from pages.run.reducer import PLAIN
from pages.run.view import Turn
from tests.pages.event_log import TEXTS, Log, spoken

RUN = "run-test"
HOSTILE = '<img src=x onerror=alert(1)> </p><script>x</script> \u202egnp.exe &amp; "quoted" **bold <b>**\n- one\n- two'


class Told:
    """A log that grows as a test says, as an engine shows it. flow: of the run."""

    def __init__(self, flow: str = "toy") -> None:
        self.log, self.flow, self.broken = Log(RUN), flow, False
        self._more = threading.Condition()
        self._shown = list[Event]()

    def show(self) -> None:
        """Let readers have what was added to `log`."""
        with self._more:
            self._shown = list(self.log.events)
            self._more.notify_all()

    def run(self, run_id: str) -> Any:
        return SimpleNamespace(status="running", request=SimpleNamespace(flow=self.flow)) if run_id == RUN else None

    def reading(self, _run_id: str) -> None:
        return None

    def events(self, _run_id: str, after: int = 0) -> list[Event]:
        if self.broken:
            raise StoreError("the journal is gone")
        return self._shown[after:]

    def wait_events(self, _run_id: str, after: int, timeout: float) -> list[Event]:
        with self._more:
            self._more.wait_for(lambda: len(self._shown) > after, timeout)
        return self._shown[after:]


@dataclass
class Reader:
    """A browser, as far as streams go: what it was answered, what it has of every text, how often it was told of a stage."""

    status: int = 0
    last: str = ""
    stages: int = 0
    is_over: bool = False
    is_closed: bool = False
    pieces: int = 0
    texts: dict[str, tuple[int, list[Any]]] = field(default_factory=dict)
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    takes: asyncio.Event = field(default_factory=asyncio.Event)
    _rest: bytes = b""

    async def send(self, message: Any) -> None:
        await self.takes.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        self.pieces += 1
        *messages, self._rest = (self._rest + message.get("body", b"")).split(b"\n\n")
        for each in messages:
            self._hear(dict(line.split(": ", 1) for line in each.decode().splitlines() if not line.startswith(":")))
        self.is_closed = not message.get("more_body", False)
        self.heard.set()

    def _hear(self, said: dict[str, str]) -> None:
        self.last = said.get("id", self.last)
        kind = said.get("event")
        self.stages += kind == "stage"
        self.is_over |= kind == "over"
        if kind == "text":
            news = json.loads(said["data"])
            known = self.texts.get(news["s"], (0, []))[1]
            assert news["k"] <= len(known), "nothing is missing in between"
            self.texts[news["s"]] = news["n"], [*known[: news["k"]], *news["b"]]

    async def until(self, condition: Any) -> None:
        """Wait for something that is meant to come."""
        async with asyncio.timeout(90):
            while not condition():
                self.heard.clear()
                await self.heard.wait()


class Desk:
    """The route, its visits, and whoever reads there."""

    def __init__(self, engine: Any) -> None:
        self._app = Starlette(routes=live_routes(page_of_flow, lambda: engine))

    @asynccontextmanager
    async def reading(
        self, visit: Visit | None, run: str = RUN, *, last: str = "", takes: bool = True, method: str = "GET", kept: bool = True
    ) -> AsyncIterator[Reader]:
        """kept: its visit lasts as long as it reads."""
        reader, gone = Reader(), asyncio.Event()
        if takes:
            reader.takes.set()
        headers = [(VISIT_HEADER.encode(), visit.token.encode())] if visit is not None else []
        headers += [(b"last-event-id", last.encode())] if last else []
        if not kept:
            visit = None
        scope = {"type": "http", "method": method, "path": f"/runs/{run}/events", "headers": headers, "query_string": b"", "asgi": {}}

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        answer = asyncio.create_task(self._app({**scope, "http_version": "1.1", "server": None, "client": None}, receive, reader.send))
        try:
            yield reader
        finally:
            gone.set()
            reader.takes.set()
            await asyncio.wait_for(answer, 20)


def came() -> Visit:
    """Somebody for whom a page was drawn."""
    visit = Visit()
    live_stream._visits[visit.token] = visit
    return visit


@pytest.fixture
def told() -> Iterator[Told]:
    """A run that has begun and goes on."""
    told = Told()
    told.log.start()
    told.show()
    yield told
    told.log.finish_run("WAIT")
    told.show()


def expected(text: str) -> list[Any]:
    """What a reader has of a text that is being written."""
    return json.loads(json.dumps([[block.kind, block.pieces] for block in growing_blocks(text, (0, len(text)), ())]))


def seat(role: str, rounds: int = 0, attempt: int = 1) -> str:
    return seat_name(Turn(role, rounds, attempt=attempt))


async def test_texts_that_grow_side_by_side_are_what_the_page_would_draw_at_every_moment(told: Told) -> None:
    texts = {role: f"{TEXTS[role]}\n\n{HOSTILE}\n\n{spoken(role)}" for role in ("indicator", "trend", "bull")}
    async with Desk(told).reading(came()) as reader:
        for role in texts:
            told.log.add("node.started", role, stage="analysis")
        for at in range(0, max(map(len, texts.values())), 23):
            for role, text in texts.items():
                if piece := text[at : at + 23]:
                    told.log.add("node.tokens", role, text=piece, attempt=1)
            told.show()
            seq = str(len(told.log.events))
            await reader.until(lambda: reader.last == seq)  # noqa: B023 - awaited at once
            for role, text in texts.items():
                now = text[: at + 23]
                assert reader.texts[seat(role)] == (len(now), expected(now))
        words = json.dumps(reader.texts, ensure_ascii=False)
        assert "<img src=x onerror=alert(1)>" in words, "as words: a browser draws them as such"
        assert "\u202e" not in words
        stages = reader.stages
        told.log.add("node.tokens", "trend", text=" more", attempt=1)
        told.show()
        await reader.until(lambda: reader.last == str(len(told.log.events)))
        assert reader.stages == stages, "words are no stage"


async def test_a_reader_that_comes_back_hears_of_what_it_has_missed_and_of_nothing_else(told: Told) -> None:
    desk, visit = Desk(told), came()
    told.log.add("node.started", "bull", stage="debate")
    told.log.add("node.tokens", "bull", text="One. ", attempt=1)
    told.show()
    async with desk.reading(visit) as reader:
        await reader.until(lambda: reader.last == "3")
        assert reader.stages == 1, "what it has drawn is not known"
    told.log.add("node.tokens", "bull", text="Two.", attempt=1)
    told.show()
    async with desk.reading(visit, last="3") as again:
        await again.until(lambda: again.last == "4")
        assert (again.stages, again.texts[seat("bull")][0]) == (0, 9)
    told.log.add("node.finished", "bull", result={"confidence": 60})
    told.show()
    async with desk.reading(visit, last="4") as late:
        await late.until(lambda: late.last == "5")
        assert (late.stages, late.texts) == (1, {})
    async with desk.reading(visit, last="99") as lost:  # of a log that a killed server never wrote down
        await lost.until(lambda: lost.last == "5")
        assert lost.stages == 1


async def test_a_slow_reader_holds_up_nobody_and_is_told_the_newest_in_one_piece(told: Told) -> None:
    desk = Desk(told)
    async with desk.reading(came(), takes=False) as slow, desk.reading(came()) as quick:
        told.log.add("node.started", "bull", stage="debate")
        text = ""
        for word in range(2_000):
            text += f"word{word} "
            told.log.add("node.tokens", "bull", text=f"word{word} ", attempt=1)
            told.show()
        await quick.until(lambda: quick.texts.get(seat("bull"), (0, []))[0] == len(text))
        assert slow.pieces == 0
        slow.takes.set()
        await slow.until(lambda: slow.texts.get(seat("bull"), (0, []))[0] == len(text))
        assert slow.texts == quick.texts
        assert slow.pieces <= 4, "nothing was kept for it"


async def test_who_is_not_answered(told: Told) -> None:
    desk, visit = Desk(told), came()
    for asked, status in (
        ({"visit": None}, 403),
        ({"visit": Visit()}, 403),
        ({"visit": visit, "run": "erased"}, 404),
        ({"visit": visit, "run": "..%2f..%2fetc"}, 404),
        ({"visit": visit, "method": "HEAD"}, 405),
    ):
        async with desk.reading(**asked) as reader:
            await reader.until(lambda: reader.is_closed)
            assert reader.status == status
            assert reader.texts == {}


async def test_streams_are_bounded_and_a_place_is_free_again_when_one_ends(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_stream, "MOST_STREAMS", 1)
    desk = Desk(told)
    async with desk.reading(came()) as first:
        await first.until(lambda: first.last)
        async with desk.reading(came()) as second:
            await second.until(lambda: second.is_closed)
            assert second.status == 503
    async with desk.reading(came()) as third:
        await third.until(lambda: third.last)
        assert third.status == 200


async def test_a_stream_ends_with_its_visit_with_a_newer_one_and_with_its_run(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_stream, "BEAT_S", 0.05)
    desk, visit, other = Desk(told), came(), came()
    async with desk.reading(visit, kept=False) as older, desk.reading(other) as stays:
        await older.until(lambda: older.last)
        async with desk.reading(visit, kept=False) as newer:
            await older.until(lambda: older.is_closed)
            await newer.until(lambda: newer.last)
            del visit  # as the session does that Streamlit forgets
            await newer.until(lambda: newer.is_closed)
            assert not newer.is_over
        assert not stays.is_closed
        told.log.finish_run("WAIT")
        told.show()
        await stays.until(lambda: stays.is_closed)
        assert stays.is_over


async def test_a_journal_that_breaks_ends_the_stream_and_not_the_run(told: Told) -> None:
    async with Desk(told).reading(came()) as reader:
        await reader.until(lambda: reader.last)
        told.broken = True
        told.log.add("node.started", "bull", stage="debate")
        told.show()
        await reader.until(lambda: reader.is_closed)
        assert not reader.is_over, "the browser polls, and comes back"


async def test_a_server_that_is_told_to_end_does_not_wait_for_its_readers(told: Told) -> None:
    heard = list[int]()
    before = signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        async with Desk(told).reading(came()) as reader:
            await reader.until(lambda: reader.last)
            os.kill(os.getpid(), signal.SIGTERM)
            await reader.until(lambda: reader.is_closed)
        assert heard == [signal.SIGTERM], "and whoever heard the signal before still does"
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupt)


@pytest.mark.full
async def test_a_run_of_another_process_is_followed_through_the_journal(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, home=tmp_path, pace=4)
    with closing(Engine(settings)) as other, closing(Engine(settings)) as own:
        run_id = other.start(other.decisions.request("BTC/USDT:USDT", at="2026-11-01T08:00:00Z"))
        async with Desk(own).reading(came(), run_id) as reader:
            await reader.until(lambda: reader.is_over)
        view = PLAIN.reduce(own.events(run_id))
    assert reader.stages > 4
    assert len({name.partition(".")[0] for name in reader.texts}) >= 4
    for name, (length, _) in reader.texts.items():
        assert 0 < length <= len(view.nodes[name.partition(".")[0]].text)
