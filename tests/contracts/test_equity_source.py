"""What every source of company data promises (`engine/equity/protocol.py`), over the recorded, the simulated and the live one.

All three speak of one history, so that they must agree about prices; what a source says of a moment must be the same in the world of that
moment and in every later one.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.errors import BadInput, MarketError
from engine.equity.adjustment import day_of
from engine.equity.protocol import EquitySource
from engine.equity.sessions import calendar_of
from engine.equity.snapshot import read_equity
from tests.engine.equity.worlds import AMERICAN, CHINESE, record, truth, websites

NOW = datetime(2024, 7, 16, 23, 0, tzinfo=UTC)
SPLIT = date(2024, 6, 10)  # 10:1
World = Callable[[datetime], Awaitable[EquitySource]]
MOMENTS: list[tuple[str, date, SessionMoment]] = [
    (symbol, day, session)
    for symbol in (AMERICAN, CHINESE)
    for day in (date(2024, 5, 31), date(2024, 6, 7), SPLIT, date(2024, 6, 20), date(2024, 7, 16))
    for session in ("pre_open", "post_close")
    if calendar_of("XNYS" if symbol == AMERICAN else "XSHG").has_session(day)
]


@pytest_asyncio.fixture(params=["recorded", "simulated", "live"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """Opens sources as of an instant."""
    sources: list[EquitySource] = []

    async def opened(now: datetime) -> EquitySource:
        if request.param == "recorded":
            source: EquitySource = await record(tmp_path / str(len(sources)), now)
        else:
            source = truth(now) if request.param == "simulated" else await websites(now)
        sources.append(source)
        return source

    yield opened
    for source in sources:
        await source.close()
        await source.close()


@pytest.mark.parametrize(("symbol", "day", "session"), MOMENTS)
async def test_nothing_is_later_than_the_moment_and_the_last_session_is_there(
    world: World, symbol: str, day: date, session: SessionMoment
) -> None:
    snapshot = await read_equity(await world(NOW), symbol, day, session, bars=300)
    moment, listing = snapshot.moment, snapshot.listing
    calendar = calendar_of(listing.calendar)
    stated = calendar.session(day)
    assert moment.known_at == (stated.open if session == "pre_open" else stated.close)
    assert moment.last_session == (calendar.before(day).date if session == "pre_open" else day)
    assert day_of(snapshot.candles.opened_at[-1]) == moment.last_session
    assert snapshot.current_price == snapshot.candles.close[-1]
    assert len(snapshot.candles) <= 300
    assert all(item.published <= moment.known_at for item in snapshot.news)
    assert all(filing.known_from <= day for filing in snapshot.filings)
    assert all(filing.filed_at is None or filing.filed_at <= moment.known_at for filing in snapshot.filings)
    assert all(split.date <= day for split in snapshot.splits)
    assert all(dividend.ex_date <= day for dividend in snapshot.dividends)
    assert all(point.published <= moment.known_at for series in snapshot.macro for point in series.points)


@pytest.mark.parametrize(("symbol", "day", "session"), MOMENTS)
async def test_all_sources_agree_about_the_price(world: World, symbol: str, day: date, session: SessionMoment) -> None:
    ours = await read_equity(await world(NOW), symbol, day, session, bars=60)
    expected = await read_equity(truth(NOW), symbol, day, session, bars=60)
    assert ours.candles.opened_at.tolist() == expected.candles.opened_at.tolist()
    for name in ("open", "high", "low", "close", "volume"):
        assert getattr(ours.candles, name).tolist() == pytest.approx(getattr(expected.candles, name).tolist(), rel=1e-9), name
    assert ours.current_price == pytest.approx(expected.current_price, rel=1e-9)
    assert ours.splits == expected.splits
    recent = [
        [each.amount for each in snapshot.dividends if date(2024, 5, 15) < each.ex_date <= snapshot.moment.last_session]
        for snapshot in (ours, expected)  # an exchange that states its previous close tells of the ex-date when it has come
    ]
    assert recent[0] == pytest.approx(recent[1], abs=0.0051)  # stated closes have two decimals


@pytest.mark.parametrize(("symbol", "day", "session"), [each for each in MOMENTS if each[1] < date(2024, 6, 21)])
async def test_what_is_known_does_not_depend_on_what_came_after(world: World, symbol: str, day: date, session: SessionMoment) -> None:
    at = calendar_of("XNYS" if symbol == AMERICAN else "XSHG").moment(day, session).known_at
    then = await read_equity(await world(at), symbol, day, session, bars=200)
    later = await read_equity(await world(NOW), symbol, day, session, bars=200)
    if then.feed != "live":
        assert then.hash == later.hash
        return
    assert set(later.news) <= set(then.news)  # websites give the newest news only
    if (day, session) == (SPLIT, "pre_open"):  # and tell of a split with the first trade after it
        return
    assert later.splits == then.splits
    assert later.filings == then.filings
    assert later.candles.close.tolist() == pytest.approx(then.candles.close.tolist(), rel=1e-12)


async def test_two_readings_have_one_hash_and_survive_json(world: World) -> None:
    hashes = set()
    for _ in range(2):
        source = await world(NOW)
        for _ in range(2):
            snapshot = await read_equity(source, AMERICAN, SPLIT, "post_close")
            hashes.add(snapshot.hash)
            assert EquitySnapshot.from_json(json.loads(json.dumps(snapshot.to_json(), allow_nan=False))).hash == snapshot.hash
    assert len(hashes) == 1


async def test_a_split_that_takes_effect_that_day_is_applied_to_older_prices(world: World) -> None:
    source = await world(NOW)
    before = await read_equity(source, AMERICAN, date(2024, 6, 7), "post_close")
    opening = await read_equity(source, AMERICAN, SPLIT, "pre_open")
    closing = await read_equity(source, AMERICAN, SPLIT, "post_close")
    assert opening.current_price == pytest.approx(before.current_price / 10, rel=1e-9)
    assert opening.previous_close == pytest.approx((before.previous_close or 0) / 10, rel=1e-9)
    assert closing.previous_close == pytest.approx(before.current_price / 10, rel=1e-9)
    assert before.splits == ()
    assert [split.ratio for split in closing.splits] == [10.0]


async def test_the_latest_moment_can_be_read(world: World) -> None:
    source = await world(NOW)
    snapshot = await read_equity(source, AMERICAN)
    assert snapshot.moment.trade_date == date(2024, 7, 16)
    assert snapshot.moment.trading_session == "post_close"
    assert snapshot.feed == source.name


async def test_layers_without_data_say_why_and_name_no_path(world: World, tmp_path: Path) -> None:
    snapshot = await read_equity(await world(NOW), CHINESE, date(2024, 7, 16))
    for layer in ("filings", "news", "constituents", "macro"):
        assert bool(getattr(snapshot, layer)) != (layer in snapshot.missing), layer
        assert snapshot.missing.get(layer, "said") != ""
    assert str(tmp_path) not in json.dumps(snapshot.to_json())
    assert tmp_path.name not in json.dumps(snapshot.to_json())


@pytest.mark.parametrize(
    ("symbol", "day", "beside"),
    [(AMERICAN, date(2024, 7, 4), ("2024-07-03", "2024-07-05")), (CHINESE, date(2024, 6, 10), ("2024-06-07", "2024-06-11"))],
)
async def test_a_date_without_a_session_names_those_beside_it(world: World, symbol: str, day: date, beside: tuple[str, str]) -> None:
    with pytest.raises(BadInput, match=beside[0]) as caught:
        await read_equity(await world(NOW), symbol, day)
    assert beside[1] in str(caught.value)


@pytest.mark.parametrize(("symbol", "kind"), [("ZZZZ", MarketError), ("bitcoin please", BadInput), ("600028", BadInput), ("", BadInput)])
async def test_a_symbol_that_cannot_be_read_is_one_clear_line(world: World, symbol: str, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        await read_equity(await world(NOW), symbol, date(2024, 7, 16))
    assert "\n" not in str(caught.value)


async def test_a_moment_that_has_not_come_is_refused(world: World) -> None:
    with pytest.raises(MarketError):
        await read_equity(await world(NOW), AMERICAN, date(2024, 7, 18), "post_close")


async def test_an_earlier_timestamp_hides_what_came_after_it(world: World) -> None:
    source = await world(NOW)
    snapshot = await read_equity(source, AMERICAN, date(2024, 7, 16), "pre_open", "2024-07-16 04:00:00")
    assert snapshot.moment.known_at == snapshot.trade_timestamp == datetime(2024, 7, 16, 8, 0, tzinfo=UTC)
    assert all(item.published <= snapshot.moment.known_at for item in snapshot.news)
    with pytest.raises(BadInput, match="before the close"):
        await read_equity(source, AMERICAN, date(2024, 7, 16), "post_close", "2024-07-16 12:00:00")
    with pytest.raises(BadInput, match="trade date"):
        await read_equity(source, AMERICAN, date(2024, 7, 16), "post_close", "2024-07-15 17:00:00")
