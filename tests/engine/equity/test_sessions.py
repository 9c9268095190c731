"""Sessions out of exchange calendars: holidays, half days, the end of a calendar, and the moments of a decision."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.clock import use_clock
from engine.domain.equity.listing import Listing
from engine.domain.errors import BadInput, ClockOutOfRange
from engine.equity.listings import listing_of
from engine.equity.sessions import FIRST_SESSION, calendar_of, read_timestamp

CALENDARS = ("XNYS", "XSHG", "XHKG")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("name", "day", "opens", "closes", "half"),
    [
        ("XNYS", date(2024, 11, 29), utc(2024, 11, 29, 14, 30), utc(2024, 11, 29, 18, 0), True),
        ("XNYS", date(2024, 7, 5), utc(2024, 7, 5, 13, 30), utc(2024, 7, 5, 20, 0), False),
        ("XSHG", date(2024, 2, 19), utc(2024, 2, 19, 1, 30), utc(2024, 2, 19, 7, 0), False),
        ("XHKG", date(2024, 12, 24), utc(2024, 12, 24, 1, 30), utc(2024, 12, 24, 4, 0), True),
    ],
)
def test_a_session_opens_and_closes_when_the_exchange_does(name: str, day: date, opens: datetime, closes: datetime, half: bool) -> None:
    session = calendar_of(name).session(day)
    assert (session.open, session.close, session.is_half_day) == (opens, closes, half)


@pytest.mark.parametrize(
    ("name", "day", "before", "after"),
    [
        ("XSHG", date(2024, 2, 12), "2024-02-08", "2024-02-19"),
        ("XSHG", date(2025, 10, 3), "2025-09-30", "2025-10-09"),
        ("XNYS", date(2024, 7, 4), "2024-07-03", "2024-07-05"),
        ("XNYS", date(2012, 10, 29), "2012-10-26", "2012-10-31"),  # a hurricane
    ],
)
def test_a_date_without_a_session_names_those_beside_it(name: str, day: date, before: str, after: str) -> None:
    with pytest.raises(BadInput, match=f"{before} and {after}"):
        calendar_of(name).session(day)


@pytest.mark.parametrize("day", [date(2027, 1, 4), date(1991, 5, 2), date(9999, 12, 31), date(1, 1, 1)])
def test_a_date_outside_the_calendar_is_refused(day: date) -> None:
    with pytest.raises(BadInput, match="2026-12-31"):
        calendar_of("XSHG").session(day)
    with pytest.raises(BadInput, match="2026-12-31"):
        calendar_of("XSHG").moment(day, "pre_open")


def test_the_last_day_of_a_calendar_can_be_read() -> None:
    calendar = calendar_of("XSHG")
    assert calendar.moment(date(2026, 12, 31), "post_close").known_at == utc(2026, 12, 31, 7, 0)
    with pytest.raises(BadInput, match="ends 2026-12-31"):
        calendar.after(date(2026, 12, 31))
    assert calendar.next_open(date(2026, 12, 30)) == utc(2026, 12, 31, 1, 30)
    assert calendar.next_open(date(2026, 12, 31)) == utc(2027, 1, 1), "surely not before"


def test_behind_the_end_of_a_calendar_no_session_is_called_the_last() -> None:
    calendar = calendar_of("XSHG")
    assert calendar.last_closed(utc(2026, 12, 31, 23, 59)).date == date(2026, 12, 31)
    with pytest.raises(ClockOutOfRange, match="known to 2026-12-31, and 2027-01-15 is later: update exchange_calendars"):
        calendar.last_closed(utc(2027, 1, 15, 8))


def test_a_calendar_reaches_beyond_the_clock_of_the_process() -> None:
    leap_day = utc(2028, 2, 29, 23, 59, 30)
    with use_clock(lambda: leap_day):
        calendar = calendar_of("XNYS")
        assert calendar.last_closed(leap_day).date == date(2028, 2, 29)
        assert calendar.next_open(date(2028, 12, 29)) == utc(2029, 1, 2, 14, 30)


@given(name=st.sampled_from(CALENDARS), day=st.dates(FIRST_SESSION, date(2026, 12, 30)))
def test_moments_follow_each_other(name: str, day: date) -> None:
    calendar = calendar_of(name)
    if not calendar.has_session(day):
        with pytest.raises(BadInput):
            calendar.session(day)
        return
    if day in calendar.between(FIRST_SESSION, date(1992, 2, 1))[:2]:
        return  # before either there is a moment that has no session before it
    opening, closing = calendar.moment(day, "pre_open"), calendar.moment(day, "post_close")
    assert opening.last_session < day == closing.last_session
    assert calendar.moment(opening.last_session, "post_close").known_at < opening.known_at < closing.known_at
    assert calendar.last_closed(opening.known_at).date == opening.last_session
    assert calendar.last_closed(closing.known_at).date == day
    assert calendar.after(opening.last_session).date == day


def test_a_timestamp_is_the_exchanges_time() -> None:
    apple, sinopec = listing_of("AAPL"), listing_of("600028.SH")
    assert read_timestamp("2024-03-05 15:59:30", apple, date(2024, 3, 5)) == utc(2024, 3, 5, 20, 59, 30)
    assert read_timestamp("2024-03-05 15:00:00", sinopec, date(2024, 3, 5)) == utc(2024, 3, 5, 7, 0)
    assert read_timestamp("2024-03-05T20:59:30+00:00", apple, date(2024, 3, 5)) == utc(2024, 3, 5, 20, 59, 30)
    for text in ("noon", "2024-13-05 10:00:00", "", "2024-03-06 10:00:00"):
        with pytest.raises(BadInput, match="timestamp"):
            read_timestamp(text, apple, date(2024, 3, 5))


def rules(listing: Listing) -> tuple[str, str, int, int, int, float | None, str | None]:
    step = None if listing.price_step is None else str(listing.price_step)
    return (
        listing.market, listing.kind, listing.lot, listing.min_order, listing.sessions_until_sellable, listing.price_limit_pct, step,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("AAPL", ("US", "stock", 1, 1, 0, None, "0.01")),
        ("BRK.B", ("US", "stock", 1, 1, 0, None, "0.01")),
        ("SPY", ("US", "fund", 1, 1, 0, None, "0.01")),
        ("^GSPC", ("US", "index", 1, 1, 0, None, "0.01")),
        ("600028.SH", ("CN", "stock", 100, 100, 1, 10.0, "0.01")),
        ("000858.SZ", ("CN", "stock", 100, 100, 1, 10.0, "0.01")),
        ("688041.SH", ("CN", "stock", 1, 200, 1, 20.0, "0.01")),
        ("300750.SZ", ("CN", "stock", 100, 100, 1, 20.0, "0.01")),
        ("000300.SH", ("CN", "index", 100, 100, 1, None, "0.01")),
        ("510300.SH", ("CN", "fund", 100, 100, 1, 10.0, "0.001")),
        ("0700.HK", ("HK", "stock", 100, 100, 0, None, None)),
        ("9618.HK", ("HK", "stock", 50, 50, 0, None, None)),
    ],
)
def test_a_symbols_form_says_how_it_is_traded(symbol: str, expected: tuple[object, ...]) -> None:
    assert rules(listing_of(symbol)) == expected


def test_a_symbol_has_one_spelling() -> None:
    assert listing_of(" 600028.ss ").symbol == listing_of("600028.SH").symbol == "600028.SH"
    assert listing_of("700.hk").symbol == listing_of("00700.HK").symbol == "0700.HK"
    assert not listing_of("0700.HK").lot_assumed
    assert listing_of("1234.HK").lot_assumed


@pytest.mark.parametrize(
    ("symbol", "meant"), [("600028", "600028.SH"), ("000858", "000858.SZ"), ("700", "0700.HK"), ("BTC/USDT", "AAPL"), ("", "AAPL")]
)
def test_a_form_that_is_none_names_one_that_is(symbol: str, meant: str) -> None:
    with pytest.raises(BadInput, match=meant):
        listing_of(symbol)
