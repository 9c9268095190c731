"""What commands over the engine share: how one is made known, and the engine it is given."""

import argparse
from typing import Any


def command(commands: "argparse._SubParsersAction[Any]", name: str, run: Any, short: str, description: str) -> argparse.ArgumentParser:
    """A command that is given the engine and its options, and may print JSON. run: (engine, options); raises a TribunalError to fail."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=short, description=description)
    parser.set_defaults(run=_with_engine(run))
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _with_engine(run: Any) -> Any:
    def call(options: argparse.Namespace) -> int:
        from contextlib import closing

        from engine.api import Engine

        with closing(Engine()) as engine:
            run(engine, options)
        return 0

    return call
