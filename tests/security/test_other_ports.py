"""A page of another program of this machine, in a real Chromium: it reads nothing here, embeds nothing and opens no session."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.browser.conftest import Visit, serving
from tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.full]

OPEN_SOCKET = """(address) => new Promise((done) => {
  const link = new WebSocket(address, ["streamlit"]);
  link.onopen = () => { link.close(); done("open"); };
  link.onerror = () => done("refused");
})"""
EMBED = """([kind, address]) => new Promise((done) => {
  const made = Object.assign(document.createElement(kind), { onload: () => done("loaded"), onerror: () => done("refused") });
  if (kind === "link") Object.assign(made, { rel: "stylesheet", href: address }); else made.src = address;
  document.head.append(made);
})"""
FRAME = """(address) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.onload = () => { try { done(frame.contentDocument ? "own" : "refused or foreign"); } catch { done("refused or foreign"); } };
  frame.src = address;
  document.body.append(frame);
})"""
READ = """([address, how]) => fetch(address, how).then((answer) => answer.type === "opaque" ? "sent" : answer.text(), () => "refused")"""


class Page(BaseHTTPRequestHandler):
    """One empty page, without any rule of its own."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.heard.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title><body>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def heard() -> list[str]:
    """What the other program is asked for from now on."""
    Page.heard.clear()
    return Page.heard


@pytest.fixture
def other_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_another_port_gets_no_session_and_no_answer(
    browser: Any, visit: Callable[..., Visit], other_port: int, tmp_path: Path, name: str
) -> None:
    with serving(ROOT / "app.py", tmp_path / "home") as address:
        own = visit().open(address)
        assert own.page.evaluate(OPEN_SOCKET, f"ws{address[4:]}/_stcore/stream") == "open", "its own page may"
        script = own.page.evaluate("document.querySelector('script[type=module]').src")
        own.close()
        port = address.rsplit(":", 1)[1]
        page = browser.new_page()
        page.goto(f"http://{name}:{other_port}/")
        for here in {address, f"http://{name}:{port}"}:
            assert page.evaluate(OPEN_SOCKET, f"ws{here[4:]}/_stcore/stream") == "refused", here
            for kind, path in (("script", script.removeprefix(address)), ("img", "/favicon.png"), ("script", "/component/x/chart.js")):
                assert page.evaluate(EMBED, [kind, here + path]) == "refused", (here, kind, path)
            for path in ("/_stcore/metrics", "/_stcore/host-config", "/"):
                assert page.evaluate(READ, [here + path, {}]) == "refused", (here, path)
            sent = page.evaluate(READ, [f"{here}/_stcore/agent/interact", {"method": "POST", "mode": "no-cors", "body": "{}"}])
            assert sent in {"sent", "refused"}, "the browser hides the answer: the server has said no, as test_server.py shows"
            assert page.evaluate(FRAME, here + "/") == "refused or foreign"
            assert not [frame.url for frame in page.frames if frame.url.startswith(here + "/")]
        page.close()


SMUGGLE = r"""async (elsewhere) => {
  const done = [], add = (kind, how) => document.body.append(Object.assign(document.createElement(kind), how));
  window.ran = [];
  add("script", { textContent: "window.ran.push('inline')" });
  add("div", { innerHTML: "<img src=x onerror=\"window.ran.push('attribute')\">" });
  setTimeout("window.ran.push('text')", 0);
  add("iframe", { srcdoc: "<script>parent.ran.push('frame')<\/script>" });
  for (const kind of ["script", "img", "iframe", "video"]) add(kind, { src: elsewhere });
  add("object", { data: elsewhere });
  add("link", { rel: "stylesheet", href: elsewhere });
  add("style", { textContent: `@import url(${elsewhere}); body { background: url(${elsewhere}) }` });
  await fetch(elsewhere, { mode: "no-cors" }).then(() => window.ran.push("fetch"), () => null);
  try { new WebSocket(elsewhere.replace("http", "ws")).onerror = () => null; } catch { }
  navigator.sendBeacon(elsewhere, "x");
  await new Promise((go) => setTimeout(go, 500));
  return window.ran;
}"""


def test_what_is_smuggled_into_a_page_neither_runs_nor_calls_home(
    visit: Callable[..., Visit], other_port: int, heard: list[str], tmp_path: Path
) -> None:
    with serving(ROOT / "app.py", tmp_path / "home") as address:
        visitor = visit().open(address)
        assert visitor.page.evaluate(SMUGGLE, f"http://127.0.0.1:{other_port}/canary") == []
        visitor.close()
        visitor.wrong.clear()  # the browser says of each that it was forbidden
    assert heard == []


def test_a_server_without_the_guard_shows_nothing(visit: Callable[..., Visit], tmp_path: Path) -> None:
    with serving(ROOT / "pages" / "main.py", tmp_path / "home", PYTHONPATH=str(ROOT)) as address:
        visitor = visit()
        visitor.page.goto(address)
        visitor.page.get_by_text("this server answers anybody: start it with").wait_for()
        assert visitor.page.locator(".tb-verdict, .st-key-halt").count() == 0
        visitor.close()
