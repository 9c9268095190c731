"""`plan FILE` and `plan --question TEXT`: one plan worked through; `plan --tools`: what its tasks may use."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.asked_runs import add_run_options, asked_of, play
from engine.shell.command import add_command
from engine.shell.terminal import ended, print_json, print_line
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine

say: Final = ShellWords(Path(__file__).parent, "command")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    plan = add_command(commands, "plan", say)
    plan.set_defaults(run=run)
    plan.add_argument("file", metavar="FILE", nargs="?", help=say("file"))
    add_run_options(plan)
    add = plan.add_argument
    add("--question", metavar="TEXT", help=say("question"))
    add("--tools", action="store_true", help=say("tools"))
    add("--symbol", metavar="SYMBOL", help=say("symbol"))
    add("--factor", metavar="NAME", help=say("factor"))
    add("--threshold", type=float, metavar="X", help=say("threshold"))
    add("--outage", metavar="TOOL", help=say("outage"))
    add("--max-retries", type=int, metavar="N", dest="max_retries", help=say("max_retries"))
    add("--at", metavar="TIME", help=say("at"))
    add("--exchange", metavar="ID", help=say("exchange"))


def run(options: argparse.Namespace) -> int:
    """Run the command; gives the exit code. Raises a TribunalError with one line when there is no state."""
    from engine.domain.errors import BadInput

    if options.tools:
        with closing(options.open_engine()) as engine:
            return _tools(engine, options)
    if (options.file is None) == (options.question is None):
        raise BadInput(say("file_or_question"))
    return play(options, lambda engine: _request(engine, options), sentence, print_json if options.json else _print)


def _tools(engine: "Engine", options: argparse.Namespace) -> int:
    found = engine.plans.tools()
    if options.json:
        print_json(found)
        return 0
    for each in found:
        arguments = ", ".join(each["parameters"].get("properties", {}))
        print_line(say("tool", name=each["name"], arguments=arguments, about=each["description"]))
    return 0


def _request(engine: "Engine", options: argparse.Namespace) -> Any:
    from engine.domain.clock import parse_instant

    return engine.plans.request(
        options.question or "",
        plan=Path(options.file) if options.file is not None else None,
        at=parse_instant(options.at) if options.at is not None else None,
        **asked_of(options, "symbol", "factor", "threshold", "max_retries", "outage", "exchange"),
    )


def _print(state: dict[str, Any]) -> None:
    for line in str(state["answer"]).splitlines():
        print_line(line)
    for each in state["synthesis"]["statements"]:
        if each["status"] == "unsupported":
            print_line(say("unsupported", text=each["text"]))
    print_line(sentence(state))


def sentence(state: dict[str, Any]) -> str:
    """Return a plan's run in one line."""
    factors = say("comma").join(say("factor_status", name=each["name"], status=term(each["status"])) for each in state["factors"])
    confidence = f"{state['confidence']:.2f}"
    return ended(state, say("worked", factors=factors or say("no_factor"), n=len(state["statements"]), confidence=confidence))
