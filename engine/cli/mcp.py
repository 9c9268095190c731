"""`mcp`: our sources as tools of an MCP server on stdin and stdout, for our own research and for any other MCP client."""

import argparse
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from engine.shell.command import add_command
from engine.shell.words import ShellWords

say: Final = ShellWords(Path(__file__).parent, "runs")
_PIECE: Final = 65_536  # bytes


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    mcp = add_command(commands, "mcp", say)
    mcp.add_argument("--kind", choices=("search", "download", "both"), default="both", help=say("which_tools"))
    mcp.add_argument("--environment-only", action="store_true", help=say("environment_only"))
    mcp.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    import asyncio

    from engine.bootstrap.search import serve_tools
    from engine.search.protocol import BOTH
    from engine.settings import load_settings

    settings = load_settings(_env_file=None) if options.environment_only else load_settings()
    _end_stdin_when_asked()
    asyncio.run(serve_tools(settings, BOTH if options.kind == "both" else frozenset({options.kind})))
    return 0


def _end_stdin_when_asked() -> None:
    """Let SIGTERM and Ctrl-C end stdin, as a client does when it goes away. The thread that waits for a client's next word cannot be
    interrupted, so stdin becomes a pipe that this process can close, and the thread that fills it is left behind."""
    reading, writing = os.pipe()
    client = os.dup(0)

    def pass_on() -> None:
        with suppress(OSError):  # closed, as asked
            while piece := os.read(client, _PIECE):
                os.write(writing, piece)
            os.close(writing)

    def end(*_: object) -> None:
        with suppress(OSError):  # asked twice
            os.close(writing)

    os.dup2(reading, 0)
    os.close(reading)
    threading.Thread(target=pass_on, daemon=True).start()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, end)
