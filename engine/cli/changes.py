"""`changes`: a decision beside the one before it about the same market."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import print_json, print_line
from engine.shell.words import ShellWords, spoken, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.change_of_mind import ChangeOfMind, FactMove

say: Final = ShellWords(Path(__file__).parent, "changes")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    changes = command(commands, "changes", _changes, say)
    changes.add_argument("run_id", metavar="RUN_ID", help=ShellWords(Path(__file__).parent, "runs")("run_id"))


def _changes(engine: "Engine", options: argparse.Namespace) -> None:
    found = engine.changes.of(options.run_id, "en" if options.json else spoken())
    if options.json:
        print_json(found.model_dump(mode="json"))
        return
    for line in _lines(found):
        print_line(line)


def _lines(found: "ChangeOfMind") -> list[str]:
    now = term(found.action_now)
    if found.previous is None or found.previous_at is None:
        return [say("no_previous", id=found.run_id, now=now)]
    since = {"id": found.run_id, "previous": found.previous, "at": f"{found.previous_at:%Y-%m-%d %H:%M}"}
    before = str(found.action_before)
    lines = [say("same_action", now=now, **since) if before == found.action_now else say("changed", before=term(before), now=now, **since)]
    lines += [say("other_model", model=found.other_model)] if found.other_model is not None else []
    lines += [say("other_prompts", roles=say("comma").join(map(term, found.prompts_changed)))] if found.prompts_changed else []
    lines += [_moved(each) for each in found.facts] or [say("no_fact")]
    lines += [say("fired", condition=each) for each in found.invalidations_fired]
    lines += [say("fallen", role=term(each.role), text=each.text) for each in found.claims_fallen]
    lines += [say("answered", state=term(found.person))] if found.person is not None else []
    lines += [say("reversal_without_fact")] if found.reversal_without_fact else []
    return lines


def _moved(fact: "FactMove") -> str:
    by = say("by_report") if fact.moved is None else say(f"by_{fact.unit}", n=f"{fact.moved:+.1f}")
    return say("moved", key=fact.key, before=f"{fact.before:g}", now=f"{fact.now:g}", by=by)
