"""Prices of companies as an account is followed by them: nothing of later, every morning and every session once."""

import itertools
from datetime import UTC, date, datetime

import pytest

from engine.bootstrap.share_quotes import CompanyQuotes
from engine.equity.sessions import calendar_of
from engine.equity.simulated import SimulatedEquities
from engine.trading.protocol import ShareSession

CALENDARS = {"NVDA": "XNYS", "600028.SH": "XSHG"}
FIRST, LAST = date(2024, 1, 2), date(2024, 12, 31)
NOW = datetime(2025, 6, 2, tzinfo=UTC)


def quotes(now: datetime = NOW) -> CompanyQuotes:
    source = SimulatedEquities(3, lambda: now)
    return CompanyQuotes(lambda: source)


def ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


@pytest.mark.full
@pytest.mark.parametrize("symbol", CALENDARS)
async def test_it_says_the_same_where_nothing_later_exists(symbol: str) -> None:
    """A source that ends at the clock against one that goes on for another year: at every tenth open and close of a year."""
    calendar, whole = calendar_of(CALENDARS[symbol]), quotes()
    since = ms(calendar.session(FIRST).close) if calendar.has_session(FIRST) else ms(calendar.after(FIRST).close)
    for day in calendar.between(date(2024, 1, 10), LAST)[::10]:
        for at in (calendar.session(day).open, calendar.session(day).close):
            assert vars(await whole.path(symbol, since, at)) == vars(await quotes(at).path(symbol, since, at))


@pytest.mark.parametrize("symbol", CALENDARS)
async def test_in_steps_or_at_once_every_morning_and_session_comes_once(symbol: str) -> None:
    calendar, source = calendar_of(CALENDARS[symbol]), quotes()
    days = calendar.between(date(2024, 5, 27), date(2024, 7, 31))
    begins, ends = calendar.session(days[0]).close, calendar.session(days[-1]).close
    whole = (await source.path(symbol, ms(begins), ends)).sessions
    stops = [begins, *(instant for day in days[1:] for instant in (calendar.session(day).open, calendar.session(day).close))]
    mornings, sessions = list[date](), list[ShareSession]()
    for since, at in itertools.pairwise(stops):
        for each in (await source.path(symbol, ms(since), at)).sessions:
            mornings += [each.day] if each.opens > since and (each.ratio or each.dividend) else []
            sessions += [each] if each.candle is not None else []
    assert tuple(sessions) == whole
    assert mornings == [each.day for each in whole if each.ratio or each.dividend]
    assert mornings
    assert sum(session.ratio is not None for session in whole) == (1 if symbol == "NVDA" else 0)


async def test_prices_at_the_open_are_in_shares_of_that_day() -> None:
    calendar = calendar_of("XNYS")
    friday, monday = calendar.session(date(2024, 6, 7)), calendar.session(date(2024, 6, 10))  # ten for one
    evening, morning = await quotes().path("NVDA", None, friday.close), await quotes().path("NVDA", None, monday.open)
    assert morning.price == pytest.approx(evening.price / 10)
    assert (evening.day, morning.day) == (friday.date, monday.date)
    assert morning.previous_close == morning.price
