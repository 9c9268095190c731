"""`plan FILE` and `plan --question TEXT`: one plan worked through; `plan --tools`: what its tasks may use."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.asked_runs import play
from engine.cli.terminal import print_json, print_line

if TYPE_CHECKING:
    from engine.api import Engine


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    plan = commands.add_parser("plan", help="work a plan through", description="Work a plan through, or plan for a question first.")
    plan.set_defaults(run=run)
    plan.add_argument("file", metavar="FILE", nargs="?", help="JSON of a plan")
    add = plan.add_argument
    add("--question", metavar="TEXT", help="a question to plan for")
    add("--tools", action="store_true", help="list the tools that tasks may use, with their JSON schemas")
    add("--symbol", metavar="SYMBOL", help="market or ticker it is about unless its words say otherwise (default: BTC/USDT:USDT)")
    add("--factor", metavar="NAME", help="the only factor to work through")
    add("--threshold", type=float, metavar="X", help="confidence below which a result is an error, 0-1 (default: 0.6)")
    add("--max-retries", type=int, metavar="N", dest="max_retries", help="of tasks that do not say, 0-5 (default: 1)")
    add("--at", metavar="TIME", help="the clock, ISO 8601 (default: now, or the end of the recording)")
    add("--feed", choices=("simulated", "recorded", "live"), help="where data come from (default: TRIBUNAL_FEED)")
    add("--data", metavar="FOLDER", help="folder of a recording; means --feed recorded (default: TRIBUNAL_DATA_DIR)")
    add("--exchange", metavar="ID", help="ccxt id of a live exchange (default: TRIBUNAL_EXCHANGE)")
    add("--model", metavar="NAME", help="a model of your endpoint, or 'scripted' (default: TRIBUNAL_MODEL)")
    add("--language", choices=("en", "zh"), help="of prompts and texts (default: TRIBUNAL_LANGUAGE)")
    add("--lies", type=float, metavar="R", help="share of false symbols the scripted planner writes, 0.0-1.0 (default: 0)")
    add("--seed", type=int, metavar="N", help="of the scripted model and of what is simulated (default: 0)")
    add("--chaos", metavar="ROLE:KIND", help="plant one false number in research answers that it asks for (research_agent:value)")
    add("--events", metavar="FILE", help="write the run's events there, JSON lines")
    add("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Run the command; gives the exit code. Raises a TribunalError with one line when there is no state."""
    from engine.api import Engine
    from engine.domain.errors import BadInput

    if options.tools:
        with closing(Engine()) as engine:
            return _tools(engine, options)
    if (options.file is None) == (options.question is None):
        raise BadInput("give either the FILE of a plan or --question TEXT")
    return play(options, lambda engine: _request(engine, options), print_json if options.json else _print)


def _tools(engine: "Engine", options: argparse.Namespace) -> int:
    found = engine.plans.tools()
    if options.json:
        print_json(found)
        return 0
    for each in found:
        print_line(f"{each['name']}({', '.join(each['parameters'].get('properties', {}))}): {each['description']}")
    return 0


def _request(engine: "Engine", options: argparse.Namespace) -> Any:
    from engine.api import parse_instant

    return engine.plans.request(
        options.question or "",
        plan=Path(options.file) if options.file is not None else None,
        symbol=options.symbol,
        factor=options.factor,
        threshold=options.threshold,
        max_retries=options.max_retries,
        at=parse_instant(options.at) if options.at is not None else None,
        feed=options.feed,
        data_dir=options.data,
        exchange=options.exchange,
        model=options.model,
        language=options.language,
        lies=options.lies,
        seed=options.seed,
        chaos=options.chaos,
    )


def _print(state: dict[str, Any]) -> None:
    for line in str(state["answer"]).splitlines():
        print_line(line)
    print_line(plan_sentence(state))


def plan_sentence(state: dict[str, Any]) -> str:
    """Return a plan's run in one line."""
    factors = ", ".join(f"{factor['name']}: {factor['status']}" for factor in state["factors"]) or "no factor"
    line = f"{factors}; {len(state['statements'])} statements, confidence {state['confidence']:.2f}"
    return line if state["is_valid"] else f"{line} ({'; '.join(state['errors'])})"
