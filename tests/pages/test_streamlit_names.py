"""What the pages take for granted of Streamlit exists in the installed one: its options, the marks its elements carry, our own keys."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit
from streamlit import config

from tests.conftest import ROOT

SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"
SHEETS = [ROOT / "assets" / "tribunal.css"]
PAGES = sorted((ROOT / "pages").rglob("*.py"))
BROWSER = [*(ROOT / "assets").rglob("*.js"), *(ROOT / "tests" / "browser").glob("*.py")]


@cache
def bundles() -> str:
    """Everything that the installed Streamlit runs in a browser."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(SCRIPTS.glob("*.js")))


def found(pattern: str, *paths: Path) -> list[str]:
    return sorted({name for path in paths for name in re.findall(pattern, path.read_text(encoding="utf-8"))})


def _options(table: dict[str, object], section: str) -> Iterator[str]:
    for name, value in table.items():
        full = f"{section}.{name}" if section else name
        yield from _options(value, full) if isinstance(value, dict) else (full,)


SET = list(_options(tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")), ""))
ASKED = found(r'get_option\("([\w.]+)"\)', *PAGES)
TEST_IDS = found(r"""data-testid=["'\\]*(\w+)""", *SHEETS, *PAGES, *BROWSER)
CLASSES = found(r"""(?<![\w-])\.(st[A-Z]\w*)""", *SHEETS, *PAGES, *BROWSER)
KEYS = found(r"\.st-key-([a-z]+(?:-[a-z]+)*)(?![\w-]*\{)", *SHEETS, *BROWSER)


def test_every_option_exists_and_is_not_on_its_way_out() -> None:
    assert len(SET) > 10
    for name in (*SET, *ASKED):
        option = config.get_config_options()[name]
        assert not option.deprecated, name
        assert not option.is_expired(), name


@pytest.mark.full
def test_every_mark_of_an_element_is_one_that_streamlit_gives() -> None:
    assert len(TEST_IDS) > 12
    assert [name for name in TEST_IDS if not re.search(rf"""["'`]{name}["'`]""", bundles())] == []


def test_every_class_of_streamlit_is_one_that_it_gives() -> None:
    assert [name for name in CLASSES if not re.search(rf"""["'` ]{name}["'` ]""", bundles())] == []


def test_every_key_that_is_styled_or_sought_is_given_by_a_page() -> None:
    given = found(r'key=(f?"[^"]+")', *PAGES)
    patterns = [re.sub(r"\\\{.*?\\\}", ".+", re.escape(key.lstrip("f").strip('"'))) for key in given]
    for name in KEYS:
        assert any(re.fullmatch(pattern, name) or re.match(rf"{name}-", pattern.replace("\\", "")) for pattern in patterns), name
    assert "st-key-" in bundles()
