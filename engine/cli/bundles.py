"""`export`, `verify` and `copy-journal`: a run in one file, the journal in another database, and whether all still is what it was."""

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from engine.shell.command import add_command, run_maintenance
from engine.shell.events_file import why
from engine.shell.json_file import read_object
from engine.shell.terminal import as_json, in_words, print_json, print_line, warn
from engine.shell.terminal import say as say_of_all
from engine.shell.words import ShellWords

say: Final = ShellWords(Path(__file__).parent, "runs")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    export = add_command(commands, "export", say)
    export.set_defaults(run=_export)
    export.add_argument("run_id", metavar="RUN_ID", help=say("run_id"))
    export.add_argument("file", metavar="FILE", help=say("export_file"))
    verify = add_command(commands, "verify", say)
    verify.set_defaults(run=_verify)
    verify.add_argument("bundle", metavar="BUNDLE", nargs="?", help=say("bundle"))
    verify.add_argument("--json", action="store_true", help=say_of_all("json"))
    copy = add_command(commands, "copy-journal", say)
    copy.set_defaults(run=_copy_journal)
    copy.add_argument("source", metavar="FROM", help=say("copy_from"))
    copy.add_argument("target", metavar="TO", help=say("copy_to"))
    copy.add_argument("--json", action="store_true", help=say_of_all("json"))


def _export(options: argparse.Namespace) -> int:
    from contextlib import closing

    from engine.domain.errors import BadInput

    with closing(options.open_engine()) as engine:
        run_maintenance(engine)
        text = as_json(engine.bundle(options.run_id)) + "\n"
    if options.file == "-":
        sys.stdout.write(text)
        return 0
    try:
        Path(options.file).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise BadInput(say("bundle_unwritable", path=options.file, problem=why(problem))) from None
    return 0


def _verify(options: argparse.Namespace) -> int:
    found, what, end = _faults(options.bundle)
    if options.json:
        print_json({"agrees": not found, "disagreements": found})
    elif not found:
        print_line(say("agrees", what=what))
        if end:
            print_line(end)
    for line in found if not options.json else ():
        print_line(line)
    if found:
        warn(say("disagrees", n=len(found), what=what, first=in_words(found[0])))
    return 1 if found else 0


def _faults(bundle: str | None) -> tuple[list[str], str, str]:
    """Return what does not agree, in what, and where the audit chain ends ("" for a bundle)."""
    from contextlib import closing

    from engine.api import Engine, verify_bundle

    if bundle is not None:
        return verify_bundle(read_object(bundle, "bundle", stdin=True)), say("the_bundle"), ""
    with closing(Engine()) as engine:
        run_maintenance(engine)
        return engine.trading.faults(), say("the_chain"), engine.trading.chain_end()


def _copy_journal(options: argparse.Namespace) -> int:
    from engine.api import copy_journal

    counts = copy_journal(options.source, options.target)
    if options.json:
        print_json({"rows": sum(counts.values()), "tables": counts})
        return 0
    for name, rows in counts.items():
        print_line(f"{name:<16} {rows:>10,}")
    print_line(say("copied", rows=f"{sum(counts.values()):,}"))
    return 0
