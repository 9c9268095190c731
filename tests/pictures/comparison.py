"""Two pictures of a page compared as a reader would: has the layout changed?

A picture is kept at a quarter of its size: a changed digit is a changed grey there, a card that moved is not. Every point of one picture
must lie between the darkest and the lightest point near the same place of the other, and the other way round. What does not is a
difference, and a picture fails where differences are dense over an area that a person would see: scattered ones are other letters.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageFilter

SHRINK: Final = 4
"""Pixels of the page for one of the picture, each way."""
REACH: Final = 2
"""Pixels of the picture that something may have moved: 8 px of the page."""
STEP: Final = 26
"""Of 255: smaller differences of a channel are other letters, or other smoothing."""
WINDOW: Final = 17
"""Side of the area in which differences are counted, in pixels of the picture: 68 px of the page."""
DENSE: Final = 0.22
"""Share of a window that must differ before it is a fault."""
TALLER: Final = 12
"""Pixels of the picture that a page may be longer or shorter: a line or two of text."""


@dataclass(frozen=True)
class Difference:
    """worst: the largest share of a window that differs, 0 to 1. where: left, top, right, bottom of all such windows in pixels of the
    page, or None. picture: approved, found and the difference, side by side."""

    worst: float
    where: tuple[int, int, int, int] | None
    picture: Image.Image

    @property
    def is_fault(self) -> bool:
        """Whether somebody must look at it."""
        return self.where is not None


def shrunk(picture: Image.Image) -> Image.Image:
    """Return a picture of the page as it is kept: a quarter of its size, each pixel the mean of those it stands for."""
    size = (max(1, picture.width // SHRINK), max(1, picture.height // SHRINK))
    return picture.convert("RGB").resize(size, Image.Resampling.BOX)


def compare(approved: Image.Image, found: Image.Image) -> Difference:
    """Compare two pictures, both as `shrunk` gives them. Raises ValueError for pictures of different widths."""
    if approved.width != found.width:
        raise ValueError(f"a picture of {found.width * SHRINK} px cannot be compared with one of {approved.width * SHRINK} px")
    height = max(approved.height, found.height)
    one, other = _tall(approved, height), _tall(found, height)
    differs = _outside(one, other) | _outside(other, one)
    shares = _shares(differs)
    if abs(approved.height - found.height) > TALLER:
        shares[min(approved.height, found.height) :] = 1.0
    dense = shares >= DENSE
    return Difference(float(shares.max()), _bounds(dense), _side_by_side(one, other, differs, dense))


def read(file: Path) -> Image.Image:
    """Return an approved picture."""
    with Image.open(file) as kept:
        return kept.convert("RGB")


def write(picture: Image.Image, file: Path) -> None:
    """Keep a picture as approved; small, and good enough to look at."""
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file, "WEBP", quality=60, method=6)


def _tall(picture: Image.Image, height: int) -> Image.Image:
    """Return it with its last row repeated down to that height."""
    if picture.height == height:
        return picture
    taller = Image.new("RGB", (picture.width, height))
    taller.paste(picture.crop((0, picture.height - 1, picture.width, picture.height)).resize((picture.width, height)))
    taller.paste(picture)
    return taller


def _outside(one: Image.Image, other: Image.Image) -> np.ndarray:
    """Return where `one`, a little blurred, is darker or lighter than everything near that place of `other`."""
    softened, near = (np.asarray(each.filter(ImageFilter.BoxBlur(1)), dtype=np.int16) for each in (one, other))
    blurred = Image.fromarray(near.astype(np.uint8))
    lowest = np.asarray(blurred.filter(ImageFilter.MinFilter(2 * REACH + 1)), dtype=np.int16)
    highest = np.asarray(blurred.filter(ImageFilter.MaxFilter(2 * REACH + 1)), dtype=np.int16)
    beyond = np.maximum(lowest - softened, softened - highest).max(axis=2)
    return np.asarray(beyond > STEP)


def _shares(differs: np.ndarray) -> np.ndarray:
    """Return for each place what share of the window around it differs."""
    half = WINDOW // 2
    padded = np.pad(differs.astype(np.int32), ((half + 1, half), (half + 1, half)))
    sums = padded.cumsum(0).cumsum(1)
    counts = sums[WINDOW:, WINDOW:] - sums[:-WINDOW, WINDOW:] - sums[WINDOW:, :-WINDOW] + sums[:-WINDOW, :-WINDOW]
    return np.asarray(counts / WINDOW**2)


def _bounds(dense: np.ndarray) -> tuple[int, int, int, int] | None:
    rows, columns = np.flatnonzero(dense.any(axis=1)), np.flatnonzero(dense.any(axis=0))
    if not rows.size:
        return None
    return (int(columns[0]) * SHRINK, int(rows[0]) * SHRINK, int(columns[-1] + 1) * SHRINK, int(rows[-1] + 1) * SHRINK)


def _side_by_side(one: Image.Image, other: Image.Image, differs: np.ndarray, dense: np.ndarray) -> Image.Image:
    """Return approved, found, and found in grey with what differs in pink and what is a fault in red."""
    grey = np.stack([np.asarray(other.convert("L")) // 2 + 127] * 3, axis=2).astype(np.uint8)
    grey[differs] = (255, 160, 160)
    grey[differs & dense] = (220, 0, 0)
    whole = Image.new("RGB", (one.width * 3 + 16, one.height), "white")
    for at, each in enumerate((one, other, Image.fromarray(grey))):
        whole.paste(each, (at * (one.width + 8), 0))
    return whole
