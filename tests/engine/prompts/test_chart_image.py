"""The chart as an image: nothing of the future is in it, and what cannot be drawn is said."""

from datetime import UTC, datetime

import numpy as np
import pytest

from engine.domain.errors import BadMarketData
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.prompts.chart_image import chart_png

START_MS = 1_700_006_400_000


def snapshot(count: int, *, broken: bool = False) -> Snapshot:
    frame, price, reach = Timeframe.parse("15m"), 1000.0, 3.0
    rng = np.random.default_rng(1)
    close = price * (1 + 0.02 * np.sin(np.arange(count) / 9) + 0.004 * rng.standard_normal(count))
    opened = np.concatenate([[price], close[:-1]])
    if broken:
        close[-1] = np.nan
    columns = (opened, np.maximum(opened, close) + reach, np.minimum(opened, close) - reach, close, rng.random(count) * 50)
    candles = Candles(frame, START_MS + frame.ms * np.arange(count, dtype=np.int64), *columns)
    return Snapshot(
        market=Market.parse("BTC/USDT:USDT"),
        venue="test",
        feed="recorded",
        at=datetime.fromtimestamp((START_MS + frame.ms * count) / 1000, UTC),
        candles=candles,
        candles_htf=None,
        forming=Candle(START_MS + frame.ms * count, price, price, price, price, 1.0),
        forming_htf=None,
        surroundings=Surroundings(),
        holding=None,
    )


@pytest.mark.full
def test_it_shows_the_last_hundred_candles_and_no_future() -> None:
    """Of older candles only the closes count, for the averages; the forming candle is not drawn."""
    full = snapshot(300)
    forming = Candle(full.candles.closed_at, 1.0, 9999.0, 0.5, 5000.0, 1e9)
    moved = Snapshot(**{name: getattr(full, name) for name in Snapshot.__dataclass_fields__} | {"forming": forming})
    assert chart_png(moved) == chart_png(full)
    for row, seen in ((-101, False), (-100, True), (-1, True)):
        other = snapshot(300)
        other.candles.volume[row] *= 3
        other.candles.high[row] *= 1.01
        assert (chart_png(other) != chart_png(full)) == seen, row


@pytest.mark.parametrize(
    ("odd", "said"), [({"count": 1}, "at least 2"), ({"count": 0}, "at least 2"), ({"count": 90, "broken": True}, "finite")]
)
def test_what_cannot_be_drawn_is_said(odd: dict[str, object], said: str) -> None:
    with pytest.raises(BadMarketData, match=said):
        chart_png(snapshot(**odd))  # type: ignore[arg-type]
