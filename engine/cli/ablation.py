"""`ablation RUN_ID`: did the corrections matter? The executor of a finished run, asked once more with the debate as it was said."""

import argparse
from typing import Any

from engine.cli.command import run_maintenance
from engine.cli.terminal import print_json, print_line


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = "Ask a finished run's executor again without the corrections (one model call) and show both decisions."
    ablation = commands.add_parser("matter", help="what would have been decided without corrections", description=about)
    ablation.set_defaults(run=run)
    ablation.add_argument("run_id", metavar="RUN_ID", help="as `decide` printed it")
    ablation.add_argument("--json", action="store_true", help="print both decisions as JSON")


def run(options: argparse.Namespace) -> int:
    """Run the command; returns the exit code. Raises a TribunalError for a run that is not known or has no decision."""
    from contextlib import closing

    from engine.api import Engine

    with closing(Engine()) as engine:
        run_maintenance(engine)
        result = engine.decisions.without_corrections(options.run_id).result
    assert result is not None  # did_it_matter raises where there is none
    ablation = result["did_it_matter"]
    (print_json if options.json else print_line)(ablation if options.json else _sentence(ablation))
    return 0


def _sentence(ablation: dict[str, Any]) -> str:
    with_, without = ablation["corrected"], ablation["uncorrected"]
    verdict = "the corrections changed nothing" if ablation["same"] else "the corrections changed the action"
    return f"{verdict}: {_decision(with_)} with them, {_decision(without)} without"


def _decision(decision: dict[str, Any]) -> str:
    return f"{decision['action']} {decision['confidence'] or 0:g}" + ("" if decision["is_valid"] else " (safe action)")
