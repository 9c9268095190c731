"""What a position went through since it was opened."""

from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.market.candles import Candle
from engine.facts.sheet import build_sheet
from tests.engine.facts.markets import H1, M15, random_candles, snapshot

KEYS = ("profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count")


def held(opened_ms: int, entry: float = 1000.0, side: Literal["long", "short"] = "long", leverage: float = 5.0) -> Holding:
    return Holding(side=side, entry_price=entry, size=0.5, leverage=leverage, opened_at=datetime.fromtimestamp(opened_ms / 1000, UTC))


def numbers(sheet: FactSheet) -> dict[str, float | None]:
    return {key: sheet.number(key) for key in KEYS}


def expected(side: str, entry: float, price: float, reached: list[float]) -> dict[str, float]:
    """From every price that counts, by the definition."""
    gains = [(1 if side == "long" else -1) * (value / entry - 1) * 100 for value in [*reached, price, entry]]
    profit = gains[-2]
    return {"profit_pct": profit, "mfe_pct": max(gains), "mae_pct": min(gains), "drawdown_from_peak_pct": max(gains) - profit}


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    back=st.integers(0, 60),
    inside_ms=st.sampled_from([0, 1, 60_000, M15.ms - 1]),
    side=st.sampled_from(["long", "short"]),
    entry=st.floats(0.5, 1.5),
    leverage=st.sampled_from([1.0, 20.0]),
)
def test_excursions_by_definition(
    seed: int, back: int, inside_ms: int, side: Literal["long", "short"], entry: float, leverage: float
) -> None:
    candles = random_candles(seed, 260)
    price = float(candles.close[-1])
    entry *= price
    opened = int(candles.opened_at[-1 - back]) + inside_ms
    first = len(candles) - 1 - back + (1 if inside_ms else 0)
    reached = [*candles.high[first:].tolist(), *candles.low[first:].tolist()]
    if inside_ms:
        reached.append(float(candles.close[first - 1]))
    got = numbers(build_sheet(snapshot(candles, holding=held(opened, entry, side, leverage))))
    want = expected(side, entry, price, reached)
    assert {key: got[key] for key in want} == pytest.approx(want, abs=1e-9)
    assert got["hold_count"] == len(candles) - first
    assert got["mae_pct"] <= 0 <= got["mfe_pct"]
    assert got["mfe_pct"] >= got["profit_pct"] >= got["mae_pct"]
    assert got["drawdown_from_peak_pct"] >= 0


def test_the_forming_candle_counts_when_it_opened_after_the_entry() -> None:
    candles = random_candles(4, 260)
    entry, closed = float(candles.close[-1]), candles.closed_at
    forming = Candle(closed, entry, entry * 1.10, entry * 0.95, entry * 1.02, 3.0)
    opened_before = snapshot(candles, forming=forming, at_ms=closed + 60_000, holding=held(int(candles.opened_at[-1]) + 5, entry))
    assert numbers(build_sheet(opened_before)) == pytest.approx(
        {"profit_pct": 2.0, "mfe_pct": 10.0, "mae_pct": -5.0, "drawdown_from_peak_pct": 8.0, "hold_count": 0.0}
    )
    opened_inside = snapshot(candles, forming=forming, at_ms=closed + 60_000, holding=held(closed + 30_000, entry))
    assert numbers(build_sheet(opened_inside)) == pytest.approx(
        {"profit_pct": 2.0, "mfe_pct": 2.0, "mae_pct": 0.0, "drawdown_from_peak_pct": 0.0, "hold_count": 0.0}
    )


def test_a_position_older_than_the_candles_uses_the_higher_timeframe() -> None:
    higher = random_candles(5, 300, H1)
    main = random_candles(6, 260, start=higher.closed_at - 260 * M15.ms)
    opened = int(higher.opened_at[100])
    sheet = build_sheet(snapshot(main, higher, holding=held(opened, 1000.0)))
    top = max(float(higher.high[100:].max()), float(main.high.max()))
    bottom = min(float(higher.low[100:].min()), float(main.low.min()))
    assert sheet.number("mfe_pct") == pytest.approx((top / 1000 - 1) * 100)
    assert sheet.number("mae_pct") == pytest.approx((bottom / 1000 - 1) * 100)
    assert sheet.facts["hold_count"].value is None
    assert "begin after the entry" in str(sheet.facts["hold_count"].missing)
