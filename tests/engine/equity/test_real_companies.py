"""The recorded source over real prices, against figures that were published elsewhere, and a year with everything later altered."""

import random
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.domain.equity.trading_session import SessionMoment
from engine.domain.errors import BadInput, BadMarketData
from engine.equity.recorded import RecordedEquities
from engine.equity.sessions import calendar_of
from engine.equity.snapshot import read_equity
from tests.engine.equity.altered_year import Year
from tests.engine.equity.worlds import write

SPLIT = date(2020, 8, 31)  # Apple, four for one


async def test_apple_over_its_split_of_2020(company_data: Path) -> None:
    source = RecordedEquities(company_data)
    friday = await read_equity(source, "AAPL", date(2020, 8, 28))
    opening = await read_equity(source, "AAPL", SPLIT, "pre_open")
    monday = await read_equity(source, "AAPL", SPLIT)
    assert (friday.current_price, friday.previous_close, friday.splits) == (499.23, 500.04, ())
    assert (opening.current_price, opening.previous_close) == (124.8075, 125.01)
    assert (monday.current_price, monday.previous_close) == (129.04, 124.8075)
    assert [(split.date, split.ratio) for split in monday.splits] == [(SPLIT, 4.0)]
    assert monday.candles.volume[-2] == 44_109_029 * 4
    assert monday.candles.open[-2] == 126.0  # 504 before it
    assert monday.candles.volume[-1] == 210_024_091


async def test_apples_dividends_are_those_it_paid(company_data: Path) -> None:
    snapshot = await read_equity(RecordedEquities(company_data), "AAPL", date(2021, 3, 31))
    paid = {dividend.ex_date: dividend.amount for dividend in snapshot.dividends if dividend.ex_date > date(2019, 12, 31)}
    assert paid == {
        date(2020, 2, 7): 0.77,
        date(2020, 5, 8): 0.82,
        date(2020, 8, 7): 0.82,
        date(2020, 11, 6): 0.205,
        date(2021, 2, 5): 0.205,
    }


async def test_a_shanghai_ex_dividend_day_counts_from_what_the_exchange_stated(company_data: Path) -> None:
    source, day = RecordedEquities(company_data), date(2025, 6, 18)
    opening = await read_equity(source, "600028.SH", day, "pre_open")
    closing = await read_equity(source, "600028.SH", day)
    assert (opening.current_price, opening.previous_close) == (5.96, 5.91)
    assert (closing.current_price, closing.previous_close) == (5.76, 5.82)
    assert [(each.ex_date, each.amount) for each in closing.dividends] == [(day, 0.14)]  # 0.14 yuan for 2024 were paid
    assert closing.candles.close[-2] == 5.96  # dividends do not change older prices
    assert opening.dividends == ()
    assert (closing.listing.lot, closing.listing.sessions_until_sellable, closing.listing.price_limit_pct) == (100, 1, 10.0)


async def test_the_spring_festival_has_no_sessions(company_data: Path) -> None:
    source = RecordedEquities(company_data)
    after = await read_equity(source, "600519.SH", date(2025, 2, 5), "pre_open")
    assert after.moment.last_session == date(2025, 1, 27)
    with pytest.raises(BadInput, match=r"2025-01-27 and 2025-02-05"):
        await read_equity(source, "600519.SH", date(2025, 1, 29))


async def test_a_half_day_ends_at_its_own_close(company_data: Path) -> None:
    snapshot = await read_equity(RecordedEquities(company_data), "SPY", date(2020, 11, 27))
    assert snapshot.moment.known_at == datetime(2020, 11, 27, 18, 0, tzinfo=UTC)
    assert (snapshot.current_price, snapshot.listing.kind) == (363.67, "fund")


async def test_prices_news_and_filings_meet(company_data: Path) -> None:
    source = RecordedEquities(company_data)
    opening = await read_equity(source, "AAPL", date(2024, 3, 6), "pre_open")
    closing = await read_equity(source, "AAPL", date(2024, 3, 6))
    assert (opening.current_price, closing.current_price, closing.previous_close) == (170.12, 169.12, 170.12)
    assert 0 < len(opening.news) < len(closing.news)
    newest = closing.filings[0]
    assert (newest.report_period, newest.period, newest.known_from) == (date(2023, 12, 30), "ttm", date(2024, 2, 28))
    assert newest.values["pe_ratio"] == 29.673
    assert newest.values["gross_margin_pct"] == pytest.approx(45.0)
    assert newest.values["debt_to_equity"] == 3.771
    assert "interest_coverage" not in newest.values  # an empty cell


async def test_a_missing_row_is_an_error_after_the_close(company_data: Path) -> None:
    source = RecordedEquities(company_data)
    with pytest.raises(BadMarketData, match="no row for 2021-04-01"):
        await read_equity(source, "AAPL", date(2021, 4, 1))
    assert (await read_equity(source, "AAPL", date(2021, 4, 1), "pre_open")).current_price == 122.15
    with pytest.raises(BadMarketData, match="no row for 2025-08-14"):
        await read_equity(source, "600150.SH", date(2025, 8, 14))  # not traded: its merger


@pytest.mark.full
async def test_a_year_with_everything_later_altered_is_the_same_year(company_data: Path, tmp_path: Path) -> None:
    year, dice = Year(company_data), random.Random(17)
    write(tmp_path / "whole", year.files())
    whole = RecordedEquities(tmp_path / "whole")
    days = calendar_of("XNYS").between(date(2020, 3, 30), date(2021, 3, 30))
    assert len(days) > 250
    seen = set()
    for index, day in enumerate(days):
        session: SessionMoment = "pre_open" if index % 2 else "post_close"
        if day in {SPLIT, date(2020, 8, 28)}:
            session = "pre_open"
        write(tmp_path / str(index), year.files(day, session, dice))
        expected = await read_equity(whole, "AAPL", day, session, bars=260)
        altered = await read_equity(RecordedEquities(tmp_path / str(index)), "AAPL", day, session, bars=260)
        assert altered.hash == expected.hash, (day, session)
        assert expected.news
        assert expected.filings
        seen.add(expected.hash)
    assert len(seen) == len(days)


async def test_what_comes_at_the_moment_itself_does_change_it(company_data: Path, tmp_path: Path) -> None:
    """The test above could not fail if the hash did not see these."""
    year, day = Year(company_data), date(2020, 10, 29)  # a filing date: 33 days after the quarter
    hashes = set()
    for number, (before, session) in enumerate(
        [(date(2020, 10, 27), "post_close"), (date(2020, 10, 28), "post_close"), (day, "post_close")]
    ):
        write(tmp_path / str(number), year.files(before, session, random.Random(1)))  # type: ignore[arg-type]
        hashes.add((await read_equity(RecordedEquities(tmp_path / str(number)), "AAPL", date(2020, 10, 28), "post_close", bars=50)).hash)
    assert len(hashes) == 2
