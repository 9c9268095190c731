"""Shared by the commands that start runs: starts one or several copies at once, reports their progress and prints each final state."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import run_maintenance
from engine.shell.events_file import EventsFile
from engine.shell.following import follow
from engine.shell.terminal import in_words, print_end, say, warn

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.run import RunRequest

MOST_COPIES: Final = 1000
_KINDS: Final = "value, timeframe, price, symbol, state"


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that starts a run of a desk: where data come from, which model speaks, what is printed."""
    add = parser.add_argument
    add("--feed", choices=("simulated", "recorded", "live"), help=say("feed"))
    add("--data", dest="data_dir", metavar="FOLDER", help=say("data"))
    add("--model", metavar="NAME", help=say("model"))
    add("--lies", type=float, metavar="R", help=say("lies"))
    add("--seed", type=int, metavar="N", help=say("seed"))
    add("--chaos", metavar="ROLE:KIND", help=say("chaos", kinds=_KINDS))
    add("--events", metavar="FILE", help=say("events"))
    add("--json", action="store_true", help=say("state_json"))


def asked_of(options: argparse.Namespace, *more: str) -> dict[str, Any]:
    """Return the fields of a request: the options of every run, and `more`, which are named as the request names them."""
    return {name: getattr(options, name) for name in ("feed", "data_dir", "model", "language", "lies", "seed", "chaos", *more)}


def add_stability(parser: argparse.ArgumentParser) -> None:
    """Add the option that asks the roles of a decision again before it is filed."""
    parser.add_argument("--stability", type=int, metavar="K", help=say("stability"))


def add_copies(parser: argparse.ArgumentParser) -> None:
    """Add the option that asks for several runs at once."""
    parser.add_argument("--copies", type=_copies, default=1, metavar="N", help=say("copies"))


def play(
    options: argparse.Namespace,
    request: "Callable[[Engine], RunRequest]",
    sentence: Callable[[dict[str, Any]], str],
    print_state: Callable[[dict[str, Any]], None] | None = None,
) -> int:
    """Open the engine, start the requested runs, follow them to their end and return the exit code.

    options: `open_engine`, `events`, `json`, and `copies` where the command has them. sentence: a final state in one line. print_state:
    prints a final state in another way. Of several copies, one that failed prints its error and does not stop the others; of one, its
    TribunalError is raised.
    """
    from engine.domain.errors import TribunalError

    copies, code = getattr(options, "copies", 1), 0
    with ExitStack() as stack:
        events = stack.enter_context(closing(EventsFile(options.events))) if options.events is not None else None
        engine = stack.enter_context(closing(options.open_engine()))
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
                warn(say("copy_failed", id=run_id, problem=in_words(problem)))
                code = max(code, problem.exit_code)
                continue
            assert state is not None  # a finished run has a state
            if print_state is not None:
                print_state(state)
            else:
                print_end(state, sentence(state), as_json=options.json)
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
        raise argparse.ArgumentTypeError(say("copies_number", most=MOST_COPIES))
    return int(text)
