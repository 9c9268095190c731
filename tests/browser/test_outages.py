"""What may happen to a page and its server while a run goes on: the server is killed and started again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.domain.events import Event
from engine.journal.store import open_journal
from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]

WRITING = "[...document.querySelectorAll('.tb-an .txt')].every((row) => row.innerText.length > 40)"
LOST = ("WebSocket", "ERR_", "Failed to", "Network Error", "AxiosError", "health", "host-config", "disconnected from server")
"""What a browser says of a server that is not there."""


def events_of(server: Server, address: str) -> list[Event]:
    """The log of the run that a page's address names."""
    journal = open_journal(server.home, None)
    try:
        return journal.events(address.partition("run=")[2].partition("&")[0])
    finally:
        journal.close()


def test_a_killed_server_is_found_again_by_the_open_page(chromium: str, tmp_path: Path, visit: Come) -> None:
    with Server(tmp_path, TRIBUNAL_PACE="1.5") as server:
        visitor = visit().open(server.address)
        visitor.run()
        visitor.page.wait_for_function(WRITING)
        address = visitor.page.url
        server.kill()
        visitor.page.wait_for_timeout(1500)
        server.start()
        visitor.ended()  # without a reload, and without anybody's doing
        visitor.page.wait_for_selector(".tb-chart .main-svg")
        visitor.forgive(*LOST)
        assert visitor.page.url == address
        log = events_of(server, address)
        visitor.close()
    assert [event.seq for event in log] == list(range(1, len(log) + 1)), "no event is missing or there twice"
    assert [event.kind for event in log].count("run.resumed") == 1
    assert [event.kind for event in log].count("run.finished") == 1
