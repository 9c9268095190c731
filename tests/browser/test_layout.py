"""Every page in every state, at every width: nothing lies on anything or sticks out, it looks as it was approved, nothing moves while a run
goes on, axe has nothing serious to say, and who uses the keyboard sees where they are. One server, one browser and one round for all of it.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.browser.conftest import Visit, serving
from tests.browser.layout.boxes import AT_REST, QUIET, SHIFTS, moves_nothing
from tests.browser.layout.states import SETTINGS
from tests.browser.layout.tour import Found, Tour
from tests.conftest import ROOT
from tests.pictures.approved import differences

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]


round_trip = pytest.mark.timeout(600)
"""The first of these tests waits for all of the round."""


@pytest.fixture(scope="module")
def found(browser: object) -> Found:
    """What one round of all pages brought, on a desk that has not been used. Its home has a name as long as that of the approved pictures,
    since a page shows it."""
    with TemporaryDirectory() as folder, serving(ROOT / "app.py", home := Path(folder) / "home", TRIBUNAL_PACE="6", **SETTINGS) as address:
        visitor = Visit(browser, width=1024)
        try:
            found = Tour(visitor, address, home).everything()
        finally:
            visitor.close()
    assert visitor.wrong == []
    return found


@round_trip
def test_every_page_holds_together_at_every_width(found: Found) -> None:
    assert found.boxes == {}


@round_trip
def test_every_page_looks_as_it_was_approved(found: Found, tmp_path_factory: pytest.TempPathFactory) -> None:
    faults = differences(found.pictures, tmp_path_factory.mktemp("pictures"))
    assert not faults, "\n".join(["look at these, and approve what is right: python -m tests.pictures approve", *faults])


def test_nothing_moves_while_a_page_comes_and_a_run_goes_on(serve: Callable[..., str], visit: Come) -> None:
    visitor = visit(width=1440)
    page = visitor.page
    page.add_init_script(SHIFTS)
    address = serve(TRIBUNAL_PACE="3")  # a page that is slow to come still sees the run go on
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        visitor.open(f"{address}/?new=1")
        page.wait_for_function(AT_REST)
        page.wait_for_function(QUIET)
        loaded = page.evaluate("window.shifts")
        assert sum(value for value, *_ in loaded) < 0.1, "\n".join(map(str, loaded))
        moves_nothing(page, visitor.run, visitor.ended)


@round_trip
def test_axe_finds_nothing_serious(found: Found) -> None:
    assert found.axe == {}


@round_trip
def test_whoever_uses_the_keyboard_sees_where_they_are(found: Found) -> None:
    assert found.rings == {}, "a ring of at least 3:1 on everything that can be focused"


@round_trip
def test_bars_and_pips_can_be_seen_in_forced_colours(found: Found) -> None:
    assert found.vanished == {}


@round_trip
def test_paper_holds_every_panel(found: Found) -> None:
    assert found.unprinted == {}


@round_trip
def test_every_page_has_its_language_one_heading_and_a_title(found: Found) -> None:
    for (name, language), named in found.named.items():
        assert named["lang"] == {"en": "en", "zh": "zh-Hans"}[language], (name, named)
        assert len(named["heads"]) == 1, (name, named)
        assert named["heads"][0], (name, named)
        assert "Tribunal" in named["title"], (name, named)
        assert named["doubled"] == [], (name, named)
