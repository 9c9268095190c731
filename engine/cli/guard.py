"""`guard`: keep the positions of exchange accounts at their stops; for cron (`--once`) or as a service."""

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.cli.command import command
from engine.cli.terminal import NO_STOP, print_json, print_line, warn
from engine.domain.clock import utc_now

if TYPE_CHECKING:
    from engine.api import AccountStatus, Engine

_EVERY_S, _UNPROTECTED_EVERY_S = 15.0, 3.0


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = (
        "Look after the positions of the exchange accounts in use until interrupted: a missing stop is placed again; a position whose stop "
        "is refused, and read back as missing for 30 s, is closed. It works without a journal that can be written, too. SIGTERM or Ctrl-C "
        "ends it with exit 0. With --once: exit 1 when a position is left without a stop, or an account could not be read."
    )
    guard = command(commands, "guard", _guard, "keep positions at their stops", about, maintenance="itself", degraded=True)
    guard.set_defaults(endless=True)
    guard.add_argument("--once", action="store_true", help="check once and end, for cron")


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
            lines, statuses, safe = [f"the accounts could not be checked: {problem}"], [], False
        now = [lines, [_row(each) for each in statuses]]
        if options.once:
            _print(lines, statuses, options)
            return 0 if safe else 1
        if now != last_shown:
            _print_if_possible(lines, statuses, options)
        last_shown = now
        threading.Event().wait(_EVERY_S if safe else _UNPROTECTED_EVERY_S)


def _print_if_possible(lines: list[str], statuses: "list[AccountStatus]", options: argparse.Namespace) -> None:
    """Print a round; what is watched over is more than its log, which may be on the disk that is full. Raises BrokenPipeError when the
    reader went away."""
    try:
        _print(lines, statuses, options)
    except BrokenPipeError:
        raise
    except OSError as problem:
        with suppress(OSError):
            warn(f"warning: the result cannot be written: {problem.strerror or problem}")


def _print(lines: list[str], statuses: "list[AccountStatus]", options: argparse.Namespace) -> None:
    at = utc_now()
    if options.json:
        print_json(
            {"at": at.isoformat(), "found": lines, "accounts": [_row(each) for each in statuses], "safe": all(e.is_safe for e in statuses)}
        )
        return
    for line in lines:
        print_line(f"{at:%Y-%m-%d %H:%M:%S} {line}")
    if not statuses:
        print_line("no exchange account is in use")
    for status in statuses:
        if status.problem:
            warn(f"error: {status.account} could not be read: {status.problem}")
            continue
        print_line(f"{status.account}: {len(status.positions)} open")
        for each in status.positions:
            stop = f"stop {each.stop:f}" if each.stop is not None else NO_STOP
            print_line(f"{each.symbol:<16}  {each.side:<5}  {each.size:f} at {each.entry_price:f}  {stop}")


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
    return {"account": status.account, "problem": status.problem or None, "positions": positions}
