"""Would it say so again, in a real browser: asked on request, and its stamp on the bar, wide and narrow, in both languages."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.settings import Settings
from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser

AT = datetime(2026, 11, 1, 8, tzinfo=UTC)
LOOKS = (("en", 1024, "Asked again", "of 5"), ("zh", 1440, "再问", "5 次中"), ("zh", 390, "再问", "5 次中"))
CUT = """() => [...document.querySelectorAll('.tb-verdict .tb-lev > div')].filter((each) => {
  const bar = document.querySelector('.st-key-verdict').getBoundingClientRect(), own = each.getBoundingClientRect();
  return own.bottom > bar.bottom + 1 || own.right > bar.right + 1 || own.height === 0;
}).map((each) => each.innerText)"""
"""Numbers of the bar that are not to be seen whole."""
TICKS = """() => [...document.querySelectorAll('.tb-chart .shapelayer path')].filter((each) => each.style.strokeWidth === '2px').length"""
"""Levels of the plans that a decision came to when it was asked again, on its chart."""


@pytest.fixture(scope="module")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A desk with a decision that waits for a signature."""
    made = Server(tmp_path_factory.mktemp("desk"), TRIBUNAL_PACE="0")
    with closing(Engine(Settings(_env_file=None, home=made.home, pace=0, proposal_minutes=120))) as engine:  # type: ignore[call-arg]
        for seed in range(1, 30):
            asked = engine.decisions.request("BTC/USDT:USDT", feed="simulated", model="scripted", seed=seed, at=AT, propose=True)
            run_id = engine.wait(engine.start(asked), 60).run_id
            if engine.trading.proposal_of(run_id) is not None:
                break
    with made:
        yield made


@pytest.mark.timeout(400)
def test_the_stamp_is_asked_for_and_stands_on_the_bar(server: Server, visit: Callable[..., Visit]) -> None:
    with closing(Engine(Settings(_env_file=None, home=server.home))) as engine:  # type: ignore[call-arg]
        run_id = next(each.run_id for each in engine.runs() if each.flow == "decision")
    desk = visit(width=1440).open(f"{server.address}/?run={run_id}")
    desk.ended()
    before = height(desk.page)
    desk.page.get_by_role("button", name="Ask 5 times").click()
    stamp = desk.page.locator(".tb-stamp")
    expect(stamp).to_be_visible()
    expect(stamp.locator(".tb-five i")).to_have_count(5)
    on_bar = desk.page.locator(".tb-verdict .tb-lev > div", has_text="Asked again")
    expect(on_bar).to_contain_text("of 5")
    expect(on_bar).to_contain_text("%")
    assert height(desk.page) == before, "the bar is no higher for it"
    desk.page.wait_for_function(f"({TICKS})() === {levels(server, run_id)}")
    desk.close()
    for language, width, first, counted in LOOKS:
        page = visit(width=width).open(f"{server.address}/?run={run_id}&lang={language}")
        expect(page.page.locator(".tb-verdict .tb-lev > div", has_text=first)).to_contain_text(counted)
        assert page.page.evaluate(CUT) == [], (language, width)
        assert not page.scrolls_sideways(), (language, width)
        page.close()


def levels(server: Server, run_id: str) -> int:
    """How many levels have the plans of the repetitions that came to a decision's own action."""
    with closing(Engine(Settings(_env_file=None, home=server.home))) as engine:  # type: ignore[call-arg]
        plans = engine.repetitions.plans_of_stamp(engine.record(run_id))
    found = sum(level is not None for plan in plans for level in (plan.entry, plan.stop, plan.target))
    assert found > 0
    return found


def height(page: Any) -> int:
    return int(page.evaluate("Math.round(document.querySelector('.st-key-verdict').getBoundingClientRect().height)"))
