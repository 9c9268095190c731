"""`prompts`: what decisions came to under each version of the prompts."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import print_json, print_line
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.prompt_shares import PromptChange, PromptGroup, ShareChange

say: Final = ShellWords(Path(__file__).parent, "changes")
_SHORT: Final = 19


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    command(commands, "prompts", _prompts, say)


def _prompts(engine: "Engine", options: argparse.Namespace) -> None:
    found = engine.prompts.report()
    if options.json:
        print_json(found.model_dump(mode="json"))
        return
    lines = [_group(each) for each in found.groups] or [say("none")]
    for line in (*lines, *(line for each in found.changes for line in _change(each))):
        print_line(line)


def _group(each: "PromptGroup") -> str:
    shares = [say("share", action=term(action), percent=f"{n / each.n * 100:.0f}") for action, n in each.actions.items()]
    about = {"week": each.week, "desk": each.desk, "model": each.model, "prompts": each.prompts_hash[:_SHORT], "n": each.n}
    counted = {"false": each.false_claims, "claims": each.claims, "confidence": _number(each.confidence)}
    return say("group", actions=say("comma").join(shares), **about, **counted)


def _change(each: "PromptChange") -> list[str]:
    from engine.domain.calibration import ENOUGH

    about = {"desk": each.desk, "model": each.model, "before": each.before[:_SHORT], "now": each.now[:_SHORT]}
    first = say("version_changed", roles=say("comma").join(map(term, each.roles)), **about)
    if not each.enough:
        return [first, say("change_too_few", n_before=each.n_before, n_now=each.n_now, least=ENOUGH)]
    rows = [(term(action), share, 100.0) for action, share in each.actions.items()]
    rows += [(say("false_claims"), each.false_claims, 100.0), (say("confidence"), each.confidence, 1.0)]
    return [first, *(_row(what, share, factor) for what, share, factor in rows)]


def _row(what: str, share: "ShareChange", factor: float) -> str:
    both = [_number(value * factor) if value is not None else "-" for value in (share.before, share.now)]
    shown = [say("percent", n=each) for each in both] if factor > 1 else both
    return say("change", what=what, before=shown[0], now=shown[1], p="-" if share.p_value is None else f"{share.p_value:.3f}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
