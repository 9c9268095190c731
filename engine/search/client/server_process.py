"""The process of an MCP server: what it writes to stderr is kept within bounds, and nothing that it began outlives it.

The MCP client begins a server in a process group of its own, and does not say which. So a shell begins it: the first line on stderr is the
number of the process, which the server then takes the place of.
"""

import errno
import os
import shutil
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from engine.search.client.server_spec import ServerSpec
from engine.search.private_folder import make_private_folder

_MOST_KEPT: Final = 256_000  # bytes of a log; of a longer one the end is kept
_AT_ONCE: Final = 65_536
_BEGIN: Final = ("-c", 'echo $$ >&2; exec "$@"', "sh")
_GROUPS: Final = os.name == "posix"  # elsewhere the MCP client holds what a server begins together


class ServerProcess:
    """One run of a server, from before its start until after its end. spec: what is begun. log: file for its stderr; where none can be
    made, only its last words are kept."""

    def __init__(self, spec: ServerSpec, log: Path) -> None:
        self._spec, self._log = spec, log
        self._begins = b"" if _GROUPS else b"0\n"
        self._tail = b""

    def __enter__(self) -> "ServerProcess":
        reading, writing = os.pipe()
        self.stderr: TextIO = os.fdopen(writing, "w", encoding="utf-8")
        self._reader = threading.Thread(target=self._keep, args=(reading,), name=f"stderr of {self._spec.name}", daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End whatever is left of the server's group; then its stderr has an end too."""
        self.stderr.close()
        number = self._begins.partition(b"\n")[0]
        if _GROUPS and number.isdigit():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(int(number), signal.SIGKILL)
        self._reader.join(1.0)

    def command(self, environment: Mapping[str, str]) -> tuple[str, list[str]]:
        """Return what begins the server, and its arguments. environment: which it gets. Raises FileNotFoundError."""
        spec = self._spec
        if not _GROUPS:
            return spec.command, list(spec.args)
        program = str((spec.cwd or Path()) / spec.command) if os.sep in spec.command else spec.command
        if shutil.which(program, path=environment.get("PATH")) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), spec.command)
        return "/bin/sh", [*_BEGIN, spec.command, *spec.args]

    @property
    def last_words(self) -> str:
        """The last line that it wrote to stderr, "" for none."""
        self._reader.join(0.2)  # of a server that has ended everything is read by then
        lines = self._tail.decode("utf-8", "replace").split("\n")
        return next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")

    def _keep(self, reading: int) -> None:
        """Copy what it writes to the log, until nothing can write any more."""
        log = _open_log(self._log)
        size = 0
        while chunk := os.read(reading, _AT_ONCE):
            if b"\n" not in self._begins:
                self._begins += chunk
                _, _, chunk = self._begins.partition(b"\n")
            self._tail = (self._tail + chunk)[-_MOST_KEPT // 2 :]
            with suppress(OSError):  # a full disk takes no log
                if log is not None and size + len(chunk) > _MOST_KEPT:
                    os.ftruncate(log, 0)
                    os.lseek(log, 0, os.SEEK_SET)
                    chunk, size = self._tail, 0
                size += os.write(log, chunk) if log is not None else 0
        os.close(reading)
        if log is not None:
            os.close(log)


def _open_log(path: Path) -> int | None:
    """Return the emptied log of a server, None where none can be made."""
    try:
        make_private_folder(path.parent)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError:
        return None
