"""No prompt and no state goes to LangSmith, whatever the environment of a user switches on for other programs."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT

SWITCHES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2")


@pytest.fixture
def collector() -> Iterator[tuple[str, list[str]]]:
    """An address that takes traces, and the requests that came."""
    came: list[str] = []

    class Take(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(self.path)
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(202)
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the name that http.server calls

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Take)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", came
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_decision_is_traced_nowhere(collector: tuple[str, list[str]], tmp_path: Path) -> None:
    address, came = collector
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TRIBUNAL_", "OPENAI_"))}
    tracing = {"LANGSMITH_API_KEY": "x", "LANGSMITH_ENDPOINT": address, **dict.fromkeys(SWITCHES, "true")}
    command = (sys.executable, "-m", "engine", "decide", "BTC/USDT:USDT")
    environment = {**own, **tracing, "TRIBUNAL_HOME": str(tmp_path), "TRIBUNAL_PACE": "0"}
    played = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, timeout=100)
    assert played.returncode == 0, played.stderr.decode()
    assert came == []
