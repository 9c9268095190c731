"""`export` and `verify`: a run in one file, and whether everything in it, or in the journal, still is what it was."""

import argparse
import sys
from pathlib import Path
from typing import Any

from engine.cli.command import run_maintenance
from engine.cli.events_file import why
from engine.cli.json_file import read_object
from engine.cli.terminal import as_json, print_json, print_line, warn


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    export = commands.add_parser("export", help="write a run to a file", description="Write a finished run to one JSON file: a bundle.")
    export.set_defaults(run=_export)
    export.add_argument("run_id", metavar="RUN_ID", help="as `decide` printed it")
    export.add_argument("file", metavar="FILE", help="where to; - for standard output")
    about = (
        "With a bundle: decide it again, offline, from its snapshot and its recorded answers, and say what does not agree. "
        "Without one: walk the audit chain of the journal, and name the first row that is not what was written."
    )
    verify = commands.add_parser("verify", help="check a run's bundle, or the audit chain", description=about)
    verify.set_defaults(run=_verify)
    verify.add_argument("bundle", metavar="BUNDLE", nargs="?", help="a file of `export`; - for standard input")
    verify.add_argument("--json", action="store_true", help="print JSON")


def _export(options: argparse.Namespace) -> int:
    from contextlib import closing

    from engine.api import Engine
    from engine.domain.errors import BadInput

    with closing(Engine()) as engine:
        run_maintenance(engine)
        text = as_json(engine.bundle(options.run_id)) + "\n"
    if options.file == "-":
        sys.stdout.write(text)
        return 0
    try:
        Path(options.file).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"bundle {options.file} cannot be written: {why(problem)}") from None
    return 0


def _verify(options: argparse.Namespace) -> int:
    found, what, end = _faults(options.bundle)
    if options.json:
        print_json({"agrees": not found, "disagreements": found})
    elif not found:
        print_line(f"everything in {what} agrees")
        if end:
            print_line(end)
    for line in found if not options.json else ():
        print_line(line)
    if found:
        warn(f"error: {len(found)} in {what} do not agree, the first: {found[0]}")
    return 1 if found else 0


def _faults(bundle: str | None) -> tuple[list[str], str, str]:
    """Return what does not agree, in what, and where the audit chain ends ("" for a bundle)."""
    from contextlib import closing

    from engine.api import Engine, verify_bundle

    if bundle is not None:
        return verify_bundle(read_object(bundle, "bundle", stdin=True)), "the bundle", ""
    with closing(Engine()) as engine:
        run_maintenance(engine)
        return engine.trading.faults(), "the audit chain", engine.trading.chain_end()
