"""`stability`: would a decision say so again? `value`: what did its debate buy?"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.stamp import share_line, stamp_line
from engine.shell.terminal import print_json, print_line
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.stability import Stability

say: Final = ShellWords(Path(__file__).parent, "stability")
_FROM: Final = ("judge", "executor", "analysts")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    stability = command(commands, "stability", _stability, say)
    stability.add_argument("run_id", metavar="RUN_ID", help=say("run_id"))
    stability.add_argument("--k", type=int, metavar="N", help=say("k"))
    stability.add_argument("--from", dest="start", choices=_FROM, help=say("from"))
    value = command(commands, "value", _value, say)
    value.add_argument("run_id", nargs="?", metavar="RUN_ID", help=say("value_run"))


def _stability(engine: "Engine", options: argparse.Namespace) -> None:
    from engine.domain.errors import BadInput

    if options.k is None and options.start is not None:
        raise BadInput(say("from_without_k"))
    if options.k is None:
        found = engine.repetitions.last(options.run_id)
    else:
        found = engine.repetitions.ask(options.run_id, options.k, options.start or "judge")
    if options.json:
        print_json(found.to_json())
        return
    for line in _lines(found):
        print_line(line)


def _lines(found: "Stability") -> list[str]:
    spread = [say(f"spread_{name}", atr=f"{value:.2f}") for name, value in found.spread_atr.items() if value is not None]
    cost = say("cost", cost=f"{found.cost:.4f}") if found.cost else ""
    spent = say("spent", calls=found.calls, tokens=found.tokens, seconds=f"{found.seconds:.1f}", cost=cost)
    return [
        say("asked_again", k=found.k, stamp=stamp_line(found.to_json())),
        *([say("spread", levels=say("comma").join(spread))] if spread else []),
        spent,
    ]


def _value(engine: "Engine", options: argparse.Namespace) -> None:
    if options.run_id is None:
        found = engine.repetitions.value_so_far()
        sums = {f"{side}_{name}": found[side][name] for side in ("debate", "single") for name in ("calls", "tokens", "seconds")}
        line = say("value_sum", n=found["runs"], same=share_line(found["same_action"], found["runs"]), **sums)
    else:
        found = engine.repetitions.value_of_debate(options.run_id)
        sides = {side: say("value_spent", **{**found[side], "action": term(found[side]["action"])}) for side in ("debate", "single")}
        line = say("value_same" if found["same_action"] else "value_other", **sides)
    if options.json:
        print_json(found)
    else:
        print_line(line)
