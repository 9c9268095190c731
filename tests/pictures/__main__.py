"""`python -m tests.pictures approve [STATE ...]` takes the pictures of all pages (or of the states that begin with these words) and keeps
them as approved. Look at what git shows as changed before you commit it. `python -m tests.pictures readme` runs the guided demo and keeps
its end as the picture of the README, `assets/desk.png`.
"""

import argparse
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, Visit, find_chromium, serving
from tests.browser.layout.shots import PAINTED, STANDS, STILL
from tests.browser.layout.states import SETTINGS
from tests.browser.layout.tour import Found, Tour
from tests.conftest import ROOT
from tests.pictures.approved import FOLDER, file_of
from tests.pictures.comparison import compare, read, write

DEMO: Final = ROOT / "assets" / "desk.png"
MOST_BYTES: Final = 300_000
DRAWN: Final = "document.querySelector('.tb-chart .plot .scatterlayer') !== null"
MEASURED: Final = "![...document.querySelectorAll('.tb-clock')].some((each) => each.innerText.includes('—'))"
"""Drift and price of now stand beside the signature."""


def main() -> int:
    """Run the command; gives its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("what", choices=["approve", "readme"])
    parser.add_argument("states", nargs="*", help="beginnings of names, such as desk; all states when left out")
    options = parser.parse_args()
    if options.what == "readme":
        with visiting(2, TRIBUNAL_PACE="1") as (visitor, address, _):
            size = keep_demo(visitor, address)
        print(f"{DEMO}: {size // 1024} kB")
        return 0
    with visiting(TRIBUNAL_PACE="6", **SETTINGS) as (visitor, address, home):
        found = Tour(visitor, address, home).pictures(options.states)
    return approve(found, whole=not options.states)


def approve(found: Found, *, whole: bool) -> int:
    """Keep what looks otherwise than before. whole: these are all pictures there are. Returns 1 where boxes of a page are wrong."""
    for (state, width), picture in found.pictures.items():
        file = file_of(state, width)
        before = compare(read(file), picture) if file.exists() else None
        if before is not None and not before.is_fault:
            continue  # what looks the same is left as it is, and is no change for git
        write(picture, file)
        print(f"{file.stem}: {'new' if before is None else f'changed at {before.where}'}")
    if whole:
        for file in {*FOLDER.glob("*.webp")} - {file_of(state, width) for state, width in found.pictures}:
            file.unlink()
            print(f"{file.stem}: gone")
    for (state, width), faults in found.boxes.items():
        print(f"{state} at {width}: {faults}", file=sys.stderr)
    print(f"{len(found.pictures)} pictures looked at; {sum(file.stat().st_size for file in FOLDER.glob('*.webp')) // 1024} kB are kept")
    return 1 if found.boxes else 0


def keep_demo(visitor: Visit, address: str) -> int:
    """Watch the guided demo until it can be signed, leave it and keep what is then seen. Returns the bytes of the picture."""
    page = visitor.open(address).page
    page.locator(".st-key-demo-button button").first.click()
    page.locator(".st-key-signs").wait_for(timeout=90_000)
    page.wait_for_function(DRAWN)
    page.wait_for_function(MEASURED)
    page.keyboard.press("Escape")  # nothing is dimmed any more
    page.locator(".st-key-guide").wait_for(state="detached")
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.evaluate(STILL, "")
    page.mouse.move(0, 0)
    page.wait_for_function(STANDS)
    page.evaluate(PAINTED)
    with Image.open(io.BytesIO(page.screenshot())) as shot:
        for colours in (256, 128, 64, 32):
            shot.convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(DEMO, optimize=True)
            if DEMO.stat().st_size < MOST_BYTES:
                break
    return DEMO.stat().st_size


@contextmanager
def visiting(scale: float = 1, **settings: str) -> Iterator[tuple[Visit, str, Path]]:
    """One visitor of a server of our own; gives its address and its home, still empty, too. Raises RuntimeError without a Chromium."""
    chromium = find_chromium()
    if chromium is None:
        raise RuntimeError("no Chromium is installed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(FLAGS))
        home = Path(folder) / "home"
        with serving(ROOT / "app.py", home, **settings) as address:
            visitor = Visit(browser, width=1440, height=1130, scale=scale)
            yield visitor, address, home
            visitor.close()
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
