"""`decide`: form one decision. `matter`: what would have been decided without corrections. `bench`: what a model is worth here."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.desks.decision import bench_command
from engine.desks.decision.comparisons import arms_of
from engine.shell.asked_runs import add_copies, add_run_options, add_stability, asked_of, play
from engine.shell.command import add_command, command
from engine.shell.json_file import read_object
from engine.shell.stamp import share_line, stamp_line
from engine.shell.terminal import ended, print_json, print_line
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.run import DecideRequest

say: Final = ShellWords(Path(__file__).parent, "command")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    decide = add_command(commands, "decide", say)
    decide.set_defaults(run=_decide)
    decide.add_argument("symbol", metavar="SYMBOL", help=say("symbol"))
    add_run_options(decide)
    add = decide.add_argument
    add("--exchange", metavar="ID", help=say("exchange"))
    add("--at", metavar="TIME", help=say("at"))
    add("--timeframe", metavar="TF", default="15m", help=say("timeframe"))
    add("--htf", metavar="TF", default=None, help=say("htf"))
    add("--position", metavar="FILE", help=say("position"))
    add("--risk", metavar="FILE", help=say("risk"))
    add("--depth", type=int, metavar="N", help=say("depth"))
    add("--openings", choices=("alternate", "together"), help=say("openings"))
    add("--evidence", metavar="RUN_ID", action="append", help=say("evidence"))
    add("--propose", action="store_true", help=say("propose"))
    add("--broker", metavar="NAME", help=say("broker"))
    add_stability(decide)
    add_copies(decide)
    ablation = command(commands, "matter", _matter, say)
    ablation.add_argument("run_id", nargs="?", metavar="RUN_ID", help=say("run_id"))
    ablation.add_argument("--placebo", action="store_true", help=say("placebo"))
    ablation.add_argument("--all", action="store_true", help=say("matter_all"))
    bench_command.add_to(commands)


def _decide(options: argparse.Namespace) -> int:
    position, risk = _read(options.position, "position"), _read(options.risk, "risk")
    return play(options, lambda engine: _request(engine, options, position, risk), sentence)


def _request(engine: "Engine", options: argparse.Namespace, position: Any, risk: Any) -> "DecideRequest":
    from engine.domain.clock import parse_instant
    from engine.domain.errors import BadInput
    from engine.domain.market.timeframe import usual_higher

    htf = usual_higher(options.timeframe) if options.htf is None else options.htf.strip()
    if not htf:
        raise BadInput(say("htf_empty"))
    return engine.decisions.request(
        options.symbol,
        at=parse_instant(options.at) if options.at is not None else None,
        timeframe_htf=None if htf.lower() == "none" else htf,
        holding=position,
        risk=risk,
        **asked_of(options, "exchange", "timeframe", "depth", "openings", "propose", "evidence", "broker", "stability"),
    )


def sentence(state: dict[str, Any]) -> str:
    """Return a decision in one line."""
    result = state["execution_result"]
    price, confidence = f"{state['current_price']:g}", f"{result['confidence']:g}"
    line = say("decided", pair=state["pair"], price=price, action=term(result["action"]), confidence=confidence)
    if result["stop_loss"] is not None:
        levels = {"stop": result["stop_loss"], "target": result["take_profit"], "ratio": state["risk_reward_ratio"]}
        line += say("levels", leverage=result["leverage"], **{name: f"{level:g}" for name, level in levels.items()})
    if lies := state["planted"]:
        line += say("caught", caught=sum(lie["caught"] for lie in lies), all=len(lies))
    if state.get("stability"):
        line += say("stability", stamp=stamp_line(state["stability"]))
    if state.get("proposal_id"):
        line += say("proposal", id=state["proposal_id"])
    return ended(state, line)


def _read(path: str | None, what: str) -> dict[str, Any] | None:
    return None if path is None else read_object(path, what)


def _matter(engine: "Engine", options: argparse.Namespace) -> None:
    from engine.domain.errors import BadInput

    if options.all == (options.run_id is not None):
        raise BadInput(say("run_or_all"))
    if options.all:
        found = engine.decisions.corrections_so_far()
        changed = {name: share_line(found[f"{name}_changed"], found["runs"]) for name in ("corrections", "placebo")}
        _print(found, say("matter_sum", n=found["runs"], **changed), options)
        return
    result = engine.decisions.without_corrections(options.run_id, placebo=options.placebo).result
    assert result is not None  # it raises where there is none
    ablation = result["did_it_matter"]
    both = {name: _decision(ablation[name]) for name in ("corrected", "uncorrected")}
    line = say("same" if ablation["same"] else "other", **both)
    if options.placebo:
        line += say("with_placebo", placebo=_decision(ablation["placebo"]))
    _print({**ablation, **arms_of(ablation)} if options.placebo else ablation, line, options)


def _print(found: dict[str, Any], line: str, options: argparse.Namespace) -> None:
    if options.json:
        print_json(found)
    else:
        print_line(line)


def _decision(decision: dict[str, Any]) -> str:
    text = f"{term(decision['action'])} {decision['confidence'] or 0:g}"
    return text if decision["is_valid"] else say("safe_action", decision=text)
