"""The colours of Tribunal: one table that makes the style sheet's tokens and the chart's colours. Light and dark are side by side.

Bull and bear are blue and orange, never green and red: the market's colours turn with a setting, a role's colour never does.
"""

from pathlib import Path
from typing import Literal, get_args

from markupsafe import Markup

from pages.frame.escape import markup

UpDown = Literal["green-up", "red-up", "blue-up"]
UP_DOWNS: tuple[UpDown, ...] = get_args(UpDown)
Theme = Literal["light", "dark"]

SHEET = Path(__file__).parents[2] / "assets" / "tribunal.css"

TOKENS: dict[str, tuple[str, str]] = {
    "bg": ("#FAFAF8", "#111316"),
    "surface": ("#FFFFFF", "#17191D"),
    "sunken": ("#F2F2EE", "#1E2126"),
    "raised": ("#FFFFFF", "#22262C"),
    "line": ("#E3E2DC", "#2A2E34"),
    "line-strong": ("#8A8B88", "#6C727B"),
    "text": ("#1A1B1E", "#E8E8E4"),
    "muted": ("#565A61", "#A6ABB3"),
    "faint": ("#6A6E75", "#8C929B"),
    "indicator": ("#0F766E", "#7FE0D4"),
    "trend": ("#5E2A91", "#DDBFFF"),
    "sentiment": ("#6B4A00", "#F0CC6A"),
    "pattern": ("#5F7400", "#C6DC8A"),
    "market": ("#1B7390", "#9ED3E2"),
    "news": ("#4F2A80", "#D2C4FB"),
    "fundamentals": ("#31502A", "#C6D8B6"),
    "macro": ("#776A15", "#E6DE86"),
    "policy": ("#47257F", "#E0CEFF"),
    "sector": ("#2C4F2E", "#B0D9B0"),
    "technical": ("#1E767F", "#A0D3D2"),
    "international": ("#2C628D", "#86C5FA"),
    "strategy": ("#31335B", "#AEB8D8"),
    "risky": ("#55300A", "#FFC890"),
    "neutral": ("#71481D", "#DDA46B"),
    "safe": ("#8C6238", "#BA8650"),
    "bull": ("#0069B4", "#57A8EA"),
    "bear": ("#B0450C", "#F08A45"),
    "judge": ("#47505C", "#9AA3AF"),
    "grounding": ("#B0185E", "#FF6FA8"),
    "executor": ("#17191C", "#F3F3F0"),
    "human": ("#3A3FC4", "#8990FF"),
    "warn": ("#7A5200", "#E8B84A"),
    "warn-wash": ("#FBF1DA", "#2B2414"),
    "error": ("#B42318", "#FF8D82"),
    "green": ("#177552", "#45BE90"),
    "red": ("#C23440", "#F2757E"),
    "on-colour": ("#FFFFFF", "#111316"),
}

PAIRS: dict[UpDown, tuple[str, str]] = {"green-up": ("green", "red"), "red-up": ("red", "green"), "blue-up": ("bull", "bear")}
"""The tokens of up and down in every setting."""


def tokens_css() -> str:
    """Return the `:root` block. `light-dark()` follows the theme Streamlit is in; a marker `i.tb-set.red-up` swaps up and down."""
    pairs = "".join(f"--{name}:light-dark({light},{dark});" for name, (light, dark) in TOKENS.items())
    swaps = "".join(f":root:has(.tb-set.{name}){{--up:var(--{up});--down:var(--{down})}}\n" for name, (up, down) in PAIRS.items())
    up, down = PAIRS["green-up"]
    return f":root{{{pairs}--up:var(--{up});--down:var(--{down})}}\n{swaps}"


def stylesheet() -> Markup:
    """Return the whole style sheet in its element. Raises ValueError where a `<` would make the browser's cleaner drop all of it."""
    sheet = tokens_css() + SHEET.read_text(encoding="utf-8")
    if "<" in sheet:
        raise ValueError(f"{SHEET} has a '<': a style element with one before a letter is dropped whole")
    return markup("<style>{}</style>", Markup(sheet))  # noqa: S704 - a file of the pages, without a `<`


def marker(up_down: UpDown) -> Markup:
    """Return the element that sets the colours of up and down for the page."""
    return markup('<i class="tb-set {}" hidden></i>', up_down)


def chart_colours(up_down: UpDown) -> dict[Theme, dict[str, str]]:
    """Return what the chart paints with, for both themes: every token, and `up` and `down`."""
    up, down = PAIRS[up_down]
    light = {name: pair[0] for name, pair in TOKENS.items()}
    dark = {name: pair[1] for name, pair in TOKENS.items()}
    return {theme: {**table, "up": table[up], "down": table[down]} for theme, table in (("light", light), ("dark", dark))}  # type: ignore[misc]
