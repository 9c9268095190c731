"""`bench`: what a model is worth on this desk, on frozen markets: measures with intervals, which roles it fits, settings."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.command import command
from engine.cli.terminal import print_json, print_line, warn

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.bench import BenchEstimate, BenchResult

_POLL_S = 0.5
_EVERY = 20
_ENDS = {
    "done": "everything was asked",
    "minutes": "its minutes were over",
    "stopped": "it was stopped",
    "budget": "a budget was spent",
    "lost": "the model gave nothing that could be read from the start",
}


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = (
        "Ask a model some 140 questions of the decision desk on frozen simulated markets and measure what it is worth in each role: form, "
        "false numbers, refusals, biases, obedience to hostile text, plans within limits, stability, cost. Nothing is ordered. When its "
        "minutes are over, or at Ctrl-C, what was measured is reported with its n. The result is kept by model and prompts."
    )
    bench = command(commands, "bench", _bench, "measure a model in every role", about, maintenance="itself")
    bench.add_argument("--model", help="which model (default: TRIBUNAL_MODEL)")
    bench.add_argument("--minutes", type=_minutes, default=10.0, metavar="N", help="how long it may take (default: 10)")
    bench.add_argument("--prompts-from", type=Path, metavar="DIR", help="instructions from DIR/ROLE.LANGUAGE.txt (judge.en.txt)")
    bench.add_argument("--apply", action="store_true", help="write the proposed settings into .env")


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1440:
        raise argparse.ArgumentTypeError("write minutes, above 0 and at most 1440")
    return value


def _bench(engine: "Engine", options: argparse.Namespace) -> int:
    engine.benches.start(options.model, options.minutes, options.prompts_from)
    try:
        _follow(engine, options.minutes)
    except KeyboardInterrupt:
        warn("stopping: what was answered is measured")
        engine.benches.stop()
    result = engine.benches.wait()
    if options.json:
        print_json(result.model_dump(mode="json"))
    else:
        _print(result)
    if options.apply and result.settings:
        engine.benches.apply(result)
        warn("written into .env: it counts from the next start on")
    return 1 if result.ended == "lost" else 0


def _follow(engine: "Engine", minutes: float) -> None:
    said, over = -1, False
    while not over:
        try:
            engine.benches.wait(_POLL_S)
        except TimeoutError:
            pass
        else:
            over = True
        progress = engine.benches.progress()
        if progress is None or progress.estimate is None:
            continue
        if said < 0:
            warn(_estimated(progress.model, progress.estimate, minutes))
        if progress.asked // _EVERY > said:
            said = progress.asked // _EVERY
            warn(f"  {progress.asked} of {progress.estimate.questions}")


def _estimated(model: str, estimate: "BenchEstimate", minutes: float) -> str:
    tokens = f"about {estimate.prompt_tokens:,} tokens sent and {estimate.completion_tokens:,} received, more if it thinks"
    cost = "no price is known (TRIBUNAL_PRICES)" if estimate.cost is None else f"about {estimate.cost:.3f} in the money of TRIBUNAL_PRICES"
    return f"bench of {model}: {estimate.questions} questions, {tokens}; {cost}; at most {minutes:g} minutes (Ctrl-C ends it)"


def _print(result: "BenchResult") -> None:
    print_line(f"{result.model}: {result.asked} of {result.planned} questions in {result.seconds:.0f} s ({_ENDS[result.ended]})")
    for role, fit in result.fit.items():
        against = f": {', '.join(result.failed[role])}" if role in result.failed else ""
        print_line(f"fit  {role:<10} {fit}{against}")
    for name, measure in result.measures.items():
        if measure.n:
            print_line(f"{name:<34} {measure.value:<8g} {measure.low:g} to {measure.high:g}  n={measure.n}")
    if missing := [name for name, measure in result.measures.items() if not measure.n]:
        print_line(f"not measured: {', '.join(missing)}")
    cost = "" if result.cost is None else f", cost {result.cost:.4f}"
    cached = "" if result.cached_tokens is None else f" ({result.cached_tokens:,} of them cached)"
    print_line(f"calls {result.calls}, tokens {result.tokens:,}{cached}{cost}, prompts {result.prompts_hash[:19]}")
    for name, value in result.env.items():
        print_line(f"proposed  {name}={value}")
