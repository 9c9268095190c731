"""Plays a flow and leaves the homes that a kill would leave: each in a folder of `FOLDER`.

    python -m tests.toy.killed kill FLOW FOLDER ends|rest    plays it again and again, each time killed at its next chosen event
    python -m tests.toy.killed kill FLOW FOLDER ends|rest ADDRESS...    the same, each on a database of its own
    python -m tests.toy.killed copy FLOW FOLDER ends|rest    plays it once, and copies its home at every chosen event

A kill leaves what the last commit left, and so does a copy: where playing takes long, one run is enough for all of its events. Which events
are chosen, `KillPoints` says.
"""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import engine.desks.decision.graph
import engine.desks.decision.prepare
import engine.market.simulated
import engine.runs.runner
import engine.script.model  # noqa: F401 - children find it imported
from engine.domain.ended import Ended
from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.run import RunRecord
from engine.journal.store import Journal
from tests.toy.asked import DATABASE, engine_on, request_of

KILLED = 137
POINT = "killed-at.json"
"""In a home: the event at which its run was killed."""


ENDS = "ends"
REST = "rest"
NODE_ENDS = ("node.finished", "node.failed")


class KillPoints:
    """Chooses the events of a process's runs at which it is killed.

    which: `ENDS` are the first event of every kind of every run and the end of every node, `REST` are all others.
    """

    def __init__(self, which: str) -> None:
        assert which in (ENDS, REST)
        self._which, self._seen = which, set[tuple[str, str]]()

    def chooses(self, event: Event) -> bool:
        """Whether this event, the next one of its run, is such a point."""
        kind = (event.run_id, event.kind)
        is_end = kind not in self._seen or event.kind in NODE_ENDS
        self._seen.add(kind)
        return is_end == (self._which == ENDS)


def at_every_event(act: Callable[[Event], None]) -> None:
    """From now on events are written one by one, and `act` is called with each as soon as it is written: with those of the end once it is,
    since they are one transaction with it."""
    written, finished = Journal.append, Journal.finish_run

    def append(self: Journal, events: list[Event]) -> None:
        for event in events:
            written(self, [event])
            act(event)

    def finish_run(self: Journal, record: RunRecord, end: Ended, owner: str, last: Sequence[Event]) -> None:
        finished(self, record, end, owner, last)
        for event in last:
            act(event)

    Journal.append = append  # type: ignore[assignment,method-assign]
    Journal.finish_run = finish_run  # type: ignore[assignment,method-assign]


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
        engine.wait(engine.start(request_of(engine, flow)), 200)
    except TribunalError as problem:
        sys.stderr.write(f"{problem}\n")
        os._exit(1)
    os._exit(0)


def copy_at(points: KillPoints, folder: Path) -> None:
    """Copy the home `FOLDER/played` at every point, and note there at which event."""

    def copied(event: Event) -> None:
        if points.chooses(event):
            to = folder / str(event.seq)
            copy_home(folder / "played", to)
            (to / POINT).write_text(event.model_dump_json(), encoding="utf-8")

    at_every_event(copied)


def die_at(number: int, points: KillPoints, home: Path) -> None:
    """End this process at the point of that number, from 1, and note at which event."""
    left = number

    def died(event: Event) -> None:
        nonlocal left
        left -= points.chooses(event)
        if left == 0:
            (home / POINT).write_text(event.model_dump_json(), encoding="utf-8")
            os._exit(KILLED)

    at_every_event(died)


def main() -> None:
    how, flow, folder, which = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    if how == "copy":
        copy_at(KillPoints(which), folder)
        play(flow, folder / "played")
    addresses = iter(sys.argv[5:])
    for number in count(1):
        home = folder / str(number)
        if len(sys.argv) > 5:
            home.mkdir(parents=True)
            (home / DATABASE).write_text(next(addresses), encoding="utf-8")
        child = os.fork()
        if not child:
            die_at(number, KillPoints(which), home)
            play(flow, home)
        _, status = os.waitpid(child, 0)
        ended = os.waitstatus_to_exitcode(status)
        assert ended in (KILLED, 0), f"the run that was to die at point {number} ended otherwise"
        if ended == 0:  # it has passed every point
            shutil.rmtree(home)
            return


def homes_in(folder: Path) -> list[tuple[Path, Event]]:
    """Every home that `main` has left, and the event at which its run was killed, in order."""
    found = [(path.parent, Event.model_validate_json(path.read_text(encoding="utf-8"))) for path in folder.glob(f"*/{POINT}")]
    return sorted(found, key=lambda each: int(each[0].name))


if __name__ == "__main__":
    main()
