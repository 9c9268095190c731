"""What tests of proposals in a browser do and read again and again."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from engine.domain.proposal import Proposal
from tests.browser.conftest import Visit

Come = Callable[..., Visit]
File = Callable[..., Proposal]
APPROVE = "[class*='st-key-approve-'] button"
AT = "2026-11-01T08:00:00Z"  # a market that stands still: nothing drifts but where a test wants it


def orders_of(home: Path, proposal: Proposal) -> int:
    with closing(sqlite3.connect(home / "tribunal.db")) as journal:
        return int(journal.execute("SELECT count(*) FROM orders WHERE subject = ?", (proposal.id,)).fetchone()[0])


def look(visitor: Visit, address: str, proposal: Proposal) -> Any:
    """Open the page on that proposal and wait until the market has been looked at."""
    page = visitor.page
    page.goto(f"{address}/approvals?proposal={proposal.id}")
    page.wait_for_selector(f".st-key-card-{proposal.id}-chosen")
    page.wait_for_selector(".tb-approvals:has-text('equity')")
    return page


def again(visitor: Visit) -> None:
    """Reload, as people do when they are not sure."""
    visitor.page.reload()
    visitor.page.wait_for_selector(".tb-approvals")


def approve_button(page: Any) -> Any:
    return page.locator(APPROVE)


def can_be_signed(page: Any) -> None:
    """Wait until the market has been looked at, and what waits can be signed."""
    expect(approve_button(page)).to_be_enabled()


def told(page: Any) -> str:
    page.wait_for_selector(".st-key-answer-result .tb-msg")
    return str(page.locator(".st-key-answer-result").inner_text())


@contextmanager
def nobody_writes(home: Path) -> Iterator[None]:
    """Hold the journal's write lock: what is answered meanwhile waits, and is written in some order when the block ends."""
    with closing(sqlite3.connect(home / "tribunal.db", isolation_level=None)) as journal:
        journal.execute("BEGIN IMMEDIATE")
        yield
        journal.execute("ROLLBACK")


def is_on_its_way(page: Any) -> None:
    """Wait until the page says that an answer is on its way."""
    page.wait_for_selector("[class*='st-key-approve-'] button[disabled]")
