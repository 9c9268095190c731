"""The colours: readable in both themes, told apart, one table for the page and the chart."""

import re
from itertools import combinations

import pytest

from pages.frame.palette import SHEET, TOKENS, stylesheet

TEXT = ["text", "muted", "faint", "warn", "error", "green", "red", "indicator", "trend", "sentiment", "pattern"]
TEXT += ["bull", "bear", "judge", "grounding", "executor", "human"]
ROLES = ["indicator", "trend", "sentiment", "pattern", "bull", "bear", "judge", "grounding", "executor"]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_is_readable_and_lines_are_seen(theme: int) -> None:
    for ground in ("bg", "surface"):
        for name in TEXT:
            assert contrast(TOKENS[name][theme], TOKENS[ground][theme]) >= 4.5, (name, ground)
        assert contrast(TOKENS["line-strong"][theme], TOKENS[ground][theme]) >= 3
    assert contrast(TOKENS["warn"][theme], TOKENS["warn-wash"][theme]) >= 4.5
    for name in [*ROLES, "green", "red"]:
        assert contrast(TOKENS[name][theme], TOKENS["on-colour"][theme]) >= 4.5, f"letter on {name}"


def test_no_two_roles_share_a_colour_and_no_role_is_a_market_colour() -> None:
    for theme in (0, 1):
        colours = [TOKENS[name][theme] for name in [*ROLES, "green", "red", "error"]]
        assert all(one != other for one, other in combinations(colours, 2))


def test_the_sheet_survives_the_browsers_cleaner_and_knows_every_token_it_uses() -> None:
    sheet = stylesheet()
    assert sheet.count("<") == 2
    assert sheet.startswith("<style>")
    used = set(re.findall(r"var\(--([a-z-]+)", sheet))
    defined = set(re.findall(r"--([a-z-]+):", sheet)) | {"c"}
    assert used <= defined
    assert not re.search(r"url\(|@import|https?:", SHEET.read_text(encoding="utf-8")), "nothing is fetched"
