"""The entry of the shell: reads the arguments, runs one command, turns whatever went wrong into one line and an exit code."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from engine.cli import ablation, bench, bundles, check, decide, disputes, fusion, ground, guard, mcp, plan, research, runs, trading
from engine.cli.command import is_endless
from engine.cli.terminal import warn
from engine.domain.text.visible import one_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    options = _parser().parse_args(arguments)
    for name, value in vars(options).items():
        if isinstance(value, str):  # bytes that are no text must not break what is written about them
            setattr(options, name, value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    from engine.domain.errors import TribunalError

    with suppress(ValueError):  # only a main thread has signals
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # asked to end is the same from the keyboard and from a supervisor
    try:
        return int(options.run(options))
    except TribunalError as problem:
        warn(f"error: {problem}")
        return problem.exit_code
    except BrokenPipeError:  # the reader of our output went away: its choice, not our failure
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - so that closing it later does not fail again
        return 1
    except KeyboardInterrupt:
        if not is_endless(options):
            warn("error: interrupted")
        return 0 if is_endless(options) else 1
    except OSError as problem:  # files that are read or written answer for themselves: this is our own output
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        warn(f"error: the result cannot be written: {problem.strerror or problem}")
        return 1
    except Exception as problem:  # the last word of the shell: whatever broke, one line and no traceback
        text = " ".join(f"{type(problem).__name__}: {problem}".split())[:200]
        warn(f"error: a fault of the program, not of your command: {text}")
        return 1


class _OneLine(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"{one_line(f'error: {message}; see {self.prog} --help')}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _OneLine(
        prog="python -m engine", description="A trading decision, argued by analysts, checked against the market. Not advice."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    decide.add_to(commands)
    fusion.add_to(commands)
    research.add_to(commands)
    plan.add_to(commands)
    ground.add_to(commands)
    ablation.add_to(commands)
    runs.add_to(commands)
    trading.add_to(commands)
    guard.add_to(commands)
    bundles.add_to(commands)
    disputes.add_to(commands)
    mcp.add_to(commands)
    check.add_to(commands)
    bench.add_to(commands)
    return parser
