"""`outcomes`, `calibration`, `honesty`, `lessons`: what decisions have come to, whether they were right, and what they taught."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import in_words, print_json, print_line, warn
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.calibration import Calibration
    from engine.domain.honesty import HonestyRow
    from engine.domain.lesson import LearntLesson
    from engine.domain.outcome import DecisionOutcome

say: Final = ShellWords(Path(__file__).parent, "outcomes")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    outcomes = command(commands, "outcomes", _outcomes, say)
    outcomes.add_argument("run_id", nargs="?", metavar="RUN_ID", help=say("of_decision"))
    outcomes.add_argument("--limit", type=int, metavar="N", help=say("newest_only"))
    calibration = command(commands, "calibration", _calibration, say)
    calibration.add_argument("--desk", choices=("decision", "equities"), help=say("of_desk"))
    calibration.add_argument("--model", metavar="NAME", help=say("of_model"))
    honesty = command(commands, "honesty", _honesty, say)
    lessons = command(commands, "lessons", _lessons, say)
    lessons.add_argument("--now", action="store_true", help=say("write_now"))
    for each in (calibration, honesty, lessons):
        each.add_argument("--feed", choices=("simulated", "recorded", "live"), help=say("of_feed"))


def _outcomes(engine: "Engine", options: argparse.Namespace) -> None:
    if options.run_id is not None:
        engine.outcomes.of(options.run_id)  # whether there is such a decision
    for run_id, why in engine.outcomes.catch_up(options.run_id).items():
        warn(say("run_unread", id=run_id, why=why))
    one = engine.outcomes.of(options.run_id) if options.run_id is not None else None
    found = engine.outcomes.all(options.limit) if options.run_id is None else [one] if one is not None else []
    if options.json:
        print_json([each.row() for each in found])
        return
    for each in found:
        print_line(_line(each))


def _line(outcome: "DecisionOutcome") -> str:
    came = outcome.came
    pnl, r = (f"{value:+.2f} {unit}" if value is not None else "-" for value, unit in ((came.pnl_pct, "%"), (came.r, "R")))
    bars = say("bars_n", n=came.bars) if came.bars is not None else "-"
    ended = say(f"exit_{came.exit_reason}") if came.exit_reason is not None else "-"
    followed = say(f"followed_{outcome.followed}")
    return "  ".join([outcome.run_id, f"{outcome.decided_at:%Y-%m-%d %H:%M}", term(outcome.action), followed, ended, pnl, r, bars])


def _calibration(engine: "Engine", options: argparse.Namespace) -> None:
    flow = None
    if options.desk is not None:
        from engine.desks import desk_of

        flow = desk_of(options.desk).flow.name
    engine.outcomes.catch_up()
    found = engine.outcomes.calibration(flow, options.model, options.feed)
    if options.json:
        print_json(found.model_dump(mode="json"))
        return
    for line in _lines(found):
        print_line(line)


def _lines(found: "Calibration") -> list[str]:
    from engine.domain.calibration import ENOUGH

    if not found.enough:
        return [say("too_few_entries", n=found.n, least=ENOUGH)]
    skill = f"{found.skill:+.3f}" if found.skill is not None else "-"
    lines = [say("calibration_total", n=found.n, rate=f"{found.base_rate:.0f}", brier=f"{found.brier:.3f}", skill=skill)]
    for each in found.bins:
        figures = {name: f"{getattr(each, name):.1f}" for name in ("stated", "hit_rate", "low", "high")}
        lines.append(say("calibration_bin", begins=f"{each.begins:.0f}", ends=f"{each.ends:.0f}", n=each.n, **figures))
    return lines


def _honesty(engine: "Engine", options: argparse.Namespace) -> None:
    from engine.outcomes.honesty import honesty_json

    rows = engine.outcomes.honesty(options.feed)
    if options.json:
        print_json(honesty_json(rows))
        return
    for row in rows:
        print_line(_honesty_line(row))
    if not rows:
        print_line(say("nothing_stated"))


def _honesty_line(row: "HonestyRow") -> str:
    from engine.domain.calibration import ENOUGH

    figures = {name: f"{getattr(row, name) * 100:.1f}" for name in ("share", "low", "high")}
    line = say("honesty_row", by=say(f"by_{row.by}"), name=row.name, false=row.false, claims=row.claims, **figures)
    disputed = [say("honesty_disputed", n=row.disputed)] if row.disputed else []
    return "  ".join([line, *disputed, *([say("honesty_few")] if row.claims < ENOUGH else [])])


def _lessons(engine: "Engine", options: argparse.Namespace) -> None:
    if options.now:
        for run_id, why in (engine.outcomes.catch_up() | engine.outcomes.learn()).items():
            warn(say("run_unread", id=run_id, why=why))
    found = engine.outcomes.lessons(options.feed)
    if options.json:
        from engine.domain.text.reason import printed

        print_json([printed(each.model_dump(mode="json") | {"text": each.text, "about": each.about}) for each in found])
        return
    for each in found:
        print_line(_lesson_line(each))
    if not found:
        print_line(say("nothing_learnt"))


def _lesson_line(each: "LearntLesson") -> str:
    r = f"{each.r:+.2f} R" if each.r is not None else "-"
    kind, about = say(f"lesson_{each.kind}"), in_words(each.about) or "-"
    return say("lesson_row", kind=kind, about=about, n=each.n, weight=f"{each.weight:.2f}", r=r, text=in_words(each.text))
