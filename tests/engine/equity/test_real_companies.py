"""The recorded source over real prices, against figures that were published elsewhere, and a year with everything later altered."""

from datetime import date
from pathlib import Path

from engine.equity.recorded import RecordedEquities
from engine.equity.snapshot import read_equity

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
