"""The approved pictures: a file for each state and width, `desk-waiting-1440.webp`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from PIL import Image

from tests.pictures.comparison import compare, read

FOLDER: Final = Path(__file__).with_name("approved")
Pictures = Mapping[tuple[str, int], Image.Image]


def file_of(state: str, width: int) -> Path:
    """Return where the approved picture of a state at a width is kept."""
    return FOLDER / f"{state.replace(' ', '-')}-{width}.webp"


def approved(state: str, width: int) -> Image.Image | None:
    """Return the approved picture of a state at a width; None where there is none."""
    file = file_of(state, width)
    return read(file) if file.exists() else None


def differences(found: Pictures, folder: Path) -> list[str]:
    """Return a line for every picture that does not look as approved, and for every approved one that nobody took. folder: where approved,
    found and difference are written side by side."""
    faults = []
    for (state, width), picture in found.items():
        file = file_of(state, width)
        if not file.exists():
            faults.append(f"{file.stem}: was never approved")
            continue
        difference = compare(read(file), picture)
        if difference.is_fault:
            shown = folder / f"{file.stem}.png"
            difference.picture.save(shown)
            faults.append(f"{file.stem}: differs at {difference.where} (left, top, right, bottom in px): {shown}")
    known = {file_of(state, width) for state, width in found}
    return faults + [f"{file.stem}: is approved, and no such picture is taken" for file in sorted({*FOLDER.glob("*.webp")} - known)]
