"""A picture of a whole page at its present width, as `tests/pictures` compares them."""

import io
from typing import Any, Final

from PIL import Image

from tests.pictures.comparison import compare, shrunk

TALLEST: Final = 3000
"""Pixels of a page that are looked at; what stands below is words."""
TRIES, BETWEEN_MS = 6, 500
"""How often a picture is taken again, and how long after the one before."""
STILL: Final = """(hidden) => {
  const sheet = new CSSStyleSheet();
  const still = ["animation: none", "transition: none", "scrollbar-width: none", "caret-color: transparent"].join(" !important; ");
  sheet.replaceSync(`*, *::before, *::after { ${still} !important } .tb-cross, .tb-live { display: none !important; }
    [data-stale=true], [data-stale=true] * { opacity: 1 !important; }
    ${hidden ? `:is(${hidden}) { visibility: hidden !important; }` : ""}`);
  document.adoptedStyleSheets = [sheet];
}"""
"""Hold still what moves, and hide what shows the market of today. The style sheet of a page that was there stays."""
HEIGHT: Final = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return Math.ceil(Math.max(900, main?.scrollHeight ?? 0));
}"""
STANDS: Final = """() => document.fonts.status === 'loaded' && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')"""
PAINTED: Final = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def picture(page: Any, width: int, approved: Image.Image | None = None) -> Image.Image:
    """Return the picture of the page at that width, from its head to its foot. What is still being measured or read makes it another one
    for a moment: it is taken again until it looks as `approved`, or else as the one before it, and a few times at most."""
    page.set_viewport_size({"width": width, "height": 900})
    taken, expected = _shot(page, width), approved
    for _ in range(TRIES):
        if expected is not None and not compare(expected, taken).is_fault:
            break
        page.wait_for_timeout(BETWEEN_MS)
        before, taken = taken, _shot(page, width)
        expected = approved or before
    return taken


def _shot(page: Any, width: int) -> Image.Image:
    page.wait_for_function(STANDS)
    page.evaluate(PAINTED)
    height = min(TALLEST, page.evaluate(HEIGHT))
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PAINTED)
    shot = page.screenshot(type="jpeg", quality=90, animations="allow", caret="initial")  # quick, and good enough for a quarter of it
    page.set_viewport_size({"width": width, "height": 900})
    with Image.open(io.BytesIO(shot)) as opened:
        return shrunk(opened)
