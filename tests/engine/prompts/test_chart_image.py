"""The chart as an image: a sound PNG, the same every time, from any thread, without a word on stderr."""

import io
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from numpy.typing import NDArray
from PIL import Image

from engine.domain.errors import BadMarketData
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.prompts.chart_image import SIZE_PX, chart_png

START_MS = 1_700_006_400_000


def snapshot(
    count: int, *, seed: int = 1, price: float = 1000.0, timeframe: str = "15m", still: bool = False, broken: bool = False
) -> Snapshot:
    frame = Timeframe.parse(timeframe)
    rng = np.random.default_rng(seed)
    close = price * (1 + (0 if still else 0.02) * np.sin(np.arange(count) / 9) + (0 if still else 0.004) * rng.standard_normal(count))
    opened = np.concatenate([[price], close[:-1]])
    reach = price * (0.0 if still else 0.003)
    if broken:
        close[-1] = np.nan
    columns = (
        opened,
        np.maximum(opened, close) + reach,
        np.minimum(opened, close) - reach,
        close,
        rng.random(count) * (0 if still else 50),
    )
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


def pixels(png: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"))


@pytest.mark.full
def test_it_is_a_light_picture_of_candles() -> None:
    picture = pixels(chart_png(snapshot(300)))
    assert picture.shape == (SIZE_PX[1], SIZE_PX[0], 3)
    white = (picture == 255).all(axis=2)
    assert 0.5 < white.mean() < 0.97
    red, green, blue = (picture[:, :, part].astype(int) for part in range(3))
    assert ((red - green > 80) & (red - blue > 60)).sum() > 500  # falling candles
    assert ((green - red > 80) & (green - blue > 20)).sum() > 500  # rising ones
    assert ((blue - red > 100) & (blue - green > 60)).sum() > 300  # EMA 20


@pytest.mark.full
def test_equal_snapshots_give_equal_bytes_from_any_thread() -> None:
    one, other = chart_png(snapshot(150, seed=1)), chart_png(snapshot(150, seed=2))
    assert one != other
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda seed: chart_png(snapshot(150, seed=seed)), [1, 2, 1, 2, 2, 1]))
    assert drawn == [one, other, one, other, other, one]


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


def test_the_program_around_it_is_left_alone() -> None:
    before, figures = dict(mpl.rcParams), pyplot.get_fignums()
    chart_png(snapshot(120))
    assert dict(mpl.rcParams) == before
    assert pyplot.get_fignums() == figures


@pytest.mark.full
@pytest.mark.parametrize(
    "odd",
    [
        {"count": 2},
        {"count": 19},
        {"count": 120, "still": True},
        {"count": 120, "price": 1.2e-8},
        {"count": 120, "price": 9e9},
        {"count": 120, "timeframe": "1d"},
        {"count": 30, "timeframe": "1w"},
    ],
    ids=str,
)
def test_odd_markets_are_drawn_without_a_warning(odd: dict[str, object], capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pixels(chart_png(snapshot(**odd))).shape == (SIZE_PX[1], SIZE_PX[0], 3)  # type: ignore[arg-type]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("odd", "said"), [({"count": 1}, "at least 2"), ({"count": 0}, "at least 2"), ({"count": 90, "broken": True}, "finite")]
)
def test_what_cannot_be_drawn_is_said(odd: dict[str, object], said: str) -> None:
    with pytest.raises(BadMarketData, match=said):
        chart_png(snapshot(**odd))  # type: ignore[arg-type]
