"""`bench`: what a model is worth on this desk, on frozen markets: measures with intervals, which roles it fits, settings."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import padded, print_json, print_line, warn
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.bench import BenchResult

_POLL_S = 0.5
_EVERY = 20
say: Final = ShellWords(Path(__file__).parent, "command")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    bench = command(commands, "bench", _bench, say, maintenance="itself")
    bench.add_argument("--model", help=say("bench_model"))
    bench.add_argument("--minutes", type=_minutes, default=10.0, metavar="N", help=say("minutes"))
    bench.add_argument("--prompts-from", type=Path, metavar="DIR", help=say("prompts_from"))
    bench.add_argument("--apply", action="store_true", help=say("apply"))


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1440:
        raise argparse.ArgumentTypeError(say("minutes_number"))
    return value


def _bench(engine: "Engine", options: argparse.Namespace) -> int:
    warn(_estimated(engine, options))
    engine.benches.start(options.model, options.minutes, options.prompts_from)
    try:
        _follow(engine)
    except KeyboardInterrupt:
        warn(say("stopping"))
        engine.benches.stop()
    result = engine.benches.wait()
    if options.json:
        print_json(result.model_dump(mode="json"))
    else:
        _print(result)
    if options.apply and result.settings:
        engine.benches.apply(result)
        warn(say("applied"))
    return 1 if result.ended == "lost" else 0


def _follow(engine: "Engine") -> None:
    said, over = 0, False
    while not over:
        try:
            engine.benches.wait(_POLL_S)
        except TimeoutError:
            pass
        else:
            over = True
        progress = engine.benches.progress()
        if progress is not None and progress[0] // _EVERY > said:
            said = progress[0] // _EVERY
            warn(say("progress", asked=progress[0], all=progress[1]))


def _estimated(engine: "Engine", options: argparse.Namespace) -> str:
    model = options.model or engine.settings.default_model
    estimate = engine.benches.estimate(model)
    tokens = {"sent": f"{estimate.prompt_tokens:,}", "received": f"{estimate.completion_tokens:,}"}
    cost = say("cost_unknown") if estimate.cost is None else say("cost_about", cost=f"{estimate.cost:.3f}")
    return say("estimate", model=model, questions=estimate.questions, cost=cost, minutes=f"{options.minutes:g}", **tokens)


def _print(result: "BenchResult") -> None:
    asked = {"asked": result.asked, "planned": result.planned, "seconds": f"{result.seconds:.0f}"}
    print_line(say("measured", model=result.model, ended=say(f"ended_{result.ended}"), **asked))
    for role, fit in result.fit.items():
        said = say(f"fit_{fit}")
        if role in result.failed:
            said = say("fit_failed", fit=said, failed=say("comma").join(result.failed[role]))
        print_line(say("fit", role=padded(term(role), 10), fit=said))
    for name, measure in result.measures.items():
        if measure.n:
            ends = {"value": f"{measure.value:<8g}", "low": f"{measure.low:g}", "high": f"{measure.high:g}", "n": measure.n}
            print_line(say("measure", name=f"{name:<34}", **ends))
    if missing := [name for name, measure in result.measures.items() if not measure.n]:
        print_line(say("not_measured", names=say("comma").join(missing)))
    cost = "" if result.cost is None else say("cost", cost=f"{result.cost:.4f}")
    cached = "" if result.cached_tokens is None else say("cached", n=f"{result.cached_tokens:,}")
    print_line(say("totals", calls=result.calls, tokens=f"{result.tokens:,}", cached=cached, cost=cost, prompts=result.prompts_hash[:19]))
    for name, value in result.env.items():
        print_line(say("proposed", setting=f"{name}={value}"))
