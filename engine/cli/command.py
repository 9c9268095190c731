"""What commands over the engine share: how one is added, the engine it is given, the maintenance of exchange accounts before it."""

import argparse
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from engine.cli.terminal import NO_STOP, warn

if TYPE_CHECKING:
    from engine.api import Engine

Maintenance = Literal["first", "last", "itself"]
"""When a command runs maintenance of the exchange accounts in use: first; last, because it must be quick; or by
itself."""


def command(
    commands: "argparse._SubParsersAction[Any]",
    name: str,
    run: Any,
    short: str,
    description: str,
    *,
    maintenance: Maintenance = "first",
    degraded: bool = False,
) -> argparse.ArgumentParser:
    """Add a command that is given the engine and its options, and may print JSON; returns its parser.

    run: (engine, options) -> the exit code, None = 0; raises a TribunalError to fail. degraded: it takes risk away, and is run even with a
    journal that cannot be opened. An interruption (Ctrl-C, SIGTERM) is raised in `run`; everything is released after it, undisturbed by
    another SIGTERM: an order that has left gets its stop first.
    """
    parser: argparse.ArgumentParser = commands.add_parser(name, help=short, description=description)
    parser.set_defaults(run=_with_engine(run, maintenance, degraded=degraded))
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def is_endless(options: argparse.Namespace) -> bool:
    """Return whether a command works until it is asked to end (`endless` among its defaults): that is its normal end then, exit code 0."""
    return getattr(options, "endless", False) and not getattr(options, "once", False)


def _with_engine(run: Any, maintenance: Maintenance, *, degraded: bool) -> Any:
    def call(options: argparse.Namespace) -> int:
        from engine.api import Engine

        engine = Engine(degraded=degraded)
        try:
            if maintenance == "first":
                run_maintenance(engine)
            code = run(engine, options)
            if maintenance == "last":
                run_maintenance(engine)
        finally:
            with suppress(ValueError):  # only a main thread has signals
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            engine.close()
        return code or 0

    return call


def run_maintenance(engine: "Engine", *, send: bool = False) -> None:
    """Check the exchange accounts in use, for a few seconds at most, and print to stderr what somebody should know. Never fails.

    send: approved orders that an earlier process left leave now.
    """
    from engine.domain.errors import TribunalError

    try:
        for proposal in engine.trading.run_maintenance(send=send):
            warn(f"proposal {proposal.id}: {proposal.state}: {proposal.why}")
    except TribunalError as problem:
        warn(f"the exchange account could not be checked: {problem}")
    warn_unprotected(engine)


def warn_unprotected(engine: "Engine") -> None:
    """Print the positions without a stop to stderr."""
    from engine.domain.errors import TribunalError

    try:
        for each in engine.trading.unprotected():
            warn(f"{NO_STOP}: {each.symbol} at {each.account} since {each.since:%Y-%m-%d %H:%M:%S} UTC: {each.why}")
    except TribunalError as problem:
        warn(f"whether positions have their stops cannot be read: {problem}")
