"""The recorded source over real prices, against figures that were published elsewhere, and a year with everything later altered."""

import random
from datetime import date
from pathlib import Path

import pytest

from engine.domain.equity.trading_session import SessionMoment
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
