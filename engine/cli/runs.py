"""`runs`, `show`, `stop`, `resume`, `fork`: what is kept of earlier runs, and what can still be done with them."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.desks import DESKS, commands_of, desk_of
from engine.shell.command import command
from engine.shell.events_file import why
from engine.shell.following import follow
from engine.shell.terminal import in_words, padded, print_json, print_line
from engine.shell.words import ShellWords, term

say: Final = ShellWords(Path(__file__).parent, "runs")
_MOST_DAYS = 36_500

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.proposal import Proposal
    from engine.domain.run import RunRecord, RunSummary


def print_state(state: dict[str, Any], flow: str, *, as_json: bool) -> None:
    """Print a final state. flow: of its run."""
    if as_json:
        print_json(state)
        return
    (desk,) = (name for name in DESKS if desk_of(name).flow.name == flow)
    print_line(commands_of(desk).sentence(state))


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    runs = command(commands, "runs", _runs, say)
    runs.add_argument("--limit", type=int, default=50, metavar="N", help=say("limit", default=50))
    show = command(commands, "show", _show, say)
    stop = command(commands, "stop", _stop, say, maintenance="last")
    resume = command(commands, "resume", _resume, say)
    fork = command(commands, "fork", _fork, say)
    prune = command(commands, "prune", _prune, say)
    prune.add_argument("--days", type=_days, required=True, metavar="N", help=say("days"))
    for each in (show, stop, resume, fork):
        each.add_argument("run_id", metavar="RUN_ID", help=say("run_id"))
    fork.add_argument("--from", dest="node", required=True, metavar="NODE", help=say("from_node"))
    fork.add_argument("--model", metavar="NAME", help=say("fork_model"))
    fork.add_argument("--text", action="append", default=[], metavar="ROLE=FILE", help=say("fork_text"))


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
    """Return a run as a line of `runs`. proposal: what it was filed as, as it is now. halted: trading is."""
    from engine.domain.shown_state import state_of_run

    outcome = term(run.headline) if run.headline else in_words(run.error or "")
    state = state_of_run(run.status, proposal, is_valid=run.is_valid, halted=halted)
    if state == "invalid":
        outcome = say("safe_action", outcome=outcome)
    return f"{run.run_id}  {padded(term(state).replace('_', ' '), 11)}  {run.subject:<16}  {outcome}"


def _show(engine: "Engine", options: argparse.Namespace) -> None:
    record = engine.record(options.run_id)
    if options.json:
        print_json({**record.model_dump(mode="json"), "prompts": dict(engine.prompts.versions(record.run_id))})
        return
    request, asked = record.request, f"{record.created_at:%Y-%m-%d %H:%M:%S}"
    print_line(say("shown", id=record.run_id, status=term(record.status), subject=request.subject, model=request.model, at=asked))
    if record.request.origin is not None:
        print_line(say("made_from", id=record.request.origin.run_id))
    _print_prompts(engine, record)
    if record.result is not None:
        print_state(record.result, record.request.flow, as_json=False)
    elif record.error:
        print_line(record.error)


def _print_prompts(engine: "Engine", record: "RunRecord") -> None:
    """Print the name of a run's prompts, and which roles of the run that it was made from were asked with others."""
    named, origin = (record.result or {}).get("prompts_hash"), record.request.origin
    if named is None:
        return
    print_line(say("prompts", hash=named))
    before = engine.prompts.versions(origin.run_id) if origin is not None else {}
    now = engine.prompts.versions(record.run_id)
    if others := [node for node in before if now.get(node) != before[node]]:
        print_line(say("other_prompts", roles=", ".join(map(term, others))))


def _stop(engine: "Engine", options: argparse.Namespace) -> None:
    engine.stop(options.run_id)
    record = engine.record(options.run_id)
    if options.json:
        print_json({"run_id": record.run_id, "status": record.status})
    else:
        print_line(say("status", id=record.run_id, status=term(record.status)))


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
        print_line(say("forgotten", n=count))


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(say("days_number", most=_MOST_DAYS))
    return days


def _to_its_end(engine: "Engine", run_id: str, options: argparse.Namespace) -> None:
    for _ in follow(engine, [run_id], None):
        pass
    record = engine.wait(run_id)
    assert record.result is not None  # a finished run has a state
    print_state(record.result, record.request.flow, as_json=options.json)


def _text(given: str) -> tuple[str, str]:
    from engine.domain.errors import BadInput

    role, sign, path = given.partition("=")
    if not sign or not role or not path:
        raise BadInput(say("text_form", given=repr(given[:60])))
    try:
        return role, Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise BadInput(say("text_unread", path=path, problem=why(problem))) from None
