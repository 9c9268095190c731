"""How soon the desk is painted: from the start of `streamlit run app.py` to its button in a browser that is open already."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.measured import Measured
from tests.conftest import ROOT

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TIMES = 5
BUTTON = "Run a decision"
WHAT = "page painted after streamlit run"


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    if not CHROMIUM.exists():
        yield Measured(WHAT, "s", target=3, note=f"there is no {CHROMIUM}; apt-get install chromium")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        browser.new_context().new_page().goto("about:blank")
        taken = [_painted(browser, folder / f"home-{place}") for place in range(TIMES)]
        browser.close()
    yield Measured(WHAT, "s", taken, 3, note="a new server and an empty browser cache each time")


def _painted(browser: Any, home: Path) -> float:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    with _streamlit(home) as port:
        _wait_until_open(port)
        page.goto(f"http://127.0.0.1:{port}", wait_until="commit")
        page.get_by_text(BUTTON, exact=True).first.wait_for(state="visible", timeout=60_000)
        taken = time.perf_counter() - began
        context.close()
    return taken


@contextmanager
def _streamlit(home: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"TRIBUNAL_HOME": str(home), "TRIBUNAL_FEED": "simulated", "TRIBUNAL_MODEL": "scripted", "TRIBUNAL_LANGUAGE": "en"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield port
    finally:
        server.terminate()
        server.wait(10)


def _wait_until_open(port: int) -> None:
    for _ in range(3000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.01)
        else:
            return
    raise TimeoutError("streamlit did not open its port")
