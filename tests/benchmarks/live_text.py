"""Live text: from the moment a word is due at the model's end to the frame that shows it, what moves meanwhile, and what a viewer costs.

A real server, a real Chromium and the loopback model of `watch`. Every token of the seven roles is looked for, not only the first one:
the page notes at each frame how many letters of each role it shows. `streamed` pages are as they are; `polled` ones cannot reach the
stream of events, as behind a proxy that keeps it back, and poll. Both kinds take turns on one server. Further viewers have no browser
(`viewers`): what ten of those take is not there to be measured.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import psutil

from pages.claims.prose import prose
from tests.benchmarks.decision import FIRST_TOKEN_S, TOKENS, scripted_state
from tests.benchmarks.endpoint import Endpoint
from tests.benchmarks.measured import Measured
from tests.benchmarks.texts import said, stretched
from tests.benchmarks.watch import CHROMIUM, opened, p95, serving_desk
from tests.browser.conftest import FLAGS
from tests.browser.layout.boxes import QUIET, SHIFTS
from tests.conftest import ROOT
from tests.flows.answers import write_candles
from tests.servers.llm import tokens

CALL_S, TIMES, VIEWERS = 6.0, int(os.environ.get("TIMES", "2")), 10
KINDS = ("streamed", "polled")
STREAM = "**/runs/*/events*"
ROLES = ("indicator", "trend", "sentiment", "pattern", "bull", "bear", "judge")
NOTE = """(roles) => {
  const noted = window.noted = Object.fromEntries(roles.map((role) => [role, []]));
  const letters = (words) => words.replace(/[^A-Za-z]/g, "").length;
  const look = () => {
    for (const role of roles) {
      const place = document.querySelector(`.tb-an section.${role} .txt, .tb-say.${role}`);
      const head = place?.querySelector(".tb-h")?.textContent ?? "", shown = letters(place?.textContent ?? "") - letters(head);
      const known = noted[role].at(-1)?.[1] ?? 0;
      if (shown > known || (shown === 0 && known > 0)) noted[role].push([Date.now(), shown]);
    }
    window.frame = requestAnimationFrame(look);
  };
  cancelAnimationFrame(window.frame);
  look();
  window.shifts = [];
}"""
OVER = "/to sign/.test(document.querySelector('.tb-step:last-child')?.innerText ?? '')"


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    if not CHROMIUM.exists():
        yield Measured("live text", "s", note=f"there is no {CHROMIUM}; apt-get install chromium")
        return
    from playwright.sync_api import sync_playwright

    candles = write_candles(folder / "candles")
    answers = {role: stretched(text, TOKENS) for role, text in said(scripted_state(folder, candles)).items()}
    alone: dict[str, list[_Watched]] = {kind: [] for kind in KINDS}
    crowd: dict[str, list[_Watched]] = {kind: [] for kind in KINDS}
    with sync_playwright() as play, closing(play.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))) as browser:  # noqa: SIM117
        with serving_desk(folder, "live", answers, candles, CALL_S) as (server, endpoint):
            desk = psutil.Process(server.process.pid)
            _watched(browser, server.address, "streamed", endpoint, desk, answers)  # imports, the client, the first compiled graph
            for _ in range(TIMES):
                for kind in KINDS:
                    alone[kind].append(_watched(browser, server.address, kind, endpoint, desk, answers))
                    crowd[kind].append(_watched(browser, server.address, kind, endpoint, desk, answers, VIEWERS))
    for kind in KINDS:
        yield from _rows(kind, alone[kind], crowd[kind])


@dataclass(frozen=True)
class _Watched:
    """One decision as its first viewer saw it. delays: of its tokens, seconds. shifted: what moved. cpu_s: of the server in wall_s."""

    delays: list[float]
    shifted: float
    cpu_s: float
    wall_s: float

    @property
    def share(self) -> float:
        return 100 * self.cpu_s / self.wall_s


def _rows(kind: str, alone: list[_Watched], crowd: list[_Watched]) -> Iterator[Measured]:
    delays = sorted(delay for each in alone for delay in each.delays)
    note = f"{len(delays)} tokens of seven roles, one viewer"
    is_aim = kind == "streamed"
    yield Measured(f"{kind}: a word from the model to the screen", "s", delays, 0.25 if is_aim else None, note=note)
    yield Measured(f"{kind}: the same, 95th of 100", "s", [p95(sorted(each.delays)) for each in alone], 0.5 if is_aim else None)
    yield Measured(f"{kind}: layout shift of a run", "", [each.shifted for each in alone], 0.02 if is_aim else None, held="maximum")
    shares = [each.share for each in alone]
    yield Measured(f"{kind}: server, one viewer", "% of a core", shares, note="decision included")
    yield Measured(f"{kind}: server, {VIEWERS} more viewers", "% of a core", [each.share for each in crowd], note="decision included")
    further = [(each.share - statistics.median(shares)) / VIEWERS for each in crowd]
    yield Measured(f"{kind}: server, each further viewer", "% of a core", further)
    yield Measured(f"{kind}: a word beside {VIEWERS} more viewers, 95th of 100", "s", [p95(sorted(each.delays)) for each in crowd])


def _watched(
    browser: Any, address: str, kind: str, endpoint: Endpoint, desk: psutil.Process, answers: Mapping[str, str], others: int = 0
) -> _Watched:
    """Press the button on a page and watch the run there. others: viewers beside it, who have no browser."""
    page = opened(browser, f"{address}/?new=1", prepare=SHIFTS, closed=STREAM if kind == "polled" else None)
    page.wait_for_selector(".tb-chart .main-svg")
    page.wait_for_function(QUIET)  # a browser's first chart takes it seconds on a busy machine, whatever words come meanwhile
    endpoint.report()
    page.wait_for_selector(".st-key-run-button button:not([disabled])")
    page.evaluate(NOTE, ROLES)
    page.get_by_role("button", name="Run a decision").click()
    page.wait_for_url("**run=*")
    run = page.url.partition("run=")[2].partition("&")[0]
    beside = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.viewers", address, run, kind, str(others)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert beside.stdout is not None
    assert beside.stdout.readline() == "here\n"
    began, cpu = time.monotonic(), sum(desk.cpu_times()[:2])
    page.wait_for_function(OVER)
    watched = sum(desk.cpu_times()[:2]) - cpu, time.monotonic() - began
    noted, shifts = page.evaluate("() => [window.noted, window.shifts]")
    page.context.close()
    beside.wait(60)
    _, calls = endpoint.report()
    delays = [delay for call in calls if call.role in ROLES for delay in _delays(answers[call.role], call.first_due, noted[call.role])]
    found = _Watched(delays, sum(value for value, *_ in shifts), *watched)
    print(f"{kind}, {others} beside: {p95(sorted(delays)):.2f} s, {found.share:.1f} %", file=sys.stderr, flush=True)
    return found


def _letters(words: str) -> int:
    return sum(each.isascii() and each.isalpha() for each in words)


def _delays(text: str, first_due: float, noted: list[tuple[int, int]]) -> list[float]:
    """Seconds from when each token of the shown prose was due to the first frame with all letters up to it. noted: (ms, letters)."""
    shown = sum(_letters(text[span.start : span.end]) for block in prose(text) for line in block.lines for span in line)
    pace = (CALL_S - FIRST_TOKEN_S) / (TOKENS - 1)
    frames = iter([(at / 1000, count) for at, count in noted])
    found, frame = list[float](), next(frames, None)
    for place, (piece, count) in enumerate(zip(tokens(text), accumulate(map(_letters, tokens(text))), strict=True)):
        if count > shown:
            break
        while frame is not None and frame[1] < count:
            frame = next(frames, None)
        if frame is None:
            break
        if _letters(piece):
            found.append(frame[0] - (first_due + place * pace))
    return found
