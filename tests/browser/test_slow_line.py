"""A slow line: what a page asked before it was left reaches the server when the next page is being drawn."""

from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from engine.domain.risk import RiskConfig
from tests.browser.approvals.conftest import address, engine, file, home, seeds  # noqa: F401 - fixtures
from tests.browser.approvals.reading import Come, File

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
    button.wait_for()
    line.holds = True
    while not line.held:
        page.wait_for_timeout(20)
    button.click()
    page.wait_for_url("**run=*")
    visitor.ended()
    assert line.late
    assert page.locator(".st-key-seed, .st-key-run-button").count() >= 1
