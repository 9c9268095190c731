"""The report of a replay whose trades were worked out by hand."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.domain.position_record import PositionRecord
from engine.domain.replay import PlayedPiece, ReplayRequest, ReplaySpent, ReplayStep
from engine.domain.run import DecideRequest
from engine.replay.baselines import PastMarket, above_average, regimes
from engine.replay.report import make_report

BEGINS = datetime(2025, 5, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
BASE = DecideRequest(symbol="BTC/USDT:USDT", feed="simulated", timeframe="1h")
REQUEST = ReplayRequest(base=BASE, begins=BEGINS, ends=BEGINS + 6 * HOUR)


def prices(before: list[float], after: list[float]) -> PastMarket:
    """Candles of an hour whose closes are known at BEGINS - n .. BEGINS .. the last of `after` being the end."""
    close = np.asarray([*before, *after])
    first = int((BEGINS - len(before) * HOUR).timestamp() * 1000)
    opened_at = first + np.arange(len(close), dtype=np.int64) * 3_600_000
    candles = Candles(Timeframe.parse("1h"), opened_at, close, close, close, close, np.ones(len(close)))
    return PastMarket(candles, opened_at + 3_600_000, fee=0.001)


def position(
    opened: int, closed: int | None, entry: str, out: str | None, size: str, cash: str, order: str, **more: object
) -> PositionRecord:
    return PositionRecord(
        account="paper:x",
        symbol=BASE.symbol,
        side="short" if more.pop("short", False) else "long",
        opened_at=BEGINS + opened * HOUR,
        opened_by=order,
        orders=(order,),
        size=Decimal(size),
        first_size=Decimal(size),
        entry_price=Decimal(entry),
        first_price=Decimal(entry),
        closed_at=BEGINS + closed * HOUR if closed is not None else None,
        closed_size=Decimal(size) if closed is not None else Decimal(0),
        exit_price=Decimal(out) if out is not None else None,
        cash=Decimal(cash),
        **more,  # type: ignore[arg-type]
    )


def test_a_report_by_hand() -> None:
    """Long 10 at 100, stop 98: one R is 20. Out at 104 with 2 of fees: +38, 1.9 R. Short 5 at 104, stop 108, one R is 20: out at 108, fees
    2 and funding 1 paid: -23, -1.15 R. The third, long 1 at 106, is open: 107 less a fee of 0.5 is +0.5."""
    records = [
        position(0, 2, "100", "104", "10", "38", "o1", fees=Decimal(2), first_stop=Decimal(98), ended="target"),
        position(
            2, 4, "104", "108", "5", "-23", "o2", fees=Decimal(2), funding=Decimal(-1), first_stop=Decimal(108), ended="stop", short=True
        ),
        position(5, None, "106", None, "1", "-0.5", "o3", fees=Decimal("0.5"), first_stop=Decimal(104)),
    ]
    equity = [999.0, 1020.0, 1038.0, 1030.0, 1015.0, 1014.5]
    orders = {0: "o1", 2: "o2", 5: "o3"}
    steps = [
        ReplayStep(number=n, at=BEGINS + n * HOUR, equity=value, run_id=f"r-{n}", order=orders.get(n), calls=8, tokens=100, is_valid=True)
        for n, value in enumerate(equity)
    ]
    market = prices([100.0] * 60, [102.0, 104.0, 106.0, 108.0, 106.0, 107.0])
    piece = PlayedPiece(steps=tuple(steps), records=tuple(records), ends_at=BEGINS + 6 * HOUR, equity=1015.5, last_price=107.0)
    report = make_report("r1", REQUEST, [piece], 1000.0, market)
    assert [(each.run_id, each.pnl, each.r, each.exit_reason) for each in report.trades] == [
        ("r-0", 38.0, 1.9, "target"),
        ("r-2", -23.0, -1.15, "stop"),
        ("r-5", 0.5, 0.25, "open"),
    ]
    assert report.trades[2].closed_at is None
    assert report.trades[2].exit_price is None
    assert [value for _, value in report.equity] == [1000.0, 1020.0, 1038.0, 1030.0, 1015.0, 1014.5, 1015.5]
    assert report.return_pct == pytest.approx(1.55)
    assert report.max_drawdown_pct == pytest.approx((1038 - 1014.5) / 1038 * 100, abs=1e-5)
    assert (report.hit_rate, report.expectancy_r) == (0.5, pytest.approx(0.375))
    assert report.costs == 5.5  # fees 4.5, funding 1
    assert report.exposure_pct == pytest.approx(5 / 6 * 100, abs=1e-5)  # 0-2, 2-4 and 5-6 of six hours
    assert report.turnover == pytest.approx((1000 + 1040 + 520 + 540 + 106) / 1000)
    assert report.baselines.buy_and_hold == pytest.approx(7.0)
    assert (report.decisions, report.spent) == (6, ReplaySpent(calls=48, tokens=600, money=0.0))
    assert report.intervals["hit_rate"] == pytest.approx((0.0945, 0.9055), abs=5e-5)
    assert {each.key for each in report.warnings} == {"replay_has_few_trades", "replay_ends_with_open"}  # type: ignore[attr-defined]
    assert set(report.header) == {
        "point_in_time", "data_split", "held_out", "cost_and_turnover", "execution", "universe", "artefacts",
    }  # fmt: skip


def test_the_naive_rule_by_hand() -> None:
    """Above its average from the second instant on: bought at 110 and held to 121, a fee each way, one way at 0.1 %."""
    market = prices([100.0] * 300, [110.0, 121.0, 90.0, 90.0])
    instants = [BEGINS + n * HOUR for n in range(5)]
    worth = above_average(market, instants)
    # flat at 100; long from 110: 0.999; at 121: 1.1 more; at 90: fallen with it, then sold; flat to the end
    held = 0.999 * 121 / 110 * 90 / 121
    assert worth.tolist() == pytest.approx([1.0, 0.999, 0.999 * 1.1, held * 0.999, held * 0.999])


def test_a_regime_knows_nothing_later() -> None:
    rising, falling = [100.0 + n for n in range(60)], [160.0 - n for n in range(60)]
    instants = [BEGINS + n * HOUR for n in range(3)]
    assert regimes(prices(rising, [50.0, 50.0]), instants)[0] == "rising"
    assert regimes(prices(falling, [300.0, 300.0]), instants)[0] == "falling"
    assert regimes(prices([100.0, 101.0] * 30, [500.0, 900.0]), instants)[0] == "sideways"
