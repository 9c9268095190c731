"""A model connected in a real browser: a key is typed once, a decision runs with it, nothing is started again, and the key is nowhere."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Server, Visit
from tests.browser.layout.access import AXE, grave
from tests.engine.diagnostics.test_model_probe import able
from tests.flows.answers import cast
from tests.servers.llm import Body, LLMServer, Plan, system_of

pytestmark = pytest.mark.browser

KEY = "sk-canary-c1d4e7a05b3f8296"
SOUND = cast()
THERE = {"model": ".st-key-connect-list", "market": ".st-key-connect-feeds", "account": ".st-key-connect-account-keep"}
"""What stands in each row once it is open."""


def speaks(body: Body) -> Plan:
    """A model that passes its test and plays every role."""
    return SOUND(body) if "Role:" in system_of(body) and "diagnostics" not in system_of(body) else able(body)


@pytest.fixture
def model() -> Iterator[LLMServer]:
    with LLMServer(speaks, models=["m-7b", "nomic-embed-text"], key=KEY, context=8192) as server:
        yield server


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path, TRIBUNAL_PACE="0") as server:
        yield server


def opened(visitor: Visit, desk: Server, query: str = "") -> Any:
    visitor.page.goto(f"{desk.address}/connect{query}")
    visitor.page.wait_for_selector(".tb-cn")
    return visitor.page


def list_models(page: Any, address: str, key: str) -> None:
    page.get_by_label("Address", exact=True).fill(address)
    page.locator("input[type=password]").first.fill(key)
    page.get_by_role("button", name="List its models").click()


def test_a_model_is_connected_and_decides_without_a_new_start(desk: Server, model: LLMServer, visit: Any, tmp_path: Path) -> None:
    visitor = visit()
    page = opened(visitor, desk)
    assert visitor.text(".tb-verdict .word") == "Demo"
    list_models(page, model.base_url, "sk-wrong-1234567890")
    page.get_by_text("refused the key (401)").wait_for()
    assert not (desk.home.parent / "checkout" / ".env").exists(), "a refused key is not kept"
    list_models(page, model.base_url, KEY)
    page.get_by_text("lists 2 models").wait_for()
    assert page.locator("input[type=password]").first.input_value() == "", "the browser has forgotten it"
    page.get_by_role("button", name="Test it").click()
    page.get_by_text("3 of 3").wait_for()
    page.get_by_role("button", name="Use m-7b").click()
    page.get_by_text("From now on new runs ask m-7b").wait_for()
    assert visitor.text(".tb-verdict .word") == "Ready, on paper"
    asked = len(model.requests)
    page.locator(".st-key-connect-run button").first.click()
    page.wait_for_url("**run=*")
    visitor.ended()
    assert len(model.requests) >= asked + 8, "every role was asked there"
    assert "m-7b" in visitor.text(".tb-market")
    opened(visitor, desk)
    page.locator(".tb-cost").first.wait_for()
    page.get_by_text("last 1 runs").wait_for()
    shown = page.content() + page.evaluate("JSON.stringify({...localStorage, ...sessionStorage, cookie: document.cookie})")
    kept = desk.home.parent / "checkout" / ".env"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert KEY in kept.read_text()
    assert KEY not in shown
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink() and KEY.encode() in path.read_bytes()]
    assert holding == [kept], "in no log, journal, event or record"
    visitor.close()


def test_the_open_page_is_fit_to_read(desk: Server, visit: Any) -> None:
    visitor = visit(width=390, theme="dark")
    visitor.page.add_init_script(AXE)
    page = opened(visitor, desk, "?lang=zh")
    for row, there in THERE.items():
        if row != "model":  # it is open at first
            page.locator(f".st-key-connect-open-{row} button").first.click()
        page.wait_for_selector(there)
        assert not visitor.scrolls_sideways(), row
        assert grave(page) == [], row
    visitor.close()
