"""What commands over the engine share: how one is added, the engine it is given, the maintenance of exchange accounts before it."""

import argparse
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from engine.shell.terminal import in_words, say, warn
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.shell.argument_parser import ShellParser

Maintenance = Literal["first", "last", "itself"]
"""When a command runs maintenance of the exchange accounts in use: first; last, because it must be quick; or by
itself."""


def command(
    commands: "argparse._SubParsersAction[Any]",
    name: str,
    run: Any,
    words: ShellWords,
    *,
    maintenance: Maintenance = "first",
    degraded: bool = False,
) -> "ShellParser":
    """Add a command that is given the engine and its options, and may print JSON; returns its parser.

    Args:
        run: Called with the engine and the options. Returns the exit code, None for 0; raises a TribunalError to fail. An interruption
            (Ctrl-C, SIGTERM) is raised in it; everything is released afterwards, undisturbed by another SIGTERM: an order that was sent
            gets its stop first.
        words: Has NAME_short, a line in the list of commands, and NAME_about, what its own help says.
        degraded: The command reduces risk, so it runs even if the journal cannot be opened.
    """
    parser = add_command(commands, name, words)
    parser.set_defaults(run=_with_engine(run, maintenance, degraded=degraded))
    parser.add_argument("--json", action="store_true", help=say("json"))
    return parser


def add_command(commands: "argparse._SubParsersAction[Any]", name: str, words: ShellWords, **how: Any) -> "ShellParser":
    """Add a command and return its parser. words: see `command`. how: what a `ShellParser` is made with."""
    parser: ShellParser = commands.add_parser(name, help=words(f"{name}_short"), description=words(f"{name}_about"), **how)
    return parser


def is_endless(options: argparse.Namespace) -> bool:
    """Return whether a command works until it is asked to end (`endless` among its defaults): that is its normal end then, exit code 0."""
    return getattr(options, "endless", False) and not getattr(options, "once", False)


def _with_engine(run: Any, maintenance: Maintenance, *, degraded: bool) -> Any:
    def call(options: argparse.Namespace) -> int:
        engine = options.open_engine(degraded=degraded)
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
    """Check the exchange accounts in use, for a few seconds at most, and print to stderr what needs attention. Never fails.

    send: approved orders that an earlier process left leave now.
    """
    from engine.domain.errors import TribunalError

    try:
        for proposal in engine.trading.run_maintenance(send=send):
            warn(say("proposal_now", id=proposal.id, state=term(proposal.state), why=in_words(proposal.why)))
    except TribunalError as problem:
        warn(say("account_unchecked", problem=in_words(problem)))
    warn_unprotected(engine)


def warn_unprotected(engine: "Engine") -> None:
    """Print the positions without a stop to stderr."""
    from engine.domain.errors import TribunalError

    try:
        for each in engine.trading.unprotected():
            where = {"symbol": each.symbol, "account": each.account, "since": f"{each.since:%Y-%m-%d %H:%M:%S}"}
            warn(say("unprotected", no_stop=say("no_stop"), why=in_words(each.why), **where))
    except TribunalError as problem:
        warn(say("stops_unread", problem=in_words(problem)))
