"""A picture of a whole page at its present width, as `tests/pictures` compares them."""

import io
from typing import Any, Final

from PIL import Image

from tests.pictures.comparison import shrunk

TALLEST: Final = 3000
"""Pixels of a page that are looked at; what stands below is words."""
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


def picture(page: Any, width: int) -> Image.Image:
    """Return the picture of the page at that width, from its head to its foot."""
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function(STANDS)
    page.evaluate(PAINTED)
    height = min(TALLEST, page.evaluate(HEIGHT))
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PAINTED)
    shot = page.screenshot(type="jpeg", quality=90, animations="allow", caret="initial")  # quick, and good enough for a quarter of it
    with Image.open(io.BytesIO(shot)) as opened:
        return shrunk(opened)
