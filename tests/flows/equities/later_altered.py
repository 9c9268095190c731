"""Whole runs of the desk in two worlds that are the same up to a moment and different in everything after it: prices, splits and dividends,
filings, news, macro figures.

Both worlds are gone through day by day with a journal and an account of their own, in which memories, orders and positions add up. A run
that used anything of what comes later ends in another state.
"""

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.trading_session import SessionMoment, TradingMoment
from engine.domain.risk import RiskConfig
from engine.equity.sessions import calendar_of
from engine.equity.simulation import macro, news
from engine.equity.simulation.filings import CompanyReports
from engine.equity.simulation.prices import CompanyPath
from tests.engine.equity.altered_year import Year
from tests.engine.equity.worlds import write
from tests.flows.answers import state_of
from tests.flows.equities.played import engine_at

if TYPE_CHECKING:
    from engine.api import Engine

Asked = tuple[date, SessionMoment]
RISK = RiskConfig(equity=100_000.0, cooldown_minutes=0, max_orders_per_hour=10_000)
_OF_THE_RUN = frozenset({"created_at", "completed_at", "total_duration_ms"})


@dataclass(frozen=True)
class Pair:
    """The final states of one moment, without what belongs to the run alone: with the real later days, and with altered ones."""

    asked: Asked
    whole: dict[str, Any]
    altered: dict[str, Any]

    @property
    def differing(self) -> list[str]:
        """The fields in which they differ."""
        return sorted(key for key in self.whole.keys() | self.altered.keys() if self.whole.get(key) != self.altered.get(key))


def recorded_pairs(data: Path, folder: Path, asked: Sequence[Asked], dice: random.Random) -> Iterator[Pair]:
    """Pairs over a recording, in the order of `asked`, which has to go forward. data: the real recording. folder: a place of its own."""
    year, altered = Year(data), folder / "altered"
    write(folder / "whole", year.files())
    with ExitStack() as stack:
        engines = [stack.enter_context(closing(engine_on_account(folder / f"home-{place}"))) for place in range(2)]
        for number, (day, session) in enumerate(asked):
            for name, lines in year.files(day, session, dice).items():
                altered.mkdir(exist_ok=True)
                (altered / name).write_text("\n".join(lines))
            states = [
                final_state(engine, "AAPL", day, session, data_dir=str(place))
                for engine, place in zip(engines, (folder / "whole", altered), strict=True)
            ]
            yield Pair(asked[number], *states)


def simulated_pairs(folder: Path, symbol: str, asked: Sequence[Asked]) -> Iterator[Pair]:
    """Pairs over the simulated companies. What a company's history is made of later is altered where it is made."""
    calendar = calendar_of("XSHG" if "." in symbol else "XNYS")
    with closing(engine_on_account(folder / "home-0")) as whole:
        for day, session in asked:
            known = final_state(whole, symbol, day, session)
            with (
                later_is_other(calendar.moment(day, session)),
                closing(engine_on_account(folder / "home-1")) as engine,
            ):  # keeps nothing made before
                yield Pair((day, session), known, final_state(engine, symbol, day, session))


@contextmanager
def later_is_other(moment: TradingMoment) -> Iterator[None]:
    """Make everything that is simulated after a moment another history."""
    last = (moment.last_session - date(1970, 1, 1)).days
    columns, filing, point = CompanyPath.columns, CompanyReports.filing, macro._point

    def other_columns(self: CompanyPath, days: Any) -> Any:
        return tuple(np.where(days > last, column * 1.5, column) for column in columns(self, days))

    def other_filing(self: CompanyReports, number: int, *about: Any) -> Any:
        made = filing(self, number, *about)
        later = self.filed_at(number) > moment.known_at
        return made.model_copy(update={"values": {key: value * 3 for key, value in made.values.items()}}) if later else made

    def other_point(*about: Any) -> Any:
        made = point(*about)
        return made.model_copy(update={"value": made.value * 2 + 1}) if made.published > moment.known_at else made

    def other_items(write_items: Any) -> Any:
        def items(*about: Any) -> Iterator[NewsItem]:
            for item in write_items(*about):
                yield item.model_copy(update={"title": "Altered", "tone": -1.0}) if item.published > moment.known_at else item

        return items

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(CompanyPath, "columns", other_columns))
        stack.enter_context(mock.patch.object(CompanyReports, "filing", other_filing))
        stack.enter_context(mock.patch.object(macro, "_point", other_point))
        for name in ("_talk", "_moves", "_quarters"):
            stack.enter_context(mock.patch.object(news, name, other_items(getattr(news, name))))
        yield


def sessions_of(first: date, last: date, calendar: str = "XNYS") -> list[Asked]:
    """Every session from the first to the last, before the open and after the close in turns."""
    days = calendar_of(calendar).between(first, last)
    return [(day, "pre_open" if place % 2 else "post_close") for place, day in enumerate(days)]


def engine_on_account(home: Path) -> "Engine":
    """An engine whose orders are carried out at once."""
    return engine_at(home, risk=RISK, approval="automatic")


def final_state(engine: "Engine", symbol: str, day: date, session: SessionMoment, **more: Any) -> dict[str, Any]:
    """The final state of one run, without what belongs to this run alone: its name, its times, its folder."""
    run_id = engine.start(engine.equities.request(symbol, trade_date=day, session=session, propose=True, **more))
    state = state_of(engine, run_id)
    assert state["is_valid"], state["errors"]
    record = state["execution_record"] or {}
    names = {run_id: "RUN", str(more.get("data_dir")): "FOLDER", str(record.get("order_id")): "ORDER"}
    text = json.dumps(_without(state))
    for name, instead in names.items():
        text = text.replace(name, instead)
    alike: dict[str, Any] = json.loads(text)
    return alike


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(each) for key, each in value.items() if key not in _OF_THE_RUN}
    return [_without(each) for each in value] if isinstance(value, list) else value
