"""`runs`, `show`, `stop`, `resume`, `fork`: what is kept of earlier runs, and what can still be done with them."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.command import command
from engine.cli.events_file import why
from engine.cli.following import follow
from engine.cli.states import print_state
from engine.cli.terminal import print_json, print_line

_MOST_DAYS = 36_500

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.proposal import Proposal
    from engine.domain.run import RunSummary


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    runs = command(commands, "runs", _runs, "list the newest runs", "List the newest runs, newest first.")
    runs.add_argument("--limit", type=int, default=50, metavar="N", help="how many at most (default: 50)")
    show = command(commands, "show", _show, "show one run", "Show the state of a run and what it decided.")
    stop = command(commands, "stop", _stop, "stop a run", "Stop a run, whichever process runs it. It can be continued.", maintenance="last")
    resume = command(commands, "resume", _resume, "continue a run", "Continue a run from its last finished node and print its state.")
    about = "Run again from a node, with another model, language or text, as a new run that names its parent; print its state."
    fork = command(commands, "fork", _fork, "run again from a node", about)
    prune = command(commands, "prune", _prune, "forget old runs", "Forget the runs that ended long ago, with their events.")
    prune.add_argument("--days", type=_days, required=True, metavar="N", help="those that ended more than so many days ago")
    for each in (show, stop, resume, fork):
        each.add_argument("run_id", metavar="RUN_ID", help="as `decide` printed it")
    fork.add_argument("--from", dest="node", required=True, metavar="NODE", help="analysis, trend, bull, judge, grounding, executor, ...")
    fork.add_argument("--model", metavar="NAME", help="another model from there on")
    fork.add_argument("--language", choices=("en", "zh"), help="another language from there on")
    fork.add_argument("--text", action="append", default=[], metavar="ROLE=FILE", help="what a role says instead; may be given again")


def _runs(engine: "Engine", options: argparse.Namespace) -> None:
    found = engine.runs(max(0, options.limit))
    if options.json:
        print_json([_row(run) for run in found])
        return
    from engine.domain.clock import utc_now

    now, filed = utc_now(), [run.run_id for run in found if run.proposal is not None]
    proposals = engine.trading.proposals_of(filed) if filed else {}
    halted = bool(filed) and engine.trading.halted() is not None
    for run in found:
        proposal = proposals.get(run.run_id)
        print_line(run_line(run, proposal.as_at(now) if proposal is not None else None, halted=halted))


def _row(run: "RunSummary") -> dict[str, Any]:
    """Return a run as JSON; a decision under the names that the shell has always given it, too."""
    row = run.model_dump(mode="json")
    return row | {"symbol": run.subject, "final_action": run.headline} if run.flow == "decision" else row


def run_line(run: "RunSummary", proposal: "Proposal | None", *, halted: bool) -> str:
    """Return a run as a line of `runs`. proposal: what it was filed as, as it stands now. halted: trading is."""
    from engine.domain.shown_state import state_of_run

    outcome, state = run.headline or run.error or "", state_of_run(run.status, proposal, is_valid=run.is_valid, halted=halted)
    doubt = " (safe action)" if state == "invalid" else ""
    return f"{run.run_id}  {state.replace('_', ' '):<11}  {run.subject:<16}  {outcome}{doubt}"


def _show(engine: "Engine", options: argparse.Namespace) -> None:
    record = engine.record(options.run_id)
    if options.json:
        print_json(record.model_dump(mode="json"))
        return
    asked = f"{record.created_at:%Y-%m-%d %H:%M:%S} UTC"
    print_line(f"{record.run_id}: {record.status}, {record.request.subject}, {record.request.model}, asked {asked}")
    if record.request.origin is not None:
        print_line(f"made from {record.request.origin.run_id}")
    if record.result is not None:
        print_state(record.result, as_json=False)
    elif record.error:
        print_line(record.error)


def _stop(engine: "Engine", options: argparse.Namespace) -> None:
    engine.stop(options.run_id)
    record = engine.record(options.run_id)
    if options.json:
        print_json({"run_id": record.run_id, "status": record.status})
    else:
        print_line(f"{record.run_id}: {record.status}")


def _resume(engine: "Engine", options: argparse.Namespace) -> None:
    engine.resume(options.run_id)
    _to_its_end(engine, options.run_id, options)


def _fork(engine: "Engine", options: argparse.Namespace) -> None:
    texts = dict(_text(given) for given in options.text)
    _to_its_end(engine, engine.fork(options.run_id, options.node, model=options.model, language=options.language, texts=texts), options)


def _prune(engine: "Engine", options: argparse.Namespace) -> None:
    count = engine.prune(options.days)
    if options.json:
        print_json({"forgotten": count})
    else:
        print_line(f"{count} runs forgotten")


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(f"write a number of days, 0 to {_MOST_DAYS}")
    return days


def _to_its_end(engine: "Engine", run_id: str, options: argparse.Namespace) -> None:
    for _ in follow(engine, [run_id], None):
        pass
    record = engine.wait(run_id)
    assert record.result is not None  # a finished run has a state
    print_state(record.result, as_json=options.json)


def _text(given: str) -> tuple[str, str]:
    from engine.domain.errors import BadInput

    role, sign, path = given.partition("=")
    if not sign or not role or not path:
        raise BadInput(f"--text {given[:60]!r} is not ROLE=FILE")
    try:
        return role, Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise BadInput(f"text file {path} cannot be read: {why(problem)}") from None
