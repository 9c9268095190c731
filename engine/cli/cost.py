"""`cost`: what a run of a desk takes in tokens, money and seconds."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.desks import DESKS
from engine.shell.command import command
from engine.shell.terminal import print_json, print_line
from engine.shell.words import ShellWords, columns_of

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.connection import Spread

say: Final = ShellWords(Path(__file__).parent, "runs")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    cost = command(commands, "cost", _cost, say)
    cost.add_argument("--desk", choices=DESKS, default=DESKS[0], help=say("cost_desk", desk=DESKS[0]))
    cost.add_argument("--model", help=say("cost_model"))


def _cost(engine: "Engine", options: argparse.Namespace) -> int:
    found = engine.costs.of(options.desk, options.model)
    assert found is not None
    if options.json:
        print_json(found.model_dump(include={"runs", "tokens", "seconds", "money", "estimated"}))
        return 0
    model = options.model or engine.settings.default_model
    whence = "no_run_yet" if not (found.estimated or found.runs) else "cost_estimated" if found.estimated else "cost_measured"
    print_line(f"{options.desk}, {model}: {say(whence, calls=found.calls, runs=found.runs)}")
    print_line(_row("", say("median"), say("p95")))
    for name, spread, form in (("tokens", found.tokens, "{:,.0f}"), ("money", found.money, "{:.4g}"), ("seconds", found.seconds, "{:.1f}")):
        print_line(_row(say(name), _figure(spread, "median", form), _figure(spread, "p95", form)))
    return 0


def _row(name: str, median: str, p95: str) -> str:
    return " ".join((name + " " * (8 - columns_of(name)), *(" " * (12 - columns_of(each)) + each for each in (median, p95))))


def _figure(spread: "Spread | None", name: str, form: str) -> str:
    value = getattr(spread, name, None)
    return "-" if value is None else form.format(value)
