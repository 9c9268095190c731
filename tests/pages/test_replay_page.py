"""The page of replays: what it says of a report, and where its decisions lead."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest

from engine.api.replays import Replays, Wanted
from engine.api.sweeps import Sweeps, keys_of
from engine.domain.clock import parse_instant
from engine.domain.replay import ReplayReport, SweepReport
from engine.settings import Settings
from pages.frame.show import Show
from pages.replay.panels import warnings_panel
from pages.replay.sweep_panels import curves_panel, sweep_table
from tests.flows.answers import write_candles
from tests.pages.reader import Reader
from tests.pages.started import Start, page_of


class Silent:
    """Hears nothing."""

    def begun(self, replay_id: str) -> None: ...

    def progress(self, part: str, done: int, total: int) -> None: ...


@pytest.fixture
def replayed(tmp_path: Path) -> ReplayReport:
    """A replay of two days with a proof, in the home that the page is started on."""
    candles = write_candles(tmp_path / "recorded")
    settings = Settings(_env_file=None, home=tmp_path / "home")  # type: ignore[call-arg]
    asked = {"data_dir": str(candles), "timeframe": "1h", "timeframe_htf": "4h", "seed": 3, "model": "scripted"}
    ends = {"begins": parse_instant("2026-05-15"), "ends": parse_instant("2026-05-17")}
    return Replays(settings).play(Wanted("BTC/USDT:USDT", asked, **ends, every=4, prove=2), Silent())


@pytest.mark.full
def test_a_report_is_shown_and_each_decision_opens_its_run(start: Start, replayed: ReplayReport) -> None:
    page = start("replay")
    assert not page.exception
    html = page_of(page)
    told = Reader(html).text
    assert "Too few to say" in told
    assert f"{sum(each.closed_at is not None for each in replayed.trades)} closed trades" in told
    assert "No look-ahead, proved" in told
    assert "proved: with everything later altered at 2 random instants" in told
    trade = replayed.trades[-1]
    (address,) = {each for each in re.findall(r'href="([^"]*)"', html) if trade.run_id is not None and trade.run_id in each}
    assert parse_qs(urlparse(address.replace("&amp;", "&")).query)["run"] == [trade.run_id]
    page.query_params["run"] = trade.run_id or ""
    desk = page.switch_page("desks/decision/view.py").run()
    assert not desk.exception
    assert "BTC/USDT:USDT" in Reader(page_of(desk)).text
    assert "unknown" not in Reader(page_of(desk)).text.lower()


@pytest.fixture
def swept(tmp_path: Path) -> SweepReport:
    """A sweep of two days over two settings, in the home that the page is started on."""
    candles = write_candles(tmp_path / "recorded")
    settings = Settings(_env_file=None, home=tmp_path / "home")  # type: ignore[call-arg]
    asked = {"data_dir": str(candles), "timeframe": "1h", "timeframe_htf": "4h", "seed": 3, "model": "scripted", "lies": 0.2}
    ends = {"begins": parse_instant("2026-05-15"), "ends": parse_instant("2026-05-17")}
    keys = keys_of(["depth=1,2", "min_confidence=50,100"])
    return Sweeps(Replays(settings)).play(keys, Wanted("BTC/USDT:USDT", asked, **ends, every=12), Silent())


@pytest.mark.full
def test_a_sweep_is_shown_as_rows_that_lead_to_their_replays_and_as_curves_on_one_scale(
    start: Start, swept: SweepReport, tmp_path: Path
) -> None:
    page = start("replay")
    assert not page.exception
    html = page_of(page)
    told = Reader(html).text
    assert "4 tries on the same time" in told
    replays = Replays(Settings(_env_file=None, home=tmp_path / "home"))  # type: ignore[call-arg]
    reports = {row.replay_id: replays.read(row.replay_id).report for row in swept.rows}
    drawn = curves_panel(swept, {name: each for name, each in reports.items() if each is not None}, Show())
    for row in swept.rows:
        assert f"replay={row.replay_id}" in html
        assert f"replay={row.replay_id}" in drawn
        assert f"{row.false_claims} of {row.total_claims}" in told
    assert sum(row.false_claims for row in swept.rows) > 0
    best = swept.rows[swept.best or 0]
    assert f"★ depth {best.setting['depth']} · min_confidence {best.setting['min_confidence']}" in told
    curves = [[float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path)] for path in re.findall(r'class="v" d="([^"]*)"', drawn)]
    zero = float(re.findall(r'class="zero" d="M0 ([\d.]+)', drawn)[0])
    assert len(curves) == 4
    assert curves[1] == pytest.approx([zero] * len(curves[1]), abs=0.01), "nothing was traded: a line on zero, on the scale of all"
    lowest, highest = max(map(max, curves)), min(map(min, curves))
    assert (highest, lowest) == pytest.approx((2, 48), abs=0.01), "the scale is that of all curves together"
    page.query_params["replay"] = swept.rows[2].replay_id
    assert "Statistics, with what chance would give" in Reader(page_of(page.run())).text
    chinese = Show(language="zh")
    told = Reader(str(warnings_panel(swept, chinese) + sweep_table(swept, chinese))).text
    assert "在同一段时间上试了 4 次" in told
    assert "最大回撤" in told
