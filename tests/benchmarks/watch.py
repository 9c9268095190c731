"""What watching costs: from the model's first token to the pixel, for one viewer and for eight; the server's processor meanwhile; the list
of a thousand runs.

A real server, a real Chromium, and the loopback model in a process of its own, which says when each first token was due. The page looks
every 20 ms whether it shows words of a role; both clocks are this machine's.
"""

import os
import sqlite3
import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks.decision import CALL_S, FIRST_TOKEN_S, TOKENS, scripted_state
from tests.benchmarks.endpoint import Endpoint, running
from tests.benchmarks.measured import Measured
from tests.benchmarks.texts import said, stretched
from tests.browser.conftest import FLAGS, Server
from tests.flows.answers import write_candles

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
RUNS, VIEWERS, IDLE_S, LISTED, AT_ONCE = 4, 8, 20.0, 1000, 200
SLOW_CALL_S = 20.0  # eight pages take their time to come
PLACES = {
    **{role: f".tb-an section.{role} .txt p" for role in ("indicator", "trend", "sentiment", "pattern")},
    **{role: f".tb-say.{role} p" for role in ("bull", "bear", "judge")},
}
NOTE = """(places) => {
  const first = window.first = {}, empty = new Set();  // what an earlier run said is no news
  const look = () => {
    for (const [role, place] of Object.entries(places)) {
      if (!document.querySelector(place)?.textContent.trim()) empty.add(role);
      else if (empty.has(role)) first[role] ??= Date.now();
    }
  };
  clearInterval(window.noting);
  window.noting = setInterval(look, 20);
  look();
}"""


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    if not CHROMIUM.exists():
        yield Measured("watching a run", "s", note=f"there is no {CHROMIUM}; apt-get install chromium")
        return
    from playwright.sync_api import sync_playwright

    candles = write_candles(folder / "candles")
    answers = {role: stretched(text, TOKENS) for role, text in said(scripted_state(folder, candles)).items()}
    with sync_playwright() as play, closing(play.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))) as browser:
        with serving_desk(folder, "alone", answers, candles, CALL_S) as (server, endpoint):
            page, desk = opened(browser, server.address), psutil.Process(server.process.pid)
            _watched([page], endpoint, desk)  # imports, the client, the first compiled graph
            alone = [_watched([page], endpoint, desk) for _ in range(RUNS)]
            waits = _share(desk, lambda: page.wait_for_timeout(IDLE_S * 1000))  # the last decision waits for a signature
            page.goto(server.address)
            page.wait_for_selector(".tb-verdict")
            page.wait_for_timeout(2_000)
            idle = _share(desk, lambda: page.wait_for_timeout(IDLE_S * 1000))
            page.context.close()
        with serving_desk(folder, "crowd", answers, candles, SLOW_CALL_S) as (server, endpoint):
            desk = psutil.Process(server.process.pid)
            pages = [opened(browser, server.address) for _ in range(VIEWERS)]
            crowd = _watched(pages, endpoint, desk)
            for page in pages:
                page.context.close()
        yield from _rows(alone, crowd, idle, waits)
        yield _listed(folder, browser)


@contextmanager
def serving_desk(folder: Path, name: str, answers: Mapping[str, str], candles: Path, call_s: float) -> Iterator[tuple[Server, Endpoint]]:
    """A desk of its own, with a model of so many seconds a call."""
    (folder / name).mkdir()
    with running(answers, folder, FIRST_TOKEN_S, (TOKENS - 1) / (call_s - FIRST_TOKEN_S)) as endpoint:
        settings = {"OPENAI_API_KEY": "sk-benchmark", "OPENAI_BASE_URL": endpoint.base_url, "TRIBUNAL_MODEL": "loopback"}
        with Server(folder / name, **settings, TRIBUNAL_DATA_DIR=str(candles)) as server:
            yield server, endpoint


def _rows(alone: "list[_Watched]", crowd: "_Watched", idle: float, waits: float) -> Iterator[Measured]:
    delays = sorted(delay for each in alone for delay in each.delays)
    note = "seven roles of every decision; polled every 0.5 s"
    yield Measured("first token to pixel", "s", delays, 0.6, note=note)
    yield Measured("first token to pixel, 95th of 100", "s", [p95(delays)], 1.0)
    yield Measured(
        "server, one viewer of a running decision", "% of a core", [each.share * 100 for each in alone], 12, note="decision included"
    )
    yield Measured("server, an idle page", "% of a core", [idle * 100], 1)
    yield Measured("server, a page that waits for a signature", "% of a core", [waits * 100], note="its clock and drift once a second")
    delays = sorted(crowd.delays)
    yield Measured(
        f"first token to pixel, {VIEWERS} viewers, 95th of 100", "s", [p95(delays)], note=f"median {statistics.median(delays):.2f} s"
    )
    yield Measured(f"server, {VIEWERS} viewers", "% of a core", [crowd.share * 100], note="decision included")


def p95(ordered: list[float]) -> float:
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


class _Watched:
    """One decision as its viewers saw it. share: of a core that the server took meanwhile."""

    def __init__(self, delays: list[float], share: float) -> None:
        self.delays, self.share = delays, share


def opened(browser: Any, address: str, *, prepare: str = "", closed: str | None = None) -> Any:
    """A page that has been painted. prepare: a script that it begins with. closed: addresses that it cannot reach."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True).new_page()  # it waits by a script of its own
    if prepare:
        page.add_init_script(prepare)
    if closed is not None:
        page.route(closed, lambda route: route.abort())
    page.set_default_timeout(240_000)
    page.goto(address)
    page.wait_for_selector(".tb-verdict")
    return page


def _watched(pages: list[Any], endpoint: Endpoint, desk: psutil.Process) -> _Watched:
    """Press the button on the first page and watch the run on all of them."""
    first, before = pages[0], pages[0].url
    endpoint.report()
    first.wait_for_selector("button[kind='primary']:not([disabled])")
    first.evaluate(NOTE, PLACES)
    began, cpu = time.monotonic(), sum(desk.cpu_times()[:2])
    first.get_by_role("button", name="Run a decision").click()
    first.wait_for_url(lambda url: "run=" in url and url != before)
    first.wait_for_selector("button[kind='primary'][disabled]")
    for page in pages[1:]:
        page.goto(first.url, wait_until="commit")
    for page in pages[1:]:
        page.wait_for_selector("button[kind='primary'][disabled]")
        page.evaluate(NOTE, PLACES)
    for page in pages:
        page.wait_for_function("/to sign/.test(document.querySelector('.tb-step:last-child')?.innerText ?? '')")
    share = (sum(desk.cpu_times()[:2]) - cpu) / (time.monotonic() - began)
    _, calls = endpoint.report()
    due = {call.role: call.first_due for call in calls}
    late = ("bull", "bear", "judge") if len(pages) > 1 else tuple(PLACES)  # a page that came later cannot have seen the first words
    seen = [page.evaluate("() => window.first") for page in pages]
    return _Watched([told[role] / 1000 - due[role] for told in seen for role in late if role in told], share)


def _share(desk: psutil.Process, wait: Any) -> float:
    began, cpu = time.monotonic(), sum(desk.cpu_times()[:2])
    wait()
    return (sum(desk.cpu_times()[:2]) - cpu) / (time.monotonic() - began)


def _listed(folder: Path, browser: Any) -> Measured:
    """A journal of a thousand finished runs, and its page."""
    (folder / "many").mkdir()
    with Server(folder / "many", TRIBUNAL_HOME=str(folder / "scripted")) as server:
        _multiplied(folder / "scripted" / "tribunal.db", LISTED)
        page = opened(browser, server.address)
        taken = []
        for _ in range(5):
            began = time.perf_counter()
            page.goto(f"{server.address}/runs", wait_until="commit")
            page.wait_for_function(f"document.querySelectorAll('.tb-tab tbody tr').length >= {AT_ONCE}")
            taken.append(time.perf_counter() - began)
        page.context.close()
    return Measured(f"page of {LISTED} finished runs", "s", taken, 1.0, note=f"from the address to row {AT_ONCE}; the others on request")


def _multiplied(journal: Path, count: int) -> None:
    with closing(sqlite3.connect(journal)) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(runs)") if row[1] != "run_id"]
        names = ", ".join(columns)
        for number in range(count):
            database.execute(f"INSERT INTO runs (run_id, {names}) SELECT ?, {names} FROM runs LIMIT 1", (f"copy-{number}",))
        database.commit()
