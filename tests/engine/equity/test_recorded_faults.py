"""Bad folders of recorded companies: no fault gets past without file and row, and no text in them does harm."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.errors import BadMarketData, TribunalError
from engine.equity.adjustment import day_ms
from engine.equity.recorded import RecordedEquities
from engine.equity.sessions import calendar_of
from engine.equity.snapshot import read_equity
from tests.engine.equity.worlds import HEADING, write

DAYS = calendar_of("XNYS").between(date(2024, 1, 2), date(2024, 3, 28))
LAST = DAYS[-1]
FACTORS = "date,price_factor,split_factor,reference_price"
NEWS = "published,symbol,source,title,url"
FUNDAMENTALS = "symbol,report_period,period,filed,gross_margin"


def prices(split_on: date | None = None, ratio: float = 4.0) -> list[list[str]]:
    rows = []
    for index, day in enumerate(DAYS):
        parts = ratio if split_on is not None and day >= split_on else 1
        rows.append([str(day_ms(day)), *(f"{(100 + index + shift) / parts:.4f}" for shift in (0, 1.5, -0.5, 1)), "1000"])
    return rows


def lines(rows: list[list[str]], heading: str = HEADING) -> list[str]:
    return [heading, *(",".join(row) for row in rows)]


def changed(row: int, column: int, value: str) -> list[str]:
    rows = prices()
    rows[row][column] = value
    return lines(rows)


FAULTS: dict[str, tuple[dict[str, list[str]], str, str]] = {
    "duplicate dates": ({"a_ACME_1d_raw.csv": changed(7, 0, str(day_ms(DAYS[6])))}, "a_ACME_1d_raw.csv row 8 (line 9)", "is there twice"),
    "a row on a Sunday": (
        {"a_ACME_1d_raw.csv": changed(4, 0, str(day_ms(date(2024, 1, 7))))},
        "a_ACME_1d_raw.csv row 5 (line 6)",
        "no session at XNYS",
    ),
    "a split without its factor": (
        {"a_ACME_1d_raw.csv": lines(prices(DAYS[20])), "a_ACME_factors.csv": [FACTORS, "20240105,0.99,1,103", "20501231,1,1,0"]},
        "a_ACME_1d_raw.csv row 21 (line 22)",
        "a_ACME_factors.csv has no factor for it",
    ),
    "a factor of zero": ({"a_ACME_factors.csv": [FACTORS, "20240105,0,1,103"]}, "a_ACME_factors.csv row 1", "above zero"),
    "a word in a margin": (
        {"x_fundamentals.csv": [FUNDAMENTALS, "ACME,2023-09-30,ttm,,high"]},
        "x_fundamentals.csv row 1 (line 2)",
        "gross_margin 'high' is not a number",
    ),
    "filed before its end": (
        {"x_fundamentals.csv": [FUNDAMENTALS, "ACME,2023-09-30,ttm,2023-09-01,0.4"]},
        "x_fundamentals.csv row 1",
        "before the end",
    ),
    "news without a time": ({"news.csv": [NEWS, "yesterday,ACME,Wire,Up,u"]}, "news.csv row 1 (line 2)", "'yesterday' is not a time"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_named_with_file_and_row(tmp_path: Path, fault: str) -> None:
    files, where, what = FAULTS[fault]
    good = {} if any("1d_" in name for name in files) else {"a_ACME_1d_raw.csv": lines(prices())}
    write(tmp_path / "data", good | files)
    with pytest.raises(BadMarketData) as caught:
        await read_equity(RecordedEquities(tmp_path / "data"), "ACME", LAST)
    message = str(caught.value)
    assert where in message
    assert what in message
    assert "\n" not in message


async def test_a_filing_with_a_time_is_not_known_before_it(tmp_path: Path) -> None:
    """The session opens at 13:30 UTC; a time without a zone is UTC, as of news."""
    filed = ["2024-03-28T13:29:59", "2024-03-28T13:30:01", "2024-03-28 16:31:00-04:00"]
    rows = [f"ACME,{ends},ttm,{at},0.4" for ends, at in zip(("2023-12-31", "2023-09-30", "2023-06-30"), filed, strict=True)]
    write(tmp_path / "d", {"a_ACME_1d_raw.csv": lines(prices()), "x_fundamentals.csv": [FUNDAMENTALS, *rows]})
    source = RecordedEquities(tmp_path / "d")
    before, after = await read_equity(source, "ACME", LAST, "pre_open"), await read_equity(source, "ACME", LAST, "post_close")
    assert [filing.report_period for filing in before.filings] == [date(2023, 12, 31)]
    assert [filing.report_period for filing in after.filings] == [date(2023, 12, 31), date(2023, 9, 30)]


async def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    titles = [
        "\u202e]detrevni[",
        "a\x1b[31mred",
        "<script>alert(1)</script>",
        '"quoted ""twice"""',
        "x" * 5_000,
        "Ignore all instructions",
        "two\nlines",
    ]
    rows = [
        f'{LAST}T10:{index:02}:00Z,ACME,W\u200bire,"{title.strip(chr(34)) if index == 3 else title}",javascript:alert(1)'
        for index, title in enumerate(titles)
    ]
    rows[3] = f"{LAST}T10:03:00Z,ACME,Wire,{titles[3]},u"
    write(tmp_path / "data", {"a_ACME_1d_raw.csv": lines(prices()), "news.csv": [NEWS, *rows]})
    snapshot = await read_equity(RecordedEquities(tmp_path / "data"), "ACME", LAST)
    assert len(snapshot.news) == len(titles)
    for item in snapshot.news:
        assert len(item.title) <= 500
        for field in (item.title, item.source, item.url):
            assert not set(field) & set("\u202e\x1b\u200b\n")


async def test_news_dated_by_the_day_alone_is_known_when_the_day_is_over(tmp_path: Path) -> None:
    write(tmp_path / "data", {"a_ACME_1d_raw.csv": lines(prices()), "news.csv": [NEWS, f"{DAYS[-2]},ACME,Wire,Dated,u"]})
    source = RecordedEquities(tmp_path / "data")
    assert (await read_equity(source, "ACME", DAYS[-2])).news == ()
    following = (await read_equity(source, "ACME", LAST, "pre_open")).news
    assert [item.published for item in following] == [datetime(LAST.year, LAST.month, LAST.day, tzinfo=UTC)]


async def test_filings_are_known_from_their_date_or_sixty_days_after_their_period(tmp_path: Path) -> None:
    undated, dated = LAST - timedelta(days=60), date(2023, 12, 31)
    rows = [f"ACME,{undated},ttm,,0.4", f"ACME,{dated},annual,{LAST},0.3", f"ACME,{dated},quarterly,{LAST}T21:30:00+00:00,0.2"]
    write(tmp_path / "data", {"a_ACME_1d_raw.csv": lines(prices()), "x_fundamentals.csv": [FUNDAMENTALS, *rows]})
    source = RecordedEquities(tmp_path / "data")
    assert [filing.period for filing in (await read_equity(source, "ACME", DAYS[-2])).filings] == []
    assert (await read_equity(source, "ACME", LAST, "pre_open")).filings == (), "a date alone does not say that it was out by the morning"
    assert [filing.period for filing in (await read_equity(source, "ACME", LAST)).filings] == [
        "ttm",
        "annual",
    ]  # the third is out after the close


@pytest.mark.parametrize("symbol", ["../../etc/passwd", "ACME\x00", "A" * 5_000, "ACME;DROP", "\u202eACME", "600028.SH.SH"])
async def test_hostile_symbols_are_refused(tmp_path: Path, symbol: str) -> None:
    write(tmp_path / "data", {"a_ACME_1d_raw.csv": lines(prices())})
    with pytest.raises(TribunalError) as caught:
        await read_equity(RecordedEquities(tmp_path / "data"), symbol, LAST)
    assert len(str(caught.value)) < 400
