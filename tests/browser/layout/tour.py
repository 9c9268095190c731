"""One visit to every page in every state: it collects what each has to say, and judges nothing. Several tests read it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Error as PlaywrightError

from tests.browser.conftest import Visit
from tests.browser.layout.access import AXE, IN_OTHER_COLOURS, NAMED, faint_rings, grave, left_out_on_paper, vanished
from tests.browser.layout.boxes import AT_REST, WIDTHS, lasting_faults
from tests.browser.layout.shots import STILL, picture
from tests.browser.layout.states import AFTER, BEFORE, Prepared, State, filled
from tests.pictures.approved import approved

NARROW: Final = (1024, 768, 390)
"""Begun with: there the sidebar is closed at first."""
WIDE: Final = (1280, 1440, 1920)
"""Gone on with, once the sidebar has been opened."""
READ: Final = 1280
THERE: Final = "(all) => all.every((each) => document.querySelector(each))"
assert {*NARROW, *WIDE} == {*WIDTHS}


@dataclass
class Found:
    """boxes and pictures by state and width, the rest by state, colours and language; only what there is to say."""

    boxes: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    pictures: dict[tuple[str, int], Image.Image] = field(default_factory=dict)
    axe: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    rings: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    named: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    vanished: dict[str, list[str]] = field(default_factory=dict)
    unprinted: dict[str, list[str]] = field(default_factory=dict)


class Tour:
    """visitor: who goes round. address: of the server, whose home is still empty."""

    def __init__(self, visitor: Visit, address: str, home: Path) -> None:
        self._visitor, self._address, self._home = visitor, address, home
        self._compared = True
        self._page = visitor.page
        self.found = Found()

    def pictures(self, names: Sequence[str] = ()) -> Found:
        """Take the pictures of the states as they are now, of all that have one when none is named. names: how their names begin."""
        self._compared = False
        for state, prepared in self._states():
            if state.pictured and (not names or state.name.startswith(tuple(names))):
                self._open(state, prepared, NARROW[0])
                self._widths(state)
        return self.found

    def everything(self) -> Found:
        """Go round once."""
        self._page.add_init_script(AXE)
        for state, prepared in self._states():
            self._open(state, prepared, NARROW[0])
            if state.pictured:
                self._widths(state)
            self._page.set_viewport_size({"width": READ, "height": 900})
            self._read(state, "en", light=(), dark=IN_OTHER_COLOURS)
            if state.printed:
                self._print(state)
            self._undo(state)
            self._open(state, prepared, READ, "zh")
            self._read(state, "zh", light=IN_OTHER_COLOURS, dark=())
            self._undo(state)
        return self.found

    def _states(self) -> Iterator[tuple[State, Prepared | None]]:
        for state in BEFORE:
            yield state, None
        with filled(self._home) as prepared:
            for state in AFTER:
                yield state, prepared

    def _open(self, state: State, prepared: Prepared | None, width: int, language: str = "en") -> None:
        page = self._page
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{self._address}/{state.path.format(**(prepared.runs if prepared else {}))}&lang={language}")
        page.wait_for_function(THERE, arg=list(state.there))
        page.wait_for_function("(language) => document.documentElement.lang.split('-')[0] === language", arg=language)
        if state.press:
            page.locator(state.press).first.click()
            page.wait_for_selector(state.pressed)
        page.wait_for_function(AT_REST)

    def _undo(self, state: State) -> None:
        if state.undo:
            self._page.locator(state.undo).first.click()
            self._page.wait_for_selector(state.press)

    def _widths(self, state: State) -> None:
        page = self._page
        page.evaluate(STILL, state.hidden)
        for width in (*NARROW, *WIDE):
            page.set_viewport_size({"width": width, "height": 900})
            if width == WIDE[0]:
                page.get_by_test_id("stExpandSidebarButton").click()
            if faults := lasting_faults(page):
                self.found.boxes[state.name, width] = faults
            self.found.pictures[state.name, width] = picture(page, width, approved(state.name, width) if self._compared else None)

    def _read(self, state: State, language: str, **rules: tuple[str, ...]) -> None:
        """Light and dark, without another load. rules: axe's by colours, () for all. All of them are asked once in each language and once
        in each scheme; the other two combinations can only differ in colours."""
        found, page = self.found, self._page
        with suppress(PlaywrightError):  # what is being drawn anew is empty for a moment
            page.wait_for_function("document.querySelector('h1')?.innerText.trim()", timeout=3_000)
        found.named[state.name, language] = page.evaluate(NAMED)
        for theme, only in rules.items():
            with _scheme(page, theme):
                if said := grave(page, only):
                    found.axe[state.name, theme, language] = said[:6]
                if language == "en" and (faint := faint_rings(page)):
                    found.rings[state.name, theme] = faint[:8]

    def _print(self, state: State) -> None:
        if gone := vanished(self._page):
            self.found.vanished[state.name] = gone
        if missing := left_out_on_paper(self._page):
            self.found.unprinted[state.name] = missing


@contextmanager
def _scheme(page: Any, theme: str) -> Iterator[None]:
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(f"getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === '{theme}'")
    yield
    page.emulate_media(color_scheme="light")
