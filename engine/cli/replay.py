"""`replay`: a desk in a loop over history, and what it came to."""

import argparse
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.asked_runs import asked_of
from engine.shell.command import add_command
from engine.shell.json_file import read_object
from engine.shell.terminal import in_words, print_json, print_line, warn
from engine.shell.terminal import say as say_of_all
from engine.shell.words import ShellWords

if TYPE_CHECKING:
    from engine.api.replay_hands import Hands
    from engine.api.replays import ReplayListener, Wanted
    from engine.domain.replay import ReplayBudget, ReplayReport, SweepReport

say: Final = ShellWords(Path(__file__).parent, "replay")
_EVERY_S: Final = 1.0
_WORLDS: Final = ("real", "shuffled", "bootstrap", "simulated")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    replay = add_command(commands, "replay", say)
    replay.set_defaults(run=_replay, chaos=None)
    replay.add_argument("symbol", nargs="?", metavar="SYMBOL", help=say("symbol"))
    add = replay.add_argument
    add("--feed", choices=("simulated", "recorded", "live"), help=say_of_all("feed"))
    add("--data", dest="data_dir", metavar="FOLDER", help=say_of_all("data"))
    add("--exchange", metavar="ID", help=say("exchange"))
    add("--from", dest="begins", metavar="TIME", help=say("from"))
    add("--to", dest="ends", metavar="TIME", help=say("to"))
    add("--every", type=_positive, default=1, metavar="N", help=say("every"))
    add("--timeframe", metavar="TF", default="15m", help=say("timeframe"))
    add("--htf", metavar="TF", help=say("htf"))
    add("--session", choices=("pre_open", "post_close"), help=say("session"))
    add("--model", metavar="NAME", help=say_of_all("model"))
    add("--depth", type=int, metavar="N", help=say("depth"))
    add("--risk", metavar="FILE", help=say("risk"))
    add("--broker", choices=("paper",), default="paper", help=say("broker"))
    add("--approve", metavar="RULE", default="auto", help=say("approve"))
    add("--budget-calls", type=_positive, metavar="N", help=say("budget_calls"))
    add("--budget-tokens", type=_positive, metavar="N", help=say("budget_tokens"))
    add("--budget-money", type=_money, metavar="X", help=say("budget_money"))
    add("--seed", type=int, metavar="N", help=say_of_all("seed"))
    add("--lies", type=float, metavar="R", help=say_of_all("lies"))
    add("--prove", type=_positive, default=0, metavar="N", help=say("prove"))
    add("--world", choices=_WORLDS, default="real", help=say("world"))
    add("--worlds", type=_positive, default=0, metavar="N", help=say("worlds"))
    add("--windows", type=_positive, default=1, metavar="N", help=say("windows"))
    add("--sweep", action="append", default=[], metavar="KEY=VALUES", help=say("sweep"))
    add("--workers", type=_positive, default=0, metavar="N", help=say("workers"))
    add("--scheduler", metavar="ADDRESS", default="", help=say("scheduler"))
    add("--resume", metavar="ID", help=say("resume"))
    add("--background", action="store_true", help=say("background"))
    add("--json", action="store_true", help=say_of_all("json"))


def _replay(options: argparse.Namespace) -> int:
    from engine.api.replay_hands import OwnHands, Workers
    from engine.api.sweeps import is_sweep
    from engine.domain.replay import SweepReport

    with Workers(options.workers, options.scheduler) if options.workers or options.scheduler else nullcontext(OwnHands()) as hands:
        swept = options.sweep if options.resume is None else is_sweep(options.resume)
        report = _swept(options, hands) if swept else _played(options, hands)
    if options.background:
        return 0
    if options.json:
        print_json(report.model_dump(mode="json"))
    else:
        for line in _lines_of_sweep(report) if isinstance(report, SweepReport) else _lines(report):
            print_line(line)
    if isinstance(report, SweepReport) or report.proof is None or report.proof.holds:
        return 0
    differ = report.proof.differ
    warn(say("future_known", n=len(differ), of=len(report.proof.instants), at=f"{differ[0]:%Y-%m-%d %H:%M}"))
    return 1


def _played(options: argparse.Namespace, hands: "Hands") -> "ReplayReport":
    from engine.api.replays import Replays

    listener, replays = _listener(options), Replays()
    if options.resume is None:
        return replays.play(_wanted(options), listener, hands)
    budget = _budget(options)
    return replays.resume(options.resume, listener, budget if budget != type(budget)() else None, hands)


def _swept(options: argparse.Namespace, hands: "Hands") -> "SweepReport":
    from engine.api.replays import Replays
    from engine.api.sweeps import Sweeps, keys_of

    listener, sweeps = _listener(options), Sweeps(Replays())
    if options.resume is None:
        return sweeps.play(keys_of(options.sweep), _wanted(options), listener, hands)
    budget = _budget(options)
    return sweeps.resume(options.resume, listener, budget if budget != type(budget)() else None, hands)


def _wanted(options: argparse.Namespace) -> "Wanted":
    from engine.api.replays import Wanted
    from engine.domain.clock import parse_instant
    from engine.domain.errors import BadInput
    from engine.domain.market.timeframe import usual_higher

    if options.symbol is None or options.begins is None:
        raise BadInput(say("symbol_and_from"))
    if options.worlds and options.world == "real":
        raise BadInput(say("worlds_of_which"))
    htf = usual_higher(options.timeframe) if options.htf is None else options.htf.strip()
    asked = asked_of(options, "exchange", "timeframe", "depth", "broker", "session")
    asked["timeframe_htf"] = None if htf.lower() == "none" else htf
    if options.risk is not None:
        asked["risk"] = read_object(options.risk, "risk")
    return Wanted(
        symbol=options.symbol,
        asked=asked,
        begins=parse_instant(options.begins),
        ends=parse_instant(options.ends) if options.ends is not None else None,
        every=options.every,
        approve=options.approve,
        budget=_budget(options),
        world=options.world,
        worlds=options.worlds,
        prove=options.prove,
        windows=options.windows,
    )


def _budget(options: argparse.Namespace) -> "ReplayBudget":
    from engine.domain.replay import ReplayBudget

    return ReplayBudget(calls=options.budget_calls, tokens=options.budget_tokens, money=options.budget_money)


def _listener(options: argparse.Namespace) -> "ReplayListener":
    return _NameAlone() if options.background else _ProgressLines()


class _NameAlone:
    """Prints the name of a replay to stdout and closes it, so that the process that reads it can go on."""

    def begun(self, replay_id: str) -> None:
        """Print its name, and nothing after it."""
        print_line(replay_id)
        sys.stdout.flush()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

    def progress(self, part: str, done: int, total: int) -> None:
        """Print nothing: the replay's folder says how far it is."""


class _ProgressLines:
    """Prints to stderr how a replay goes, about once a second."""

    def __init__(self) -> None:
        self._part, self._began, self._before, self._last = "", 0.0, 0, 0.0

    def begun(self, replay_id: str) -> None:
        """Print its name: the first line."""
        warn(say("begun", id=replay_id))

    def progress(self, part: str, done: int, total: int) -> None:
        """Print how far it is, how quick, and how long it takes."""
        now = time.monotonic()
        if part != self._part:
            self._part, self._began, self._before, self._last = part, now, done, now
        if now - self._last < _EVERY_S and done < total:
            return
        self._last = now
        rate = (done - self._before) / (now - self._began) if now > self._began else 0.0
        left = f"{(total - done) / rate:.0f}" if rate > 0 else "-"
        warn(say(f"progress_{part}", done=done, total=total, rate=f"{rate:.1f}", left=left))


def _lines(report: "ReplayReport") -> list[str]:
    closed = sum(each.closed_at is not None for each in report.trades)
    held, naive = report.baselines.buy_and_hold, report.baselines.naive
    figures: dict[str, dict[str, str]] = {
        "total": {
            "id": report.replay_id,
            "decisions": str(report.decisions),
            "trades": str(closed),
            "rate": f"{report.decisions_per_s:.1f}",
        },
        "gained": {
            "value": f"{report.return_pct:+.2f}",
            "interval": _interval(report, "return_pct"),
            "hold": _sign(held),
            "naive": _sign(naive),
        },
        "drawdown": {"value": f"{report.max_drawdown_pct:.2f}", "interval": _interval(report, "max_drawdown_pct")},
        "ratios": {"sharpe": _sign(report.sharpe), "sortino": _sign(report.sortino), "interval": _interval(report, "sharpe")},
        "hits": {"hit": _sign(report.hit_rate), "interval": _interval(report, "hit_rate")},
        "expectancy": {"r": _sign(report.expectancy_r), "interval": _interval(report, "expectancy_r")},
        "use": {"exposure": f"{report.exposure_pct:.1f}", "turnover": f"{report.turnover:.1f}", "costs": f"{report.costs:.2f}"},
        "spent": {name: f"{value:g}" if value is not None else "-" for name, value in report.spent},
    }
    lines = [say(key, **values) for key, values in figures.items()]
    lines += [f"{say(f'header_{name}')}: {in_words(text)}" for name, text in report.header.items()]
    return lines + [f"! {in_words(each)}" for each in report.warnings]


def _lines_of_sweep(report: "SweepReport") -> list[str]:
    lines = [say("sweep_head", id=report.replay_id, n=str(len(report.rows)), rate=f"{report.decisions_per_s:.1f}")]
    for place, row in enumerate(report.rows):
        setting = " ".join(f"{key}={value}" for key, value in row.setting.items())
        figures = {
            "gained": f"{row.return_pct:+.2f}",
            "fall": f"{row.max_drawdown_pct:.2f}",
            "sharpe": _sign(row.sharpe),
            "interval": _bounds(row.sharpe_interval),
            "trades": str(row.trades),
            "decisions": str(row.decisions),
            "false": f"{row.false_claims}/{row.total_claims}",
            "tokens": str(row.tokens),
        }
        lines.append(f"{'*' if place == report.best else ' '} {setting}: {say('sweep_row', **figures)}")
    return lines + [f"! {in_words(each)}" for each in report.warnings]


def _interval(report: "ReplayReport", name: str) -> str:
    return _bounds(report.intervals.get(name))


def _bounds(found: tuple[float, float] | None) -> str:
    return f"[{found[0]:+.2f}, {found[1]:+.2f}]" if found is not None else "[-]"


def _sign(value: float | None) -> str:
    return f"{value:+.2f}" if value is not None else "-"


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(say("positive"))
    return int(text)


def _money(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(say("positive"))
    return value
