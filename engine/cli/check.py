"""`check`: whether model, feed, exchange, keys, home, login and versions are as they should be, a line each."""

import argparse
from typing import TYPE_CHECKING, Any

from engine.cli.command import command
from engine.cli.terminal import print_json, print_line, warn

if TYPE_CHECKING:
    from engine.api import Engine

_SIGNS = {"ok": "ok", "warning": "WARNING", "failed": "FAILED", "skipped": "skipped"}


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = (
        "Look at this installation: the model's endpoint, feed and exchange, keys, the home, the login, versions. Nothing is ordered and "
        "nothing is changed; a model other than the script is asked two short questions. Exit 1 when something failed."
    )
    check = command(commands, "check", _check, "look at the installation", about, maintenance="itself", degraded=True)
    check.add_argument("--within", type=_seconds, default=20.0, metavar="S", help="seconds that each part may take (default: 20)")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 600:
        raise argparse.ArgumentTypeError("write seconds, above 0 and at most 600")
    return value


def _check(engine: "Engine", options: argparse.Namespace) -> int:
    lines = engine.check(options.within, engine.settings.language)
    failed = sum(each.status == "failed" for each in lines)
    if options.json:
        print_json([each.model_dump() for each in lines])
        return 1 if failed else 0
    for each in lines:
        print_line(f"{_SIGNS[each.status]:<8} {each.name:<24} {each.detail}")
        if each.what_to_do:
            print_line(f"{'':<8} {'':<24} > {each.what_to_do}")
    if failed:
        warn(f"error: {failed} of {len(lines)} lines failed")
    return 1 if failed else 0
