"""Shared by the commands that start runs: starts one or several copies at once, reports their progress and prints each final state."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from engine.cli.command import run_maintenance
from engine.cli.events_file import EventsFile
from engine.cli.following import follow
from engine.cli.terminal import warn

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.run import RunRequest

MOST_COPIES: Final = 1000


def add_copies(parser: argparse.ArgumentParser) -> None:
    """Add the option that asks for several runs at once."""
    parser.add_argument("--copies", type=_copies, default=1, metavar="N", help="so many runs at once, a line each (default: 1)")


def play(options: argparse.Namespace, request: "Callable[[Engine], RunRequest]", print_state: Callable[[dict[str, Any]], None]) -> int:
    """Open the engine, start the requested runs, follow them to their end and return the exit code.

    options: `events`, and `copies` where the command has them. print_state: called with the final state of a run. Of several copies, one
    that failed prints its error and does not stop the others; of one, its TribunalError is raised.
    """
    from engine.api import Engine
    from engine.domain.errors import TribunalError

    copies, code = getattr(options, "copies", 1), 0
    with ExitStack() as stack:
        events = stack.enter_context(closing(EventsFile(options.events))) if options.events is not None else None
        engine = stack.enter_context(closing(Engine()))
        held_back = stack.enter_context(_stderr_held_back())
        with redirect_stderr(held_back):
            run_maintenance(engine)
        asked = request(engine)
        for run_id in follow(engine, [engine.start(asked) for _ in range(copies)], events):
            try:
                state = engine.wait(run_id).result
            except TribunalError as problem:
                if copies == 1:
                    raise
                warn(f"error: run {run_id}: {problem}")
                code = max(code, problem.exit_code)
                continue
            assert state is not None  # a finished run has a state
            print_state(state)
    return code


@contextmanager
def _stderr_held_back() -> Iterator[StringIO]:
    """Hold back what is written before a run begins: the first line on stderr is the run's."""
    held = StringIO()
    try:
        yield held
    finally:
        sys.stderr.write(held.getvalue())


def _copies(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST_COPIES:
        raise argparse.ArgumentTypeError(f"write a number from 1 to {MOST_COPIES}")
    return int(text)
