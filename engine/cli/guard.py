"""`guard`: keep the positions of exchange accounts at their stops; for cron (`--once`) or as a service."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.domain.clock import utc_now
from engine.shell.command import command
from engine.shell.terminal import in_words, padded, print_json, print_line, warn
from engine.shell.terminal import say as say_of_all
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import AccountStatus, Engine

say: Final = ShellWords(Path(__file__).parent, "accounts")
_EVERY_S, _UNPROTECTED_EVERY_S = 15.0, 3.0


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    guard = command(commands, "guard", _guard, say, maintenance="itself", degraded=True)
    guard.set_defaults(endless=True)
    guard.add_argument("--once", action="store_true", help=say("once"))


def _guard(engine: "Engine", options: argparse.Namespace) -> int:
    import threading

    from engine.domain.errors import TribunalError

    last_shown: object = None
    while True:
        try:
            lines, statuses = engine.trading.guard()
            safe = all(each.is_safe for each in statuses)
        except TribunalError as problem:
            if options.once:
                raise
            lines, statuses, safe = [say("unchecked", problem=in_words(problem))], [], False
        now = [lines, [_row(each) for each in statuses]]
        if options.once:
            _print(lines, statuses, options)
            return 0 if safe else 1
        if now != last_shown:
            _print_if_possible(lines, statuses, options)
        last_shown = now
        threading.Event().wait(_EVERY_S if safe else _UNPROTECTED_EVERY_S)


def _print_if_possible(lines: list[str], statuses: "list[AccountStatus]", options: argparse.Namespace) -> None:
    """Print a round. A full disk, which may hold the log, does not end the watch. Raises BrokenPipeError if the reader went away."""
    try:
        _print(lines, statuses, options)
    except BrokenPipeError:
        raise
    except OSError as problem:
        with suppress(OSError):
            warn(say_of_all("warning", text=say("unwritable", problem=problem.strerror or problem)))


def _print(lines: list[str], statuses: "list[AccountStatus]", options: argparse.Namespace) -> None:
    at = utc_now()
    if options.json:
        print_json(
            {"at": at.isoformat(), "found": lines, "accounts": [_row(each) for each in statuses], "safe": all(e.is_safe for e in statuses)}
        )
        return
    for line in lines:
        print_line(f"{at:%Y-%m-%d %H:%M:%S} {in_words(line)}")
    if not statuses:
        print_line(say("none_in_use"))
    for status in statuses:
        if status.problem:
            warn(say("unread", account=status.account, problem=in_words(status.problem)))
            continue
        print_line(say("open", account=status.account, n=len(status.positions)))
        for each in status.positions:
            stop = say("stop", level=f"{each.stop:f}") if each.stop is not None else say_of_all("no_stop")
            size = {"size": f"{each.size:f}", "price": f"{each.entry_price:f}", "stop": stop}
            print_line(say("position", symbol=f"{each.symbol:<16}", side=padded(term(each.side), 5), **size))


def _row(status: "AccountStatus") -> dict[str, Any]:
    since = {each.symbol: each.since.isoformat() for each in status.unprotected}
    positions = [
        {
            "symbol": each.symbol,
            "side": each.side,
            "size": float(each.size),
            "entry_price": float(each.entry_price),
            "stop": float(each.stop) if each.stop is not None else None,
            "protected": each.stop is not None,
            "bare_since": since.get(each.symbol),
        }
        for each in status.positions
    ]
    return {"account": status.account, "problem": in_words(status.problem) or None, "positions": positions}
