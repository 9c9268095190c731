"""The parent of the processes that tests start: it imports all that a command may need, once, and forks.

`python -m tests.processes.parent FD` reads orders from the socket FD. An order is one byte with five descriptors: stdin, stdout, stderr, a
pipe for the fate of the child, and a file with an `Order` as JSON. Through the pipe go the pid of the child and, once it has ended, its
return code as `subprocess` counts it (negative: the signal that ended it). When the other end of the socket closes, the children that are
left are killed.

A child is what `python ARGUMENTS` would be, without the seconds of importing: it leaves the loop and runs on the main thread. Nothing of
the engine has run in its parent: they share modules only, and the parent has no thread but its main one.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import ExitStack, suppress
from datetime import datetime
from typing import Any, TypedDict

from engine.domain.clock import use_clock
from tests.clocks import Clock

IMPORTED_LATE = ("aiohttp", "ccxt.async_support", "openai", "streamlit.web.bootstrap", "streamlit.web.cli")
"""What the engine imports only when it is needed, and the server of the pages."""
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


def import_all() -> None:
    """Import every module of the engine and what it imports late."""
    import engine

    for module in pkgutil.walk_packages(engine.__path__, "engine."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in IMPORTED_LATE:
        importlib.import_module(name)
    importlib.import_module("sqlalchemy.dialects.sqlite")
    assert threading.active_count() == 1, "a fork would leave the other threads behind"
    gc.freeze()  # what is shared is neither walked nor copied when a child collects or ends


class Parent:
    """orders: the socket on which they come."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders, self._children = orders, dict[int, int]()
        self._died, died = os.pipe()
        for end in (self._died, died):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(died)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> Order | None:
        """Fork until nobody orders any more. Returns the order in a child, None in the parent."""
        while True:
            ready, _, _ = select.select([self._orders, self._died], [], [])
            if self._died in ready:
                os.read(self._died, 4096)
                self._tell_of_the_dead()
            if self._orders in ready:
                byte, descriptors, _, _ = socket.recv_fds(self._orders, 1, 5)
                if not byte:
                    self._end()
                    return None
                order = self._fork(*descriptors)
                if order is not None:
                    return order

    def _fork(self, stdin: int, stdout: int, stderr: int, fate: int, file: int) -> Order | None:
        pid = os.fork()
        if pid:
            self._children[pid] = fate
            os.write(fate, f"{pid}\n".encode())
            for each in (stdin, stdout, stderr, file):
                os.close(each)
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._orders.close()
        for number, given in enumerate((stdin, stdout, stderr)):
            os.dup2(given, number)
        for each in (stdin, stdout, stderr, fate, self._died, *self._children.values()):
            os.close(each)
        with open(file, "rb") as told:
            order: Order = json.load(told)
        return order

    def _tell_of_the_dead(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                fate = self._children.pop(pid)
                with suppress(BrokenPipeError):  # nobody waits for this one
                    os.write(fate, f"{os.waitstatus_to_exitcode(status)}\n".encode())
                os.close(fate)

    def _end(self) -> None:
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)


def become(order: Order) -> None:
    """Run what the order names, as `python` would, and end as it would."""
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


if __name__ == "__main__":
    import_all()
    ordered = Parent(socket.socket(fileno=int(sys.argv[1]))).serve()
    if ordered is not None:
        become(ordered)
