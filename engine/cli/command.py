"""What commands over the engine share: how one is made known, the engine it is given, and how it prints JSON."""

import argparse
import json
import sys
from typing import Any


def command(
    commands: "argparse._SubParsersAction[Any]", name: str, run: Any, short: str, description: str, *, degraded: bool = False
) -> argparse.ArgumentParser:
    """A command that is given the engine and its options, and may print JSON. run: (engine, options); raises a TribunalError to fail.
    degraded: it takes risk away, and is run even with a journal that cannot be opened."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=short, description=description)
    parser.set_defaults(run=_with_engine(run, degraded=degraded))
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _with_engine(run: Any, *, degraded: bool) -> Any:
    def call(options: argparse.Namespace) -> int:
        from contextlib import closing

        from engine.api import Engine

        with closing(Engine(degraded=degraded)) as engine:
            run(engine, options)
        return 0

    return call


def print_json(data: Any) -> None:
    """One strict JSON value, at once."""
    print(json.dumps(data, allow_nan=False, ensure_ascii=False))
    sys.stdout.flush()
