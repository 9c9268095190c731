"""The settings page: what the program runs with, without a secret; the check and its lines in the page's language."""

import re
from types import SimpleNamespace

import pytest
import streamlit as st

from tests.conftest import ROOT
from tests.pages.started import Start, page_of

HAN = re.compile("[\u4e00-\u9fff]")


def test_it_names_what_the_program_runs_with(start: Start) -> None:
    shown = page_of(
        start(
            "settings",
            TRIBUNAL_MODEL="wise-1",
            OPENAI_API_KEY="canary-1",
            OPENAI_BASE_URL="https://user:canary-2@models.example/v1",
            TRIBUNAL_RUN_TOKENS="120000",
            TRIBUNAL_DAY_COST="2.5",
            TRIBUNAL_PRICES='{"wise-1": [1, 2]}',
            TRIBUNAL_ROLE_MODELS='{"judge": "wiser"}',
        )
    )
    for said in ("wise-1", "models.example/v1", "Judge: wiser", "120,000 tokens", "2.5 in the money", "Simulated", "English"):
        assert said in shown, said
    assert "canary" not in shown
    words = re.sub("<[^>]+>", "|", shown)
    assert re.search(r"Allowed market\|+all\|", words), "an empty list allows every market"
    assert re.search(r"Notional\|+no limit\|", words)


@pytest.mark.parametrize(("language", "said"), [("en", "the audit chain holds"), ("zh", "审计链从头到尾完整")])
def test_the_check_shows_its_lines(start: Start, language: str, said: str) -> None:
    app = start("settings", TRIBUNAL_LANGUAGE=language)
    assert said not in page_of(app), "it waits to be asked"
    app.button(key="check-run").click().run()
    assert not app.exception
    (table,) = re.findall(r'tb-check">.*?</table>', page_of(app), re.S)
    assert said in table
    cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td>(.*?)</td>", table, re.S)]
    assert len(cells) == 3 * 16
    assert all(bool(HAN.search(cell)) == (language == "zh") for cell in cells)


def test_what_a_browser_keeps_counts_before_the_settings(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    cookies = {"tribunal-language": "zh", "tribunal-up-down": "blue-up"}
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies, headers={}))
    shown = page_of(start("settings", TRIBUNAL_UP_DOWN="red-up"))
    assert "本程序" in shown
    assert 'class="tb-set blue-up"' in shown
    cookies.update({"tribunal-language": "../etc", "tribunal-up-down": "<b>"})
    shown = page_of(start("settings", TRIBUNAL_UP_DOWN="red-up"))
    assert "This program" in shown
    assert 'class="tb-set red-up"' in shown


def test_every_folder_of_browser_files_is_served() -> None:
    from pages.server.static_files import file_routes

    served = {getattr(route, "path", "").rsplit("/", 1)[-1] for route in file_routes()}
    assert {path.parent.name for path in (ROOT / "assets").glob("*/*.js")} <= served
