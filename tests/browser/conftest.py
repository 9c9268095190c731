"""A real Streamlit server and a real Chromium. Without Chromium these tests are skipped with a reason; where CI is set they fail."""

import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.conftest import ROOT
from tests.processes import Process

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 30_000
"""How long is waited for a state of a page that is meant to come."""
START_S = 90.0
"""How long is waited for a server, which imports everything first."""
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """Where a Chromium is installed; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The installed Chromium."""
    found = find_chromium()
    if found is None:
        missing = "no Chromium is installed: apt-get install chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return found


class Browsers:
    """The Chromium of all browser tests of a worker, which is opened again should it have ended. Visitors share nothing in it: each has a
    context of its own."""

    def __init__(self, play: Any, path: str) -> None:
        self._play, self._path = play, path
        self._opened: Any = None

    def opened(self) -> Any:
        """Return the one that runs."""
        if self._opened is None or not self._opened.is_connected():
            self._opened = self._play.chromium.launch(executable_path=self._path, args=list(FLAGS))
        return self._opened

    def close(self) -> None:
        """End it."""
        if self._opened is not None:
            self._opened.close()


@contextmanager
def browsers_at(path: str) -> Iterator[Browsers]:
    """Chromium of that place while the block lasts; no test with an event loop of its own can run inside it."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)  # its own is 5 s, which a busy machine takes to draw a page
    with sync_playwright() as play:
        browsers = Browsers(play, path)
        yield browsers
        browsers.close()


@pytest.fixture(scope="package")
def browsers(chromium: str) -> Iterator[Browsers]:
    """One Chromium for all modules of this folder."""
    with browsers_at(chromium) as made:
        yield made


@pytest.fixture(scope="module")
def browser(browsers: Browsers) -> Any:
    """A Chromium that runs when a module begins."""
    return browsers.opened()


CHECKOUT = ("app.py", "pages", "engine", "assets", ".streamlit")
FOREIGN = ("TRIBUNAL_", "OPENAI_", "STREAMLIT_")


class Server:
    """`streamlit run` on a port of loopback, in a folder that holds the checkout but no `.env`, so that a key of whoever runs the tests is
    never used. It runs inside its `with` block, and can be killed and started again there.

    folder: its own. fresh: whether its interpreter begins with nothing imported, as a person's does; else it is forked from one that has
    everything. settings: its environment beside the usual.
    """

    def __init__(self, folder: Path, script: Path = ROOT / "app.py", *, fresh: bool = False, **settings: str) -> None:
        self.home, self._script, self._fresh, self._settings = folder / "home", script, fresh, settings
        self.log = folder / "home.log"
        self._checkout = folder / "checkout"
        self._checkout.mkdir()
        for name in CHECKOUT:
            (self._checkout / name).symlink_to(ROOT / name)
        self._port = free_port()
        self.address = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        outside = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        own = {"HOME": str(self.home.parent), "PYTHONPATH": str(ROOT), "TRIBUNAL_HOME": str(self.home)}
        own["STREAMLIT_SERVER_HEADLESS"] = "true"  # wherever there is a display, a browser would be opened
        command = ("-m", "streamlit", "run", str(self._script), "--server.port", str(self._port))
        environment = {**outside, **own, **self._settings}
        with self.log.open("ab") as log:
            self.process: subprocess.Popen[bytes] | Process
            if self._fresh:
                self.process = subprocess.Popen(
                    [sys.executable, *command], cwd=self._checkout, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
            else:
                self.process = Process(*command, folder=self._checkout, environment=environment, output=log)
        _wait_for(self.address)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.process.kill()
        self.process.wait(30)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()


@contextmanager
def serving(script: Path, home: Path, *, fresh: bool = False, **settings: str) -> Iterator[str]:
    """A server of that script while the block lasts; gives its address. fresh: as for `Server`."""
    with Server(home.parent, script, fresh=fresh, **settings) as server:
        yield server.address


def free_port() -> int:
    """A port that nothing listens on, out of those that the system gives to nobody by itself: who asks it for any port cannot take this one
    before its server has it. Each worker has a thousand of its own, so that no other takes it in between either."""
    first = 20_000 + 1_000 * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 12)
    while True:
        port = random.randrange(first, first + 1_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                answer.read()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    pytest.fail(f"no server at {address} after {START_S:.0f} s")


@pytest.fixture(scope="module")
def serve(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Starts the desk with the given settings; gives its address. All of them end with the module."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(serving(ROOT / "app.py", tmp_path_factory.mktemp("desk") / "home", **settings))


class Visit:
    """One page of one visitor, and everything it complained about: console errors, page errors, dialogs, requests to elsewhere.

    frames: messages between page and server so far.
    """

    def __init__(self, browser: Any, width: int = 1280, theme: str = "light", *, height: int | None = None, scale: float = 1) -> None:
        size = {"width": width, "height": height or (900 if width > 600 else 844)}
        self._context = browser.new_context(viewport=size, color_scheme=theme, device_scale_factor=scale)
        self.page = self._context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.wrong: list[str] = []
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" and not looks_for_server(said) else None)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.wrong.append(request.url) if is_abroad(request.url) else None)
        self.frames = 0
        self.page.on("websocket", self._listen)
        self.page.wait_for_function = self._wait_for  # the driver's own asks in the page, which forbids text to become script

    def _listen(self, link: Any) -> None:
        for way in ("framesent", "framereceived"):
            link.on(way, lambda _: setattr(self, "frames", self.frames + 1))

    def _wait_for(self, expression: str, *, arg: Any = None, timeout: float = PATIENCE_MS) -> None:
        """Ask from outside until the answer is true. timeout: ms."""
        deadline = time.monotonic() + timeout / 1000
        while True:
            try:
                if self.page.evaluate(expression, arg):
                    return
            except PlaywrightError as gone:  # the page went elsewhere meanwhile
                if "context was destroyed" not in str(gone):
                    raise
            assert time.monotonic() < deadline, f"not so within {timeout / 1000:.0f} s: {expression}"
            self.page.wait_for_timeout(50)

    def open(self, address: str) -> "Visit":
        """Go there and wait until the desk has been painted; the bare address of a server is its desk without a run."""
        parts = urlparse(address)
        self.page.goto(f"{address}?new=1" if parts.path in ("", "/") and not parts.query else address)
        self.page.wait_for_selector(".tb-verdict")
        return self

    def text(self, selector: str) -> str:
        """What stands there to be read."""
        return str(self.page.locator(selector).first.inner_text())

    def run(self, button: str = "Run a decision") -> None:
        """Press the button and wait until the run has begun."""
        self.page.get_by_role("button", name=button).click()
        self.page.wait_for_url("**run=*")
        self.page.wait_for_selector(".tb-market .px")

    def texts(self, selector: str) -> list[str]:
        """What stands to be read in each of these places."""
        return list(self.page.locator(selector).all_inner_texts())

    def many(self, selector: str, least: int) -> None:
        """Wait until at least so many stand there."""
        self._wait_for("([selector, least]) => document.querySelectorAll(selector).length >= least", arg=[selector, least])

    def scrolls_sideways(self) -> bool:
        """Whether the page is wider than its window."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"))

    def act_until(self, act: Callable[[], None], condition: str) -> None:
        """Do what a person does again when a page that was just being drawn has not taken it. act: may be done twice. condition: what the
        page answers then, asked in it."""
        for patience_ms in (5_000, 10_000, 30_000):
            act()
            with suppress(AssertionError):
                return self._wait_for(condition, timeout=patience_ms)
        raise AssertionError(f"not so, though it was done three times: {condition}")

    def talks(self, seconds: float) -> int:
        """How many messages go between page and server within that time."""
        before = self.frames
        self.page.wait_for_timeout(seconds * 1000)
        return self.frames - before

    def ended(self) -> None:
        """Wait for the end of the run: the last step has become the reader's, another decision can be asked for, and all of it is drawn."""
        ends = "!/waiting|等待/.test(document.querySelector('.tb-step:last-child .tb-st')?.innerText ?? 'waiting')"
        self.page.wait_for_function(ends, timeout=60_000)
        self.page.wait_for_selector(".st-key-run-button button:not([disabled])")
        self.page.wait_for_function("!document.querySelector('[data-stale=true]')")  # the form is drawn before what stands below it

    def forgive(self, *words: str) -> None:
        """Complaints with one of these words were to be expected."""
        self.wrong = [wrong for wrong in self.wrong if not any(word in wrong for word in words)]

    def close(self) -> None:
        """Leave."""
        self._context.close()  # may be said twice


def looks_for_server(said: Any) -> bool:
    """Whether Streamlit asked below a deep link first for its own files, which are at the root."""
    return urlparse(said.location.get("url", "")).path.rpartition("/_stcore/")[0] != ""


def is_abroad(url: str) -> bool:
    """Whether a request leaves this machine."""
    parts = urlparse(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1"


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Makes visitors; at the end none of them may have had anything to complain about."""
    made: list[Visit] = []

    def come(**how: Any) -> Visit:
        made.append(Visit(browser, **how))
        return made[-1]

    yield come
    for visitor in made:
        visitor.close()
    assert [wrong for visitor in made for wrong in visitor.wrong] == []
