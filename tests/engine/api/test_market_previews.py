"""A market before a decision is asked for: the candles that a run at the same instant would see, and never a later one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.api import Engine
from engine.desks.decision.api import MarketPreview
from engine.domain.errors import TribunalError
from engine.domain.run import DecideRequest
from engine.settings import Settings


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with closing(Engine(Settings(_env_file=None, home=Path(tmp_path_factory.mktemp("previews")), pace=0))) as made:  # type: ignore[call-arg]
        yield made


def read(engine: Engine, request: DecideRequest) -> MarketPreview:
    """The preview, however long a busy machine reads."""
    while (preview := engine.decisions.market_preview(request)) is None:
        pass
    return preview


@pytest.mark.full
def test_it_is_what_a_run_at_that_instant_sees(engine: Engine) -> None:
    request = engine.decisions.request("BTC/USDT:USDT", feed="simulated", at="2026-05-16T12:07Z", seed=3, model="scripted")
    preview = read(engine, request)
    run_id = engine.start(request)
    engine.wait(run_id, 60)
    material = engine.decisions.chart(run_id)
    assert material is not None
    count = len(preview.candles)
    assert list(preview.candles.close) == list(material.candles.tail(count).close)
    assert preview.forming == material.forming
    assert preview.candles.closed_at <= int(request.at.timestamp() * 1000)  # type: ignore[union-attr]
    assert engine.decisions.market_preview(request) is preview, "kept: a page that is drawn again shows the same"


def test_a_market_that_cannot_be_read_says_so(engine: Engine, tmp_path: Path) -> None:
    request = engine.decisions.request("BTC/USDT:USDT", feed="recorded", data_dir=str(tmp_path), model="scripted")
    with pytest.raises(TribunalError):
        read(engine, request)
