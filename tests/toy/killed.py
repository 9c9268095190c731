"""Plays a flow and leaves the homes that a kill would leave: `FOLDER/K` as it is when event K of N has reached the journal.

    python -m tests.toy.killed kill FLOW FOLDER N    plays it N times, each time killed at its event
    python -m tests.toy.killed copy FLOW FOLDER N    plays it once, and copies its home at every event

A kill leaves what the last commit left, and so does a copy: where playing takes long, one run is enough for all of its events.
"""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import engine.flows.decision.graph
import engine.flows.decision.prepare
import engine.llm.scripted
import engine.market.simulated
import engine.runs.runner  # noqa: F401 - children find it imported
from engine.domain.ended import Ended
from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.run import RunRecord
from engine.journal.store import Journal
from tests.toy.asked import engine_on, request_of

KILLED = 137


def at_every_event(act: Callable[[int], None]) -> None:
    """From now on events are written one by one, and `act` is called with the number of each as soon as it is written: those of the end
    once it is, since they are one transaction with it."""
    written, finished = Journal.append, Journal.finish_run

    def append(self: Journal, events: list[Event]) -> None:
        for event in events:
            written(self, [event])
            act(event.seq)

    def finish_run(self: Journal, record: RunRecord, end: Ended, owner: str, last: Sequence[Event]) -> None:
        finished(self, record, end, owner, last)
        for event in last:
            act(event.seq)

    Journal.append = append  # type: ignore[assignment,method-assign]
    Journal.finish_run = finish_run  # type: ignore[assignment,method-assign]


def die_at(last: int, seq: int) -> None:
    if seq >= last:
        os._exit(KILLED)


def copy_home(home: Path, to: Path) -> None:
    """The home as a kill at this moment would leave it: what has been committed, and nothing else of the database."""
    to.mkdir(parents=True)
    with closing(sqlite3.connect(home / "tribunal.db")) as here, closing(sqlite3.connect(to / "tribunal.db")) as there:
        here.backup(there)
    for file in home.iterdir():
        if not file.name.startswith("tribunal.db"):
            shutil.copy(file, to)


def play(flow: str, home: Path) -> None:
    """Play the flow to its end, and end this process."""
    engine = engine_on(home)
    try:
        engine.wait(engine.start(request_of(engine, flow)), 60)
    except TribunalError as problem:
        sys.stderr.write(f"{problem}\n")
        os._exit(1)
    os._exit(0)


def main() -> None:
    how, flow, folder, count = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    if how == "copy":
        at_every_event(lambda seq: copy_home(folder / "played", folder / str(seq)))
        play(flow, folder / "played")
    for seq in range(1, count + 1):
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) in (KILLED, 0), f"the run that was to die at event {seq} ended otherwise"
            continue
        at_every_event(lambda each, last=seq: die_at(last, each))  # type: ignore[misc]
        play(flow, folder / str(seq))


if __name__ == "__main__":
    main()
