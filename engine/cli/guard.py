"""`guard`: keep the positions of exchange accounts at their stops; for cron (`--once`) or as a service."""

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from engine.cli.command import command
from engine.cli.terminal import NO_STOP, tell, tell_json, warn

if TYPE_CHECKING:
    from engine.api import AccountLook, Engine

_EVERY_S, _BARE_EVERY_S = 15.0, 3.0


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = (
        "Look after the positions of the exchange accounts in use until interrupted: a missing stop is placed again; a position whose stop "
        "is refused, and read back as missing for 30 s, is closed. Exit 1 when a position is left without a stop, or an account could not "
        "be read."
    )
    guard = command(commands, "guard", _guard, "keep positions at their stops", about, look="itself")
    guard.add_argument("--once", action="store_true", help="look once and end, as cron wants it")


def _guard(engine: "Engine", options: argparse.Namespace) -> int:
    import threading

    said: object = None
    while True:
        lines, looks = engine.trading.guard()
        now = [lines, [_row(each) for each in looks]]
        if now != said or options.once:
            _tell(lines, looks, options)
        said = now
        safe = all(each.is_safe for each in looks)
        if options.once:
            return 0 if safe else 1
        threading.Event().wait(_EVERY_S if safe else _BARE_EVERY_S)


def _tell(lines: list[str], looks: "list[AccountLook]", options: argparse.Namespace) -> None:
    at = datetime.now(UTC)
    if options.json:
        tell_json({"at": at.isoformat(), "found": lines, "accounts": [_row(each) for each in looks], "safe": all(e.is_safe for e in looks)})
        return
    for line in lines:
        tell(f"{at:%Y-%m-%d %H:%M:%S} {line}")
    if not looks:
        tell("no exchange account is in use")
    for look in looks:
        if look.problem:
            warn(f"error: {look.account} could not be read: {look.problem}")
            continue
        tell(f"{look.account}: {len(look.positions)} open")
        for each in look.positions:
            stop = f"stop {each.stop:f}" if each.stop is not None else NO_STOP
            tell(f"{each.symbol:<16}  {each.side:<5}  {each.size:f} at {each.entry_price:f}  {stop}")


def _row(look: "AccountLook") -> dict[str, Any]:
    since = {each.symbol: each.since.isoformat() for each in look.naked}
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
        for each in look.positions
    ]
    return {"account": look.account, "problem": look.problem or None, "positions": positions}
