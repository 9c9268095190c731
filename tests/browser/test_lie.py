"""Lie to it, and show it to others, in a real browser: what is typed is inked and drawn, kept nowhere, and a link lets nobody sign."""

import base64
import json
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.settings import Settings
from tests.browser.conftest import Server, Visit
from tests.browser.layout.access import AXE
from tests.browser.test_looking_back import MARKS, MOMENT
from tests.flows.test_disputes import play

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]
PLACE = "Zanzibar"
FOUND = """axe.run('#lie', { resultTypes: ['violations'], rules: { 'heading-order': { enabled: false } } })
  .then((said) => said.violations.map((each) => each.id))"""
"""The order of headings is the page's."""
HEARD = "html[data-lie=heard]"
CLIPBOARD = """async () => {
  const [item] = await navigator.clipboard.read(), bytes = new Uint8Array(await (await item.getType('image/png')).arrayBuffer());
  return btoa(bytes.reduce((text, each) => text + String.fromCharCode(each), ''));
}"""


@pytest.fixture(scope="module")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A desk with a decision that waits for a signature and has false numbers."""
    made = Server(tmp_path_factory.mktemp("desk"))
    with closing(Engine(Settings(_env_file=None, home=made.home, pace=4))) as engine:  # type: ignore[call-arg]
        play(engine, {"symbol": "BTC/USDT:USDT", "lies": 0.35, "propose": True})
    with made:
        yield made


@pytest.fixture(scope="module")
def run_id(server: Server) -> str:
    """That decision."""
    with closing(Engine(Settings(_env_file=None, home=server.home))) as engine:  # type: ignore[call-arg]
        return engine.runs()[0].run_id


def say(page: Any, words: str) -> tuple[float, str]:
    """Type a sentence and press Enter; returns how long the server took, ms, and what it summed up."""
    page.locator(".tb-lie-in").fill(words)
    with page.expect_response(lambda answer: answer.url.endswith("/said") and PLACE in (answer.request.post_data or "")) as coming:
        page.keyboard.press("Enter")
    answer = coming.value
    assert answer.status == 200
    expect(page.locator("#lie [role=status]")).to_have_text(answer.json()["say"])
    return float(answer.headers["server-timing"].partition("dur=")[2]), answer.json()["say"]


def test_what_is_typed_is_inked_within_a_blink_and_kept_nowhere(server: Server, run_id: str, visit: Come) -> None:
    visitor = visit(width=1440).open(f"{server.address}/?run={run_id}")
    page = visitor.page
    page.locator(".tb-chart .plot[data-draws]").wait_for()
    page.locator(HEARD).wait_for(state="attached")
    with page.expect_response("**/said"):  # what the first sentence would wait for
        page.locator(".tb-lie-in").focus()
    took, example = [], page.locator(".tb-lie-try").inner_text()  # RSI and price, both wrong
    for _ in range(3):
        spent, summed = say(page, f"{example}; EMA 20 will be 90,000, says {PLACE}")
        took.append(spent)
        assert summed.startswith("2 false: ")
        assert "1 not read" in summed
    assert min(took) < 100, f"ms, on a processor that others use too: {took}"
    expect(page.locator("#lie .out .tb-claim.no")).to_have_count(2)
    expect(page.locator("#lie .out")).to_contain_text("Not read: “EMA 20 will be 90,000” (a forecast)")
    page.wait_for_function(f"{MARKS}.includes('You said price less than')")
    page.wait_for_function(f"/You said \\d\\d/.test({MARKS})")
    page.locator("#lie .out .tb-claim.no").first.focus()
    expect(page.locator("#lie .out .tb-tip").first).to_be_visible()

    say(page, f'<img src=x onerror="window.pwned=1"> <b>RSI is 28</b> in {PLACE}')
    assert page.locator("#lie .out").locator("img, script, b b").count() == 0
    assert page.evaluate("window.pwned") is None
    assert say(page, f"hello {PLACE}")[1].startswith("No number that can be checked")
    page.locator(".tb-lie-in").press("Escape")
    expect(page.locator("#lie .out")).to_be_empty()
    page.wait_for_function(f"!{MARKS}.includes('You said')")

    visitor.open(f"{server.address}/?run={run_id}&lang=zh")
    page.locator(".tb-lie-try").click()
    expect(page.locator("#lie [role=status]")).to_contain_text("2 项错误")
    kept = [path for path in server.home.rglob("*") if path.is_file() and PLACE.encode() in path.read_bytes()]
    assert kept == []
    assert PLACE not in server.log.read_text()


def test_only_a_page_of_the_run_may_ask(server: Server, run_id: str, visit: Come) -> None:
    visitor = visit(width=390).open(f"{server.address}/?run={run_id}")
    page, address = visitor.page, f"{server.address}/of-run/{run_id}/said"
    page.locator(HEARD).wait_for(state="attached")
    with page.expect_request("**/said") as asked:
        page.locator(".tb-lie-in").focus()
    page.locator(".tb-lie-try").click()
    expect(page.locator("#lie .out .tb-claim.no")).to_have_count(2)
    page.evaluate(AXE)
    assert page.evaluate(FOUND) == []
    body, visit_of = json.loads(asked.value.post_data or ""), asked.value.headers["x-tribunal-visit"]
    assert not visitor.scrolls_sideways()

    def status(data: Any = body, token: str = visit_of, origin: str | None = server.address, to: str = address) -> int:
        headers = {"content-type": "application/json", "x-tribunal-visit": token} | ({"origin": origin} if origin else {})
        return int(page.request.post(to, data=data, headers=headers).status)

    assert status() == 200
    assert status(token="") == status(token=visit_of[:-1]) == 403
    assert status(origin=None) == status(origin="http://127.0.0.1:1") == 403
    assert status({**body, "text": "R" * 9_000}) == status("no json") == status({**body, "more": 1}) == 403
    assert status(to=address.replace(run_id, "20200101-000000-000000")) == 409


def test_a_picture_for_the_clipboard_and_a_link_that_plays_and_lets_nobody_sign(
    server: Server, run_id: str, visit: Come, tmp_path: Path
) -> None:
    visitor = visit(width=1440, theme="dark").open(f"{server.address}/?run={run_id}")
    page, said = visitor.page, visitor.page.locator(".tb-share [role=status]")
    with page.expect_download() as coming:  # a browser that lets nobody write to the clipboard
        page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error('no')); }")
        page.locator("[data-share=picture]").click()
    coming.value.save_as(tmp_path / "saved.png")
    expect(said).to_have_text("Picture saved.")
    visitor.close()
    visitor = visit(width=1440).open(f"{server.address}/?run={run_id}")
    page, said = visitor.page, visitor.page.locator(".tb-share [role=status]")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("[data-share=picture]").click()
    expect(said).to_have_text("Picture copied.")
    for picture in (base64.b64decode(page.evaluate(CLIPBOARD)), (tmp_path / "saved.png").read_bytes()):
        assert picture.startswith(b"\x89PNG")
        assert struct.unpack(">II", picture[16:24]) == (1200, 630)
        assert len(picture) > 20_000
    page.locator("[data-share=link]").click()
    expect(said).to_have_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(server.address)

    watcher = visit(width=390).open(link)
    page = watcher.page
    expect(page.locator(".tb-watch")).to_be_visible()
    page.wait_for_function(f"{MOMENT} > 0")
    page.wait_for_function("!document.querySelector('.tb-past')", timeout=90_000)
    page.locator("#lie").wait_for()
    assert page.locator(".st-key-signs, .st-key-run-button, .st-key-again-run, [data-dispute]").count() == 0
    names = " ".join(page.get_by_role("button").all_inner_texts())
    assert not [word for word in ("Approve", "Reject", "Edit", "Run a decision", "New") if word in names], names
    assert not watcher.scrolls_sideways()
    page.get_by_role("link", name="Open the run").click()
    page.locator(".st-key-signs").wait_for()
