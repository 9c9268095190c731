"""What a child process of the tests does: it becomes what `python ARGUMENTS` would be, without the seconds of importing.

It is forked by the server of `multiprocessing`, in which nothing of the engine has run: they share modules only (`imported.py`).
"""

import atexit
import os
import resource
import runpy
import sys
import threading
import traceback
from contextlib import ExitStack
from datetime import datetime
from typing import Any, TypedDict

from engine.domain.clock import use_clock
from tests.clocks import Clock

_CLOCK = ExitStack()
"""Never left: threads and exit functions have the child's clock too."""


class Order(TypedDict):
    """arguments: as behind `python`, beginning with `-m` or `-c`. file_size: bytes that no file may exceed, or None. begins_at: where its
    clock starts, ISO 8601, None = the system's."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    file_size: int | None
    begins_at: str | None


def become(order: Order, *streams: Any) -> None:
    """Run what the order names, as `python` would, and end as it would. streams: stdin, stdout, stderr: descriptors to be detached."""
    for number, stream in enumerate(streams):
        given = stream.detach()
        os.dup2(given, number)
        os.close(given)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end; multiprocessing closes the inherited one
    code: object = 0
    try:
        run(order)
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # the interpreter's own last word
        traceback.print_exc()
        code = 1
    os._exit(_ended(code))


def _ended(code: object) -> int:
    """End all that an interpreter ends; gives its exit code. Modules are not taken apart one by one: that takes longer than most tests."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return 120
    return code or 0


def run(order: Order) -> None:
    """Put on environment, folder, limits and arguments, and run the module or the script."""
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    sys.path[0] = order["folder"]
    if order["file_size"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"], order["file_size"]))
    if order["begins_at"] is not None:
        _CLOCK.enter_context(use_clock(Clock(datetime.fromisoformat(order["begins_at"]))))
    how, what, *rest = order["arguments"]
    sys.argv = [what if how == "-m" else how, *rest]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        scope: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
        exec(compile(what, "<string>", "exec"), scope)
