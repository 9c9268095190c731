"""Live libraries that are missing, slow, cut off or changed: one clear line where a price is needed, a reason elsewhere."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pandas as pd
import pytest

from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.errors import BadInput, MarketUnreachable
from engine.equity.live import LiveEquities
from engine.equity.snapshot import read_equity
from tests.engine.equity.worlds import AMERICAN, CHINESE, FakeAkshare, FakeTicker, websites

NOW = datetime(2024, 7, 16, 23, 0, tzinfo=UTC)
DAY = date(2024, 7, 16)


def absent() -> Any:
    raise ImportError("not here")


async def source(**changes: Any) -> LiveEquities:
    found = await websites(NOW)
    return LiveEquities(lambda: NOW, changes.pop("deadline_s", 10.0), **{"yahoo": found._yahoo, "akshare": found._akshare} | changes)


async def test_a_missing_library_is_named_with_what_to_install() -> None:
    with pytest.raises(MarketUnreachable, match="pip install yfinance"):
        await read_equity(await source(yahoo=absent), AMERICAN, DAY)
    with pytest.raises(MarketUnreachable, match=r"akshare or yfinance.*pip install akshare"):
        await read_equity(await source(yahoo=absent, akshare=absent), CHINESE, DAY)


async def test_prices_come_as_traded_with_splits_and_filings_dated_late() -> None:
    snapshot = await read_equity(await source(), AMERICAN, DAY)
    assert snapshot.sources == {"prices": "yfinance", "filings": "yfinance", "news": "yfinance", "sector": "yfinance"}
    newest = snapshot.filings[0]
    assert (newest.report_period, newest.period, newest.filed) == (date(2024, 4, 28), "ttm", None)
    assert newest.values["revenue"] == 79.5
    assert newest.values["net_margin_pct"] == pytest.approx(42.6 / 79.5 * 100)
    assert newest.values["debt_to_equity"] == pytest.approx(11 / 49)
    early = await read_equity(await source(), AMERICAN, date(2024, 6, 26))
    assert early.filings[0].report_period == date(2024, 1, 28)  # 60 days after April 28 is June 27


async def test_bars_within_a_session_are_in_shares_of_their_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five days before a split of ten for one, in Yahoo's shares of today; the bar that is not over yet is not known."""
    daily, asked = FakeTicker.history, []

    def history(ticker: FakeTicker, *, interval: str, **options: Any) -> pd.DataFrame:
        asked.append(interval)
        if interval == "1d":
            return daily(ticker, interval=interval, **options)
        index = pd.date_range("2024-06-05 09:30", periods=3, freq="5min", tz="America/New_York")
        columns = {"Open": [120.0, 121.0, 130.0], "High": [122.0, 123.0, 131.0], "Low": [119.0, 120.0, 129.0]}
        return pd.DataFrame(columns | {"Close": [121.0, 122.5, 130.0], "Volume": [1000.0, 2000.0, 1.0]}, index=index)

    monkeypatch.setattr(FakeTicker, "history", history)
    snapshot = await read_equity(await source(), AMERICAN, date(2024, 6, 5), "pre_open", "2024-06-05 09:43:00")
    assert snapshot.intraday is not None
    assert (snapshot.current_price, snapshot.intraday.volume.tolist()) == (1225.0, [100.0, 200.0])
    assert snapshot.sources["intraday"] == "yfinance 5m"
    assert asked.count("5m") == 1
    assert EquitySnapshot.from_json(snapshot.to_json()).hash == snapshot.hash
    with pytest.raises(BadInput, match="keeps bars within a session for 729 days"):
        await (await source()).intraday(snapshot.listing, snapshot.moment.model_copy(update={"trade_date": date(2022, 6, 6)}))


FAULTS: dict[str, Callable[..., Any]] = {
    "no answer": lambda *args, **options: None,
    "a network fault": lambda *args, **options: _raise(ConnectionError("no route to host")),
}


def _raise(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize("fault", FAULTS)
async def test_prices_that_cannot_be_had_are_one_clear_line(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(FakeTicker, "history", FAULTS[fault])
    monkeypatch.setattr(FakeAkshare, "stock_zh_a_hist", FAULTS[fault])
    for symbol in (AMERICAN, CHINESE):
        with pytest.raises(MarketUnreachable, match=symbol) as caught:
            await read_equity(await source(), symbol, DAY)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", FAULTS)
async def test_layers_that_cannot_be_had_are_missing_by_reason(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    for name in ("stock_financial_abstract", "stock_news_em", "stock_individual_info_em"):
        monkeypatch.setattr(FakeAkshare, name, FAULTS[fault])
    monkeypatch.setattr(FakeTicker, "get_news", FAULTS[fault])
    snapshot = await read_equity(await source(), CHINESE, DAY)
    assert snapshot.missing.keys() == {"filings", "news", "sector", "constituents", "macro"}
    assert (await read_equity(await source(), AMERICAN, DAY)).missing.keys() >= {"news"}


async def test_a_library_that_does_not_come_back_has_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(FakeTicker, "history", lambda *args, **options: released.wait(60))
    with pytest.raises(MarketUnreachable, match=r"did not come back within 0\.2 s"):
        await read_equity(await source(deadline_s=0.2), AMERICAN, DAY)
    released.set()


async def test_shares_out_of_reserves_are_a_split_and_amounts_are_for_ten_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"除权除息日": [date(2024, 7, 16), pd.NaT], "送股": [3.0, 1.0], "转增": [1.0, 0.0], "派息": [7.0, 9.0]}
    monkeypatch.setattr(FakeAkshare, "stock_history_dividend_detail", lambda *args, **options: pd.DataFrame(rows))
    snapshot = await read_equity(await source(), CHINESE, DAY)
    assert [(split.date, split.ratio) for split in snapshot.splits] == [(DAY, 1.4)]
    assert [(each.ex_date, each.amount) for each in snapshot.dividends] == [(DAY, 0.5)]  # 0.70 yuan for 1.4 shares
    raw = await read_equity(await source(), CHINESE, date(2024, 7, 15))
    assert snapshot.previous_close == pytest.approx(raw.current_price / 1.4)
