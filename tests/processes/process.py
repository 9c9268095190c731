"""What tests start processes with: `subprocess`, as far as they need it, over a server that forks (`multiprocessing`).

What is asked of a fresh interpreter (how quickly it answers, what it imports, where it begins to listen) is started with `subprocess`.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from multiprocessing import get_context
from multiprocessing.reduction import DupFd
from types import ModuleType
from typing import IO, Any, Self
from weakref import WeakSet

from tests.clocks import time_for_a_child
from tests.conftest import ROOT
from tests.processes.child import Order, become

PIPE = subprocess.PIPE
Completed = subprocess.CompletedProcess[str]


@contextmanager
def _without_main() -> Iterator[None]:
    """While a child begins: it would run this process's `__main__` first, which is a page once Streamlit's AppTest has run one here."""
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


_FORKED = get_context("forkserver")
_FORKED.set_forkserver_preload(["tests.processes.imported"])


class Process:
    """`python ARGUMENTS` in a process of its own. arguments: beginning with `-m MODULE` or `-c SCRIPT`.

    stdin: PIPE, or nothing to be read. output: a file that both streams are appended to instead of `stdout` and `stderr`.
    file_size: bytes that no file it writes may exceed. returncode: None until it has been seen to have ended; negative for a signal.
    """

    stdin: IO[str] | None = None
    stdout: IO[str] | None = None
    stderr: IO[str] | None = None

    def __init__(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        folder: os.PathLike[str] = ROOT,
        stdin: int | None = None,
        output: IO[bytes] | None = None,
        file_size: int | None = None,
    ) -> None:
        order = Order(
            arguments=list(arguments),
            environment=dict(environment or os.environ),
            folder=str(folder),
            file_size=file_size,
            begins_at=time_for_a_child(),
        )
        self.returncode: int | None = None
        given = [self._input(stdin), *self._outputs(output)]
        self._process = _FORKED.Process(target=become, args=(order, *map(_Handed, given)))
        with _without_main():
            self._process.start()
        for each in given:
            os.close(each)
        self.pid = self._process.pid or 0
        _STARTED.add(self)

    def _input(self, stdin: int | None) -> int:
        if stdin is None:
            return os.open(os.devnull, os.O_RDONLY)
        end, ours = os.pipe()
        self.stdin = _text(ours, "w")
        return end

    def _outputs(self, output: IO[bytes] | None) -> tuple[int, int]:
        if output is not None:
            return os.dup(output.fileno()), os.dup(output.fileno())
        (out, stdout), (err, stderr) = os.pipe(), os.pipe()
        self.stdout, self.stderr = _text(out, "r"), _text(err, "r")
        return stdout, stderr

    def poll(self) -> int | None:
        """The return code, or None while it runs."""
        if self.returncode is None:
            self.returncode = self._process.exitcode
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; gives the return code. Raises TimeoutExpired after so many seconds."""
        self._process.join(timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        return code

    def communicate(self, given: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Hand it its input, and wait for its end; gives stdout and stderr. Raises TimeoutExpired."""
        until = None if timeout is None else time.monotonic() + timeout
        said = {"stdout": "", "stderr": ""}

        def read(name: str, stream: IO[str]) -> None:
            with stream:
                said[name] = stream.read()

        readers = [
            threading.Thread(target=read, args=(name, stream), daemon=True)
            for name, stream in (("stdout", self.stdout), ("stderr", self.stderr))
            if stream is not None and not stream.closed
        ]
        for reader in readers:
            reader.start()
        if self.stdin is not None and not self.stdin.closed:
            with self.stdin as stdin:
                stdin.write(given or "")
        for reader in readers:
            reader.join(None if until is None else max(0.0, until - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        self.wait(None if until is None else max(0.1, until - time.monotonic()))
        return said["stdout"], said["stderr"]

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ended since, and its exit code is still on the way
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait(10)
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None and not stream.closed:
                stream.close()


class _Handed:
    """A descriptor that is handed to the child: duplicated when its order is sent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (DupFd(self._descriptor),)


def _same(handed: Any) -> Any:
    return handed


_STARTED = WeakSet[Process]()


@atexit.register
def _end_all() -> None:
    for each in list(_STARTED):
        each.kill()


def _text(descriptor: int, mode: str) -> TextIOWrapper:
    return open(descriptor, mode, encoding="utf-8")


def start_engine(*arguments: str, **how: object) -> Process:
    """Begin `python -m engine ARGUMENTS`. how: as for `Process`."""
    return Process("-m", "engine", *arguments, **how)  # type: ignore[arg-type]


def run_python(*arguments: str, timeout: float = 90, **how: object) -> Completed:
    """Run `python ARGUMENTS` to its end; one that takes longer than `timeout` seconds is killed and the test fails."""
    with Process(*arguments, **how) as process:  # type: ignore[arg-type]
        out, err = process.communicate(timeout=timeout)
    assert process.returncode is not None
    return subprocess.CompletedProcess(list(arguments), process.returncode, out, err)


def run_engine(*arguments: str, timeout: float = 90, **how: object) -> Completed:
    return run_python("-m", "engine", *arguments, timeout=timeout, **how)
