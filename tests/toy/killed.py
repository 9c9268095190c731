"""Plays a flow again and again, each time killed the moment a certain event has reached the journal.

    python -m tests.toy.killed FLOW FOLDER N

Everything is imported once; every run is a forked child with a home of its own, `FOLDER/K` for the one that dies with event K of N.
"""

import os
import sys
from pathlib import Path

import engine.flows.decision.graph
import engine.flows.decision.prepare
import engine.llm.scripted
import engine.market.simulated
import engine.runs.runner  # noqa: F401 - children find it imported
from engine.domain.errors import TribunalError
from engine.journal.store import Journal
from tests.toy.asked import engine_on, request_of

KILLED = 137


def die_at(seq: int) -> None:
    """From now on the process ends as soon as event `seq` is written, and nothing behind it is."""
    written = Journal.append

    def append(self: Journal, events: "list") -> None:  # type: ignore[type-arg]
        if first := [event for event in events if event.seq <= seq]:
            written(self, first)
        if any(event.seq >= seq for event in events):
            os._exit(KILLED)

    Journal.append = append  # type: ignore[assignment,method-assign]


def main() -> None:
    flow, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    for seq in range(1, count + 1):
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) in (KILLED, 0), f"the run that was to die at event {seq} ended otherwise"
            continue
        die_at(seq)
        engine = engine_on(folder / str(seq))
        try:
            engine.wait(engine.start(request_of(engine, flow)), 60)
        except TribunalError as problem:
            sys.stderr.write(f"{problem}\n")
            os._exit(1)
        os._exit(0)


if __name__ == "__main__":
    main()
