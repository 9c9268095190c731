"""`check`: whether model, feed, exchange, keys, home, login and versions are as they should be, a line each."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import padded, print_json, print_line, warn
from engine.shell.words import ShellWords, spoken, term

if TYPE_CHECKING:
    from engine.api import Engine

say: Final = ShellWords(Path(__file__).parent, "accounts")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    check = command(commands, "check", _check, say, maintenance="itself", degraded=True)
    check.add_argument("--within", type=_seconds, default=20.0, metavar="S", help=say("within"))


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 600:
        raise argparse.ArgumentTypeError(say("within_number"))
    return value


def _check(engine: "Engine", options: argparse.Namespace) -> int:
    lines = engine.check(options.within, spoken())
    failed = sum(each.status == "failed" for each in lines)
    if options.json:
        print_json([each.model_dump() for each in lines])
        return 1 if failed else 0
    for each in lines:
        print_line(f"{padded(say(f'sign_{each.status}'), 8)} {padded(term(each.name), 24)} {each.detail}")
        if each.what_to_do:
            print_line(f"{'':<8} {'':<24} > {each.what_to_do}")
    if failed:
        warn(say("lines_failed", failed=failed, all=len(lines)))
    return 1 if failed else 0
