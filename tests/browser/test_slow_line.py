"""A slow line, and a busy browser: what a page asked before it was left reaches the server when the next page is being drawn; a poll goes
out while a press waits."""

from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from engine.domain.risk import RiskConfig
from tests.browser.approvals.conftest import address, engine, file, home, seeds  # noqa: F401 - fixtures
from tests.browser.approvals.reading import Come, File, can_be_signed

pytestmark = pytest.mark.browser


class SlowLine:
    """Between a page and its server: polls of the page can be held back until the server has begun to draw another one."""

    def __init__(self, page: Any) -> None:
        self.holds, self.held, self.late = False, list[bytes](), 0
        self._page_hash = ""
        page.route_web_socket("**/_stcore/stream", self._join)

    def _join(self, browser: Any) -> None:
        server = browser.connect_to_server()

        def from_page(sent: bytes) -> None:
            if self.holds and BackMsg.FromString(sent).rerun_script.is_auto_rerun:
                self.held.append(sent)
            else:
                server.send(sent)

        def from_server(sent: bytes) -> None:
            browser.send(sent)
            said = ForwardMsg.FromString(sent)
            if said.HasField("new_session") and not said.metadata.run.fragment_ids:
                is_other = said.new_session.page_script_hash != self._page_hash
                self._page_hash = said.new_session.page_script_hash
                if is_other and self.holds:
                    self.holds, self.late = False, len(self.held)
                    for poll in self.held:
                        server.send(poll)

        browser.on_message(from_page)
        server.on_message(from_server)


def test_a_poll_of_a_page_that_was_left_takes_nothing_off_the_next(address: str, file: File, visit: Come) -> None:  # noqa: F811
    moving = file(at=None, risk=RiskConfig(max_drift_atr=1e-9))
    visitor = visit()
    page, line = visitor.page, SlowLine(visitor.page)
    page.goto(f"{address}/approvals?proposal={moving.id}")
    button = page.locator(f".st-key-refresh-{moving.id} button")
    while "run=" not in page.url:  # the price may come back, and lift the lock that the press is about, at that very moment
        line.holds, line.held = False, []
        button.wait_for()
        line.holds = True
        while not line.held:
            page.wait_for_timeout(20)
        button.click()
        with suppress(Error):
            page.wait_for_url("**run=*", timeout=8000)
    visitor.ended()
    assert line.late
    assert page.locator(".st-key-seed, .st-key-run-button").count() >= 1


LINGERING = """(() => {
  const soon = window.setTimeout;
  window.setTimeout = (act, ms, ...more) => soon(act, window.lingers && !ms ? 2500 : ms, ...more);
})()"""
"""Let what a browser does next wait for longer than a poll, once `window.lingers`."""


def test_a_press_that_waits_while_a_poll_goes_is_one_press(address: str, file: File, visit: Come) -> None:  # noqa: F811
    page = visit().page
    page.add_init_script(LINGERING)
    page.goto(f"{address}/?run={file().basis.run_id}")
    can_be_signed(page)
    page.evaluate("window.lingers = true")
    page.get_by_role("button", name="Edit").click()
    page.wait_for_timeout(4000)  # the press has gone out: a poll before it, and one behind it
    page.evaluate("window.lingers = false")
    expect(page.locator(".st-key-plan-inputs")).to_have_count(1)
