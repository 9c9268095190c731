"""`python -m tests.benchmarks [NAME ...]`: measure, print the table, end with 1 when a target is missed.

Names: decision, fusion, crowd, watch, rerank, replay, faults (default: all). TRIBUNAL_ and OPENAI_ variables of the caller are ignored.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path

from tests.benchmarks.measured import Measured, table

NAMES = ("decision", "fusion", "crowd", "watch", "rerank", "replay", "faults")


def main() -> int:
    """Run what is asked for; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure what the engine's numbers are held to.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(NAMES)} (default: all)")
    names = parser.parse_args().names or list(NAMES)
    if unknown := sorted(set(names) - set(NAMES)):
        parser.error(f"no measurement is called {unknown[0]!r}; there are {', '.join(NAMES)}")
    for name in list(os.environ):
        if name.startswith(("TRIBUNAL_", "OPENAI_")) and name != "TRIBUNAL_TEST_DATA":
            del os.environ[name]
    rows = [row for name in names for row in _measured(name)]
    print(table(rows))
    return int(any(row.missed for row in rows))


def _measured(name: str) -> Iterator[Measured]:
    print(f"measuring: {name}", file=sys.stderr, flush=True)
    measure = import_module(f"tests.benchmarks.{name}").measure
    with tempfile.TemporaryDirectory(prefix="tribunal-", ignore_cleanup_errors=True) as folder:
        yield from measure(Path(folder)) if signature(measure).parameters else measure()


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        sys.exit(main())
