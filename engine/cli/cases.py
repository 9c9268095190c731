"""`cases`: frozen decisions, made again with another model or other prompts."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import in_words, print_json, print_line, warn
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.cases import FrozenCase

say: Final = ShellWords(Path(__file__).parent, "changes")
_OF_RUNS: Final = ("add", "remove")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    cases = command(commands, "cases", _cases, say)
    cases.add_argument("what", choices=(*_OF_RUNS, "list", "run"), metavar="ACTION", help=say("cases_what"))
    cases.add_argument("run_ids", nargs="*", metavar="RUN_ID", help=say("cases_runs"))
    cases.add_argument("--model", metavar="NAME", help=say("cases_model"))
    cases.add_argument("--prompts-from", type=Path, metavar="DIR", help=say("cases_prompts_from"))


def _cases(engine: "Engine", options: argparse.Namespace) -> int:
    from engine.domain.errors import BadInput

    if bool(options.run_ids) != (options.what in _OF_RUNS):
        raise BadInput(say("cases_need_runs" if options.what in _OF_RUNS else "cases_take_no_runs", what=options.what))
    if options.what == "run":
        return _run(engine, options)
    if options.what in _OF_RUNS:
        (engine.cases.add if options.what == "add" else engine.cases.remove)(options.run_ids)
    found = engine.cases.all()
    if options.json:
        print_json([each.model_dump(mode="json") for each in found])
        return 0
    for line in map(_line, found) if found else [say("no_cases")]:
        print_line(line)
    return 0


def _line(case: "FrozenCase") -> str:
    if case.problem:
        return say("case_problem", id=case.run_id, why=in_words(case.problem))
    at = f"{case.at:%Y-%m-%d %H:%M}" if case.at is not None else "-"
    return say("case", id=case.run_id, at=at, subject=case.subject, model=case.model, action=term(str(case.action)))


def _run(engine: "Engine", options: argparse.Namespace) -> int:
    def begun(case: str, run_id: str) -> None:
        warn(say("case_begun", case=case, id=run_id))

    found = engine.cases.run(options.model, options.prompts_from, begun)
    if options.json:
        print_json(found.model_dump(mode="json"))
    else:
        for each in found.moved:
            print_line(say("case_moved", case=each.case, before=term(each.before), now=term(each.now), id=each.run_id))
        p = say("cases_p", p=f"{found.p_value:.3f}") if found.p_value is not None else ""
        print_line(say("cases_total", moved=len(found.moved), decided=found.cases - len(found.not_decided), p=p))
    for lost in found.not_decided:
        warn(say("case_failed", case=lost.case, why=in_words(lost.why)))
    return 1 if found.not_decided else 0
