"""Given the log of a run that goes on, gives what is being written in it, once for all who watch.

A thread a run waits for events and makes the newest `LiveNow`; readers take it when they can. Nothing is queued per reader: a slow
one skips what came in between, and the engine waits for no reader. Texts are plain strings in blocks, as panels show them.
"""

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.events import NodeTokens
from pages.claims.claim_markup import GrowingBlock, growing_blocks
from pages.run.flow_page import FlowPage
from pages.run.kept_runs import caught_up
from pages.run.live_seat import seat_name
from pages.run.reducer import PLAIN
from pages.run.view import RunView, Turn

WAIT_S: Final = 1.0
"""How long events are waited for before the run's state is looked up, which changes without one when its process dies."""
READING_S: Final = 0.25
"""The same before its first event, while its inputs are read, which are counted without events."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LiveText:
    """What is shown of one text in its seat. length: of all that its node has written."""

    seat: str
    length: int
    blocks: tuple[GrowingBlock, ...]
    _encoded: dict[int, bytes] = field(default_factory=dict, compare=False, repr=False)

    def since(self, known: "LiveText | None") -> bytes:
        """Return the message that brings a reader from `known` to here: the blocks from the first one that has changed."""
        before = known.blocks if known is not None else ()
        kept = next(
            (at for at, (old, new) in enumerate(zip(before, self.blocks, strict=False)) if old != new), min(len(before), len(self.blocks))
        )
        if kept not in self._encoded:
            blocks = [[block.kind, block.pieces] for block in self.blocks[kept:]]
            said = json.dumps({"s": self.seat, "n": self.length, "k": kept, "b": blocks}, ensure_ascii=False, separators=(",", ":"))
            self._encoded[kept] = f"event: text\ndata: {said}\n\n".encode()
        return self._encoded[kept]


@dataclass(frozen=True)
class LiveNow:
    """A run at this moment. seq: of its newest event. drawn: of the newest event that panels show otherwise than by words. version: grows
    with every such change, also with one that is no event. texts: by seat. is_over: nothing more comes."""

    seq: int
    drawn: int
    version: int
    texts: Mapping[str, LiveText]
    is_over: bool


class LiveFeed:
    """The newest of one run. changed: called, from another thread, whenever there is something new, and when nothing more comes."""

    def __init__(self, engine: Engine, run_id: str, page: FlowPage, changed: Callable[[], None]) -> None:
        self.now: LiveNow | None = None
        self.is_broken = False
        self._engine, self._run_id, self._page, self._changed = engine, run_id, page, changed
        self._ends = threading.Event()
        self._known: dict[str, tuple[Turn, dict[str, LiveText]]] = {}
        threading.Thread(target=self._follow, name=f"live-{run_id}", daemon=True).start()

    def end(self) -> None:
        """Stop following: no reader is left."""
        self._ends.set()

    def _follow(self) -> None:
        try:
            view, shape, now, status = PLAIN.empty, object(), None, self._status()
            while not self._ends.is_set():
                view, drawn = self._read(view, now.drawn if now is not None else 0)
                texts = self._texts(view)
                before, shape = shape, self._shape(view, texts, status)
                changes = now is None or drawn != now.drawn or shape != before
                if now is None or changes or view.seq != now.seq:
                    version = (now.version if now is not None else 0) + changes
                    self.now = now = LiveNow(
                        view.seq, view.seq if changes and now is not None else drawn, version, texts, view.ending is not None
                    )
                    self._changed()
                if now.is_over:
                    return
                if not self._engine.wait_events(self._run_id, view.seq, WAIT_S if view.seq else READING_S):
                    status = self._status()
        except TribunalError as problem:
            _log.warning("run %s cannot be followed: %s", self._run_id, problem)
        finally:
            if self.now is None or not self.now.is_over:
                self.is_broken = True
            self._changed()

    def _read(self, view: RunView, drawn: int) -> tuple[RunView, int]:
        """Return the run as its log has it, and the newest event that is more than words."""
        then, new = caught_up(self._engine, self._run_id, view, PLAIN)
        return then, max((event.seq for event in new if not isinstance(event.data, NodeTokens)), default=drawn)

    def _status(self) -> str | None:
        """Return the state of the run in the journal: `interrupted` where its process has died."""
        record = self._engine.run(self._run_id)
        return record.status if record is not None else None

    def _shape(self, view: RunView, texts: Mapping[str, LiveText], status: str | None) -> object:
        """Return what panels are drawn by beside events: how far inputs are read, who writes where, whether the run's process is alive."""
        reading = self._engine.reading(self._run_id) if view.seq == 0 else None
        return reading, tuple(texts), [(node.name, node.state) for node in view.nodes.values()], status == "interrupted"

    def _texts(self, view: RunView) -> dict[str, LiveText]:
        """Return what is being written; a text that has not grown stays the same object."""
        writing = [node for node in view.nodes.values() if node.state == "running" and not node.is_reader]
        for node in writing:
            known = self._known.get(node.name)
            if known is None or known[0] is not node:
                self._known[node.name] = node, self._drawn(node)
        return {seat: text for node in writing for seat, text in self._known[node.name][1].items()}

    def _drawn(self, node: Turn) -> dict[str, LiveText]:
        pending = self._page.stated(self._engine, self._run_id, node)
        return {
            (seat := seat_name(node, part)): LiveText(seat, len(node.text), growing_blocks(node.text, span, pending))
            for part, span in self._page.live_parts(node).items()
        }
