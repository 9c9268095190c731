"""Real money on a page, in a real Chromium against a real server: the words that allow it stand in the terminal and nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET

pytestmark = pytest.mark.browser


def words_of(server: Server) -> list[str]:
    """The words that the terminal showed, one start after the other."""
    return [
        line.strip() for line in server.log.read_text(encoding="utf-8").splitlines() if line.startswith("    ") and len(line.split()) == 4
    ]


def type_words(visitor: Visit, field: str, typed: str) -> None:
    visitor.page.locator(f".st-key-{field}-typed input").fill(typed)
    visitor.page.locator(f".st-key-{'live-confirm' if field == 'live' else field} button").click()


@pytest.mark.full
def test_the_words_of_the_terminal_allow_real_orders_and_lift_a_halt(visit: Callable[..., Visit], tmp_path: Path) -> None:
    with LoopbackExchange() as venue:
        keys = {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET, "TRIBUNAL_EXCHANGE_URL": venue.url}
        with Server(tmp_path, TRIBUNAL_LIVE="yes", TRIBUNAL_BROKER="exchange", TRIBUNAL_FEED="live", **keys) as server:
            visitor = visit()
            page = visitor.page
            page.goto(f"{server.address}/settings")
            page.locator(".st-key-live-typed").wait_for()
            (words,) = words_of(server)
            assert words not in page.content()
            type_words(visitor, "live", "I trade real money")
            page.get_by_text("these are not the words").wait_for()
            expect(page.locator(".st-key-live-typed input"), "what was typed does not stay").to_have_value("")
            page.get_by_text("LIVE, not confirmed").wait_for()
            type_words(visitor, "live", words)
            page.get_by_text("Real orders may leave this program.").wait_for()
            page.locator(".st-key-halt button").click()
            type_words(visitor, "unhalt", "please")
            page.get_by_text("these are not the words").wait_for()
            expect(page.get_by_text("Trading is halted")).to_have_count(1)
            type_words(visitor, "unhalt", words)
            page.locator(".st-key-halt button").wait_for()
            assert words not in page.content()
            visitor.close()
            visitor.forgive("404")  # a deep link looks for its server beside itself first
            server.kill()
            server.start()
            again = visit()
            again.page.goto(f"{server.address}/settings")
            again.page.locator(".st-key-live-typed").wait_for()
            assert len(set(words_of(server))) == 2, "others at each start"
            type_words(again, "live", words)
            again.page.get_by_text("these are not the words").wait_for()
            again.close()
            again.forgive("404")
    for path in tmp_path.rglob("*"):
        assert path == server.log or not path.is_file() or path.is_symlink() or words.encode() not in path.read_bytes(), path
