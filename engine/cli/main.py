"""The entry of the shell: reads the arguments, runs one command, turns whatever went wrong into one line and an exit code."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.cli import (
    benchmark,
    bundles,
    cases,
    changes,
    check,
    cost,
    disputes,
    ground,
    guard,
    mcp,
    outcomes,
    prompts,
    replay,
    runs,
    stability,
    trading,
)
from engine.desks import DESKS, commands_of
from engine.domain.text.language import LANGUAGES
from engine.shell.argument_parser import ShellParser
from engine.shell.command import is_endless
from engine.shell.terminal import in_words, say, warn
from engine.shell.words import ShellWords, speak

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.text.language import Language

_SETTING: Final = "TRIBUNAL_LANGUAGE"
_ENV_FILE: Final = Path(".env")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code. What is printed for people is in the language of `--language`, before or after the command,
    else in that of the settings."""
    speak(_language(sys.argv[1:] if arguments is None else arguments))
    options = _parser().parse_args(arguments)
    for name, value in vars(options).items():
        if isinstance(value, str):  # bytes that are no text must not break what is written about them
            setattr(options, name, value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    if isinstance(run_id := getattr(options, "run_id", None), str):
        options.open_engine = partial(_open_engine, run_id=run_id)
    from engine.domain.errors import TribunalError

    with suppress(ValueError):  # only a main thread has signals
        signal.signal(signal.SIGTERM, _interrupt_once)
    try:
        return int(options.run(options))
    except TribunalError as problem:
        warn(say("error", text=in_words(problem)))
        return problem.exit_code
    except BrokenPipeError:  # the reader of our output went away: its choice, not our failure
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - so that closing it later does not fail again
        return 1
    except KeyboardInterrupt:
        if not is_endless(options):
            warn(say("error", text=say("interrupted")))
        return 0 if is_endless(options) else 1
    except OSError as problem:  # files that are read or written answer for themselves: this is our own output
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        warn(say("error", text=say("unwritable", problem=problem.strerror or problem)))
        return 1
    except Exception as problem:  # the last word of the shell: whatever broke, one line and no traceback
        text = " ".join(f"{type(problem).__name__}: {problem}".split())[:200]
        warn(say("error", text=say("fault", problem=text)))
        return 1


def _interrupt_once(number: int, frame: object) -> None:
    """Treat the first SIGTERM as Ctrl-C, and ignore the next ones: nothing interrupts the release of locks and connections."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _language(arguments: Sequence[str]) -> "Language":
    """Return the language that the arguments name, which help and mistakes are said in too; else that of the settings, English if they
    cannot be read."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for option, named in pairwise(words):
        if option == "--language":
            for language in LANGUAGES:
                if named == language:
                    return language
    if not (_ENV_FILE.exists() or any(name.upper() == _SETTING for name in os.environ)):
        return "en"  # without the settings, which --help would wait for
    from engine.domain.errors import TribunalError
    from engine.settings import load_settings

    with suppress(TribunalError):
        return load_settings().language
    return "en"


def _parser() -> argparse.ArgumentParser:
    parser = ShellParser(prog="python -m engine", description=ShellWords(Path(__file__).parent, "runs")("program_about"))
    parser.set_defaults(open_engine=_open_engine, language=None)
    commands = parser.commands()
    decided = (runs, outcomes, stability, changes, prompts, cases, replay, trading)
    for module in (*map(commands_of, DESKS), ground, *decided, guard, bundles, benchmark, disputes, mcp, cost, check):
        module.add_to(commands)
    return parser


def _open_engine(*, degraded: bool = False, run_id: str = "") -> "Engine":
    """Open the engine of the settings; for a run of a replay, that of the replay's own journal."""
    from engine.api import Engine
    from engine.replay.names import key_of_run

    if key_of_run(run_id):
        from engine.api.replays import Replays

        replays = Replays()
        if (home := replays.home_of(run_id)) is not None:
            return Engine(replays.settings_of(home), degraded=degraded)
    return Engine(degraded=degraded)
