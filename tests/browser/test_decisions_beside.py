"""A case beside the run that decided it again, in a real browser."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.settings import Settings
from tests.browser.conftest import Server, Visit

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]
CLOCKS = (datetime(2025, 3, 1, 8, tzinfo=UTC), datetime(2025, 3, 1, 20, tzinfo=UTC))
JUDGE = "Rule by the facts.\n\nEnd with this block:\n[Vote]\nverdict: BULL|BEAR|NEUTRAL\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100\n"


@pytest.fixture(scope="module")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A desk with two decisions about one market, the later one a case that was decided again with another prompt."""
    made, prompts = Server(tmp_path_factory.mktemp("desk")), tmp_path_factory.mktemp("prompts")
    (prompts / "judge.en.txt").write_text(JUDGE, encoding="utf-8")
    with closing(Engine(Settings(_env_file=None, home=made.home, pace=0))) as engine:  # type: ignore[call-arg]
        for at in CLOCKS:
            last = engine.start(engine.decisions.request("BTC/USDT:USDT", feed="simulated", model="scripted", seed=3, at=at))
            engine.wait(last, 60)
        engine.cases.add([last])
        assert engine.cases.run(prompts=prompts).not_decided == ()
    with made:
        yield made


@pytest.fixture(scope="module")
def pair(server: Server) -> tuple[str, str]:
    """The case, and the run that decided it again."""
    with closing(Engine(Settings(_env_file=None, home=server.home))) as engine:  # type: ignore[call-arg]
        (case,) = engine.cases.newest()
        return case.case, case.run_id


def test_a_case_opens_beside_the_run_that_decided_it_again(server: Server, pair: tuple[str, str], visit: Come) -> None:
    visitor = visit(width=1440).open(f"{server.address}/journal")
    page = visitor.page
    cases = page.get_by_role("region", name="Cases")
    expect(page.get_by_role("region", name="Prompts")).to_contain_text("scripted")
    cases.get_by_role("link", name="Side by side").click()
    page.wait_for_url("**/runs?*")
    asked, came_to = (page.get_by_role("region", name=name) for name in ("Two runs side by side", "What they came to"))
    for run_id in pair:
        expect(asked.get_by_role("columnheader", name=run_id)).to_be_visible()
    expect(asked).to_contain_text("Other prompts: Judge")
    for words in ("Action", "Stop", "False claims"):
        expect(came_to).to_contain_text(words)
    expect(page.get_by_role("region", name="The words that differ")).to_be_visible()
    phone = visit(width=390)
    phone.page.goto(f"{server.address}/runs?a={pair[0]}&b={pair[1]}&lang=zh")
    expect(phone.page.get_by_text("提示词不同：裁判")).to_be_visible()
    assert not phone.scrolls_sideways()
