"""What a browser keeps: dark or light against the system's choice, on every page; colours and language over a new visit; `lang`."""

from collections.abc import Callable
from typing import Any

import pytest

from pages.frame.palette import TOKENS
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

DARK = "getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === 'dark'"
LIGHT = DARK.replace("'dark'", "'light'")


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    """One desk for all visitors: what is chosen stays in the browser that chose it."""
    return serve()


def settings_of(visitor: Visit, address: str) -> Any:
    visitor.page.goto(f"{address}/settings")
    visitor.page.wait_for_selector(".tb-choice input")
    return visitor.page


def test_light_or_dark_is_chosen_on_settings_and_holds_on_every_page(address: str, visit: Callable[..., Visit]) -> None:
    visitor = visit(theme="light")
    page = settings_of(visitor, address)
    page.wait_for_function(LIGHT)
    page.get_by_label("Dark", exact=True).check()
    page.wait_for_function(DARK)
    page.wait_for_selector(".tb-choice input[value=Dark]:checked")
    for path in ("", "equities", "approvals", "positions", "runs"):
        page.goto(f"{address}/{path}")
        page.wait_for_selector(".tb")
        page.wait_for_function(DARK)
    shown = page.evaluate("getComputedStyle(document.querySelector('.tb-tag')).backgroundColor")
    assert shown == rgb(TOKENS["surface"][1]), "what the desk draws itself follows"
    settings_of(visitor, address).get_by_label("As the system has it", exact=True).check()
    page.wait_for_function(LIGHT)
    visitor.close()


def test_colours_and_language_are_kept_for_the_next_visit(address: str, visit: Callable[..., Visit]) -> None:
    visitor = visit()
    page = settings_of(visitor, address)
    page.wait_for_function("document.documentElement.lang === 'en'")
    choose(page, "Up and down", "Red up")
    page.wait_for_function("document.cookie.includes('tribunal-up-down=red-up')")
    choose(page, "Language that pages begin in", "中文")
    page.wait_for_function("document.cookie.includes('tribunal-language=zh')")
    page.wait_for_function("document.documentElement.lang === 'zh-Hans'")
    page.goto(f"{address}/positions")
    page.wait_for_function("document.documentElement.lang === 'zh-Hans'")
    page.wait_for_selector(".tb-set.red-up", state="attached")
    visitor.close()


def choose(page: Any, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"
