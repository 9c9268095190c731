"""Earlier decisions of a run, in a real browser: shown with links that open their runs, on a phone and in Chinese."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.desks.decision.prepare import measured
from engine.facts.likeness import features_of
from engine.settings import Settings
from tests.browser.conftest import Server, Visit
from tests.flows.past import Past, plant

pytestmark = pytest.mark.browser

AT = datetime(2026, 11, 1, 8, tzinfo=UTC)
HOSTILE = '<img src=x onerror="window.pwned=1"> the stop was too near'


@pytest.fixture
def desk(chromium: str, tmp_path: Path) -> Iterator[tuple[str, str, str]]:
    """A server with a run that had an earlier one in a market like its own: address, that run, the earlier one."""
    engine = Engine(Settings(_env_file=None, home=tmp_path / "home", pace=0))

    def decide() -> str:
        record = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", feed="simulated", model="scripted", at=AT, seed=4)), 60)
        return record.run_id

    first = decide()
    snapshot = engine.snapshot(first)
    assert snapshot is not None
    file = tmp_path / "home" / "tribunal.db"
    own = features_of(measured(snapshot))
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DELETE FROM outcomes")
    plant(file, Past(first, AT - timedelta(hours=9), AT - timedelta(hours=1), pnl=-1.0, features=own, lesson=HOSTILE, feed="simulated"))
    later = decide()
    engine.close()
    with Server(tmp_path) as server:
        yield server.address, later, first


def test_earlier_decisions_are_shown_with_links_to_their_runs(desk: tuple[str, str, str], visit: Callable[..., Visit]) -> None:
    address, later, first = desk
    phone = visit(width=390, theme="dark").open(f"{address}/?run={later}&lang=zh")
    panel = phone.page.get_by_role("region", name="相似行情")
    expect(panel).to_contain_text("被否定")
    expect(panel).to_contain_text("未告知任何角色")
    assert not phone.scrolls_sideways()
    visitor = visit(width=1440).open(f"{address}/?run={later}&lang=en")
    panel = visitor.page.get_by_role("region", name="Markets like this one")
    expect(panel).to_contain_text("−1.00")
    expect(panel).to_contain_text("<img src=x onerror")
    panel.get_by_role("link").first.click()
    visitor.page.wait_for_url(f"**run={first}*")
    visitor.page.wait_for_selector(".tb-verdict")
    assert visitor.page.evaluate("window.pwned") is None
