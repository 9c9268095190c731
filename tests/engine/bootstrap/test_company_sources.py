"""Which source of company data the settings choose."""

from datetime import date
from pathlib import Path

import pytest

from engine.bootstrap.providers import ProviderFactory
from engine.domain.errors import BadInput
from engine.runs.run_budget import Spent
from engine.settings import Settings


def factory(**settings: object) -> ProviderFactory:
    return ProviderFactory(Settings(_env_file=None, **settings), {}, lambda day: Spent())  # type: ignore[arg-type,call-arg]


async def test_a_feeds_name_chooses_the_source_and_keeps_it(tmp_path: Path) -> None:
    providers = factory(data_dir=tmp_path)
    assert [providers.equities(name).name for name in ("simulated", "recorded", "live")] == ["simulated", "recorded", "live"]
    assert providers.equities("simulated", seed=1) is providers.equities("simulated", seed=1)
    assert providers.equities("simulated", seed=1) is not providers.equities("simulated", seed=2)
    assert providers.equities("live", seed=1) is providers.equities("live", seed=2)
    listing = await providers.equities("simulated").listing("AAPL")
    assert (await providers.equities("simulated").latest(listing)).trade_date > date(2026, 1, 1)
    await providers.close()


def test_a_recording_needs_its_folder() -> None:
    with pytest.raises(BadInput, match="TRIBUNAL_DATA_DIR"):
        factory().equities("recorded")
