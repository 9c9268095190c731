"""What is wrong with the boxes of a page as it stands: something sticks out, lies on something, or the chart is not as wide as its room."""

from collections.abc import Callable
from typing import Any

WIDTHS = (390, 768, 1024, 1280, 1440, 1920)
FAULTS = """() => {
  const found = [], wide = document.documentElement.clientWidth;
  const shown = (all) => [...document.querySelectorAll(all)].filter((each) => each.offsetParent && each.getBoundingClientRect().width > 1);
  const words = (each) => (each.innerText || each.className).trim().slice(0, 30);
  if (document.documentElement.scrollWidth > wide + 1) found.push(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
  for (const each of shown(".tb *, [data-testid=stMain] button")) {
    if (each.closest(".tb-scroll, .plot, .tb-sr, .tb-cross")) continue;
    if (each.getBoundingClientRect().right > wide + 1) found.push(`sticks out: ${words(each)}`);
  }
  const texts = ".tb-verdict :is(.v, .s, .tb-lab, .word), .tb-step .t, .tb-market > *, .tb-tag, .tb-clock > *, .tb-role, .tb-dir, .tb-chip";
  const within = "[class*=st-key-choose-], .tb-scroll";
  const read = shown(`${texts}, [data-testid=stMain] button`).filter((each) => each.innerText && !each.closest(within));
  const boxes = read.map((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return [each, (each.querySelector(".tb-sr") ? each : range).getBoundingClientRect()];  // words for screen readers take no room
  });
  boxes.forEach(([one, a], at) => boxes.slice(at + 1).forEach(([other, b]) => {
    if (one.contains(other) || other.contains(one)) return;
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1.5 && down > 3) found.push(`${words(one)} lies on ${words(other)}`);
  }));
  for (const plot of shown(".tb-chart .plot")) {
    const drawn = plot.querySelector("svg.main-svg")?.getBoundingClientRect().width ?? 0;
    if (Math.abs(drawn - plot.clientWidth) > 1) found.push(`the chart is ${drawn} px wide, its room ${plot.clientWidth}`);
  }
  return [...new Set(found)].slice(0, 8);
}"""
SHIFTS = """(() => {
  window.shifts = [];
  window.lastShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.lastShift = entry.startTime;
      if (entry.hadRecentInput) continue;
      const moved = entry.sources.map(({ node, previousRect: from, currentRect: to }) => [
        (node?.getAttribute?.("class") || node?.parentElement?.getAttribute("class") || node?.nodeName || "").slice(0, 80),
        (node?.textContent ?? "").slice(0, 60),
        ...[from, to].map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ")),
      ].join(" | "));
      window.shifts.push([entry.value, ...moved]);
    }
  }).observe({ type: "layout-shift", buffered: true });
})()"""
"""Note every layout shift that no person caused, how large it was and what moved, and when the last one was."""
QUIET = "() => performance.now() - window.lastShift > 1500 && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')"
"""With `SHIFTS`: nothing has moved for a while, and nothing is being drawn."""
AT_REST = """() => [...document.querySelectorAll('.tb-chart .plot')].every(
  (plot) => Math.abs((plot.querySelector('svg.main-svg')?.getBoundingClientRect().width ?? 0) - plot.clientWidth) <= 1)"""


def lasting_faults(page: Any) -> list[str]:
    """Return what is wrong with the page's boxes, once it has had its time to follow a new size."""
    page.wait_for_timeout(60)
    for _ in range(30):
        if not (faults := page.evaluate(FAULTS)):
            return []
        page.wait_for_timeout(100)
    return list(faults)


def moves_nothing(page: Any, press: Callable[[], object], during: Callable[[], object], bound: float = 0.02) -> None:
    """Assert that nothing on the page moves by itself in a run, nor until it has come to rest. A page with `SHIFTS`.

    press: Begins the run; that the run's page takes the place of the one before it is what the reader asked for.
    """
    page.wait_for_function(QUIET)  # the frame has come to rest
    press()
    page.wait_for_selector(".tb-step.now")
    page.wait_for_function("!document.querySelector('[data-stale=true], [data-testid=stSkeleton]')")
    page.evaluate("window.shifts = []")
    during()
    page.wait_for_function(QUIET)
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, *_ in shifts) < bound, "\n".join(map(str, shifts))
