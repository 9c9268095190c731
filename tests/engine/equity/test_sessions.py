"""Sessions out of exchange calendars: holidays, half days, the end of a calendar, and the moments of a decision."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.equity.listing import Listing
from engine.domain.errors import BadInput
from engine.equity.listings import listing_of
from engine.equity.sessions import FIRST_SESSION, calendar_of

CALENDARS = ("XNYS", "XSHG", "XHKG")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("name", "day", "opens", "closes", "half"),
    [
        ("XNYS", date(2024, 11, 29), utc(2024, 11, 29, 14, 30), utc(2024, 11, 29, 18, 0), True),
        ("XSHG", date(2024, 2, 19), utc(2024, 2, 19, 1, 30), utc(2024, 2, 19, 7, 0), False),
    ],
)
def test_a_session_opens_and_closes_when_the_exchange_does(name: str, day: date, opens: datetime, closes: datetime, half: bool) -> None:
    session = calendar_of(name).session(day)
    assert (session.open, session.close, session.is_half_day) == (opens, closes, half)


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


def rules(listing: Listing) -> tuple[str, str, int, int, int, float | None, str | None]:
    step = None if listing.price_step is None else str(listing.price_step)
    return (
        listing.market, listing.kind, listing.lot, listing.min_order, listing.sessions_until_sellable, listing.price_limit_pct, step,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("AAPL", ("US", "stock", 1, 1, 0, None, "0.01")),
        ("600028.SH", ("CN", "stock", 100, 100, 1, 10.0, "0.01")),
        ("688041.SH", ("CN", "stock", 1, 200, 1, 20.0, "0.01")),
        ("300750.SZ", ("CN", "stock", 100, 100, 1, 20.0, "0.01")),
        ("000300.SH", ("CN", "index", 100, 100, 1, None, "0.01")),
        ("510300.SH", ("CN", "fund", 100, 100, 1, 10.0, "0.001")),
        ("0700.HK", ("HK", "stock", 100, 100, 0, None, None)),
    ],
)
def test_a_symbols_form_says_how_it_is_traded(symbol: str, expected: tuple[object, ...]) -> None:
    assert rules(listing_of(symbol)) == expected
