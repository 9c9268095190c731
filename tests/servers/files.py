"""Files on loopback, honest and hostile: a server that answers every path as it was told.

    with FileServer({"/a.txt": Body(b"text", "text/plain"), "/b": Redirect("http://169.254.169.254/")}) as server:
        ... server.url("/a.txt"), server.asked

Raw HTTP/1.1 over a thread a connection, so that it can lie about lengths and drip for ever. It ends with the block.
"""

import socket
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

_ENDING_S = 5.0


@dataclass(frozen=True)
class Body:
    """A whole answer. content: its bytes, or pieces, endless ones too. length: what the header says, None = nothing, -1 = the truth.
    pause_s: before each piece after the first. drip_head: its header itself comes a byte at a time."""

    content: bytes | Iterable[bytes] = b""
    content_type: str = "text/plain"
    encoding: str = ""
    length: int | None = None
    status: int = 200
    pause_s: float = 0.0
    drip_head: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


def redirect(to: str, status: int = 302) -> Body:
    """An answer that sends elsewhere."""
    return Body(status=status, headers={"Location": to})


class FileServer:
    """See the module. asked: path and headers of every request, in order. sent: bytes of bodies that were written to anybody."""

    def __init__(self, answers: Mapping[str, Body]) -> None:
        self.answers = dict(answers)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.sent = 0
        self._ending = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        self.port = self._socket.getsockname()[1]
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(_ENDING_S)
        self._socket.close()

    @property
    def place(self) -> tuple[str, int]:
        """Host and port, as a configured source has them."""
        return ("127.0.0.1", self.port)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def _start(self, target: object, *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._ending.is_set():
            with suppress(TimeoutError):
                connection, _ = self._socket.accept()
                self._start(self._answer, connection)

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(_ENDING_S)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65_536)
                if not piece:
                    return
                head += piece
            first, *lines = head.decode("latin-1").split("\r\n")
            path = first.split(" ")[1]
            self.asked.append((path, dict(line.split(": ", 1) for line in lines if ": " in line)))
            self._write(connection, self.answers.get(path, Body(b"not here", status=404)))

    def _write(self, connection: socket.socket, body: Body) -> None:
        pieces = [body.content] if isinstance(body.content, bytes) else body.content
        headers = {"Content-Type": body.content_type, "Connection": "close", **body.headers}
        if body.encoding:
            headers["Content-Encoding"] = body.encoding
        if body.length is not None:
            headers["Content-Length"] = str(len(b"".join(pieces)) if body.length == -1 else body.length)
        head = f"HTTP/1.1 {body.status} Said\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        for piece in [bytes([each]) for each in head.encode()] if body.drip_head else [head.encode()]:
            connection.sendall(piece)
            if body.drip_head and self._ending.wait(0.05):
                return
        for number, piece in enumerate(pieces):
            if self._ending.is_set() or (number and body.pause_s and self._ending.wait(body.pause_s)):
                return
            connection.sendall(piece)
            self.sent += len(piece)
