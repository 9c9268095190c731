"""What the comparison of pictures lets through, and what it does not: a page is drawn with other digits, and with a broken layout."""

import random
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.pictures import approved
from tests.pictures.approved import FOLDER, differences
from tests.pictures.comparison import compare, read, shrunk, write

FONT = ImageFont.load_default(14)
Box = tuple[int, int, int, int]
CARDS: dict[str, Box] = {
    "verdict": (250, 60, 1260, 180),
    "chart": (250, 200, 900, 520),
    "analysts": (920, 200, 1260, 520),
    "debate": (250, 540, 900, 820),
    "limits": (920, 540, 1260, 820),
}


def drawn(cards: dict[str, Box], seed: int = 1, shift: float = 0.0) -> Image.Image:
    """A page of cards with words and numbers. seed: of the digits. shift: pixels that all words stand beside their place."""
    digits, page = random.Random(seed), Image.new("RGB", (1280, 900), "#fafaf8")
    pen = ImageDraw.Draw(page)
    for name, (left, top, right, bottom) in cards.items():
        pen.rectangle((left, top, right, bottom), fill="#ffffff", outline="#e3e2dc")
        for line in range(top + 12, bottom - 20, 22):
            x = left + 12 + shift
            while x < right - 120:
                word = f"{digits.randint(10_000, 99_999):,}" if digits.random() < 0.4 else name
                pen.text((x, line), word, fill="#1a1b1e", font=FONT)
                x += 90
    return shrunk(page)


def changed(**cards: Box | None) -> dict[str, Box]:
    """The cards with others in their place; None: gone."""
    return {name: box for name, box in {**CARDS, **cards}.items() if box is not None}


@pytest.mark.full
def test_other_digits_and_other_smoothing_are_let_through() -> None:
    page = drawn(CARDS)
    for other in (drawn(CARDS, seed=2), drawn(CARDS, seed=3, shift=0.5), drawn(CARDS, shift=2)):
        assert compare(page, other).where is None


@pytest.mark.full
@pytest.mark.parametrize(
    "broken",
    [
        changed(limits=None),
        changed(debate=(250, 540, 1100, 820)),
        changed(limits=(920, 460, 1260, 740)),
        changed(chart=(250, 200, 900, 440), debate=(250, 460, 900, 740)),
        {name: (left - 120, top, right - 120, bottom) for name, (left, top, right, bottom) in CARDS.items()},
    ],
    ids=["a card is missing", "a column is too wide", "one lies on another", "a card is lower", "the sidebar has gone"],
)
def test_a_broken_layout_is_found_where_it_is(broken: dict[str, Box]) -> None:
    difference = compare(drawn(CARDS), drawn(broken, seed=2))
    assert difference.is_fault
    assert difference.where is not None
    left, top, right, bottom = difference.where
    moved = [box for name in CARDS for box in (CARDS[name], broken.get(name)) if box and CARDS[name] != broken.get(name)]
    assert any(left < box[2] and box[0] < right and top < box[3] and box[1] < bottom for box in moved)
    assert difference.picture.width > 3 * 300


def test_a_page_may_be_a_line_longer_and_not_a_card() -> None:
    page = drawn(CARDS)
    assert compare(page, page.crop((0, 0, page.width, page.height - 8))).where is None
    assert compare(page, page.crop((0, 0, page.width, page.height - 40))).is_fault
    with pytest.raises(ValueError, match="cannot be compared"):
        compare(page, page.crop((0, 0, page.width - 1, page.height)))


@pytest.mark.full
def test_what_was_never_approved_or_is_not_taken_any_more_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, folder = drawn(CARDS), tmp_path / "approved"
    monkeypatch.setattr(approved, "FOLDER", folder)
    for name in ("desk-1280", "gone-1280"):
        write(page, folder / f"{name}.webp")
    found = {("desk", 1280): drawn(CARDS, seed=2), ("new", 1280): page}
    assert differences(found, tmp_path) == ["new-1280: was never approved", "gone-1280: is approved, and no such picture is taken"]
    (folder / "gone-1280.webp").rename(folder / "new-1280.webp")
    found["new", 1280] = drawn(changed(limits=None))
    (fault,) = differences(found, tmp_path)
    assert fault.startswith("new-1280: differs at")
    assert (tmp_path / "new-1280.png").exists()


def test_what_is_kept_is_small_and_itself() -> None:
    files = sorted(FOLDER.glob("*.webp"))
    assert files
    assert sum(file.stat().st_size for file in files) < 1_500_000
    assert not compare(read(files[0]), read(files[0])).is_fault
