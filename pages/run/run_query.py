"""What a reader looks for among the runs, as the address of the page carries it: `?q=btc&state=waits&from=2026-05-01&page=2`. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, get_args

from engine.domain.run_filter import ListedState, RunFilter

_MOST_TEXT: Final = 200
STATES: Final[tuple[ListedState, ...]] = tuple(state for state in get_args(ListedState) if state != "ended")
"""Those that a reader can choose."""


@dataclass(frozen=True)
class RunQuery:
    """What is in the fields of the page; "" and None = of any kind. first_day, last_day: UTC, both included. page: from 1."""

    text: str = ""
    market: str = ""
    flow: str = ""
    state: ListedState | None = None
    decision: str = ""
    first_day: date | None = None
    last_day: date | None = None
    page: int = 1

    def wanted(self, state: ListedState | None) -> RunFilter:
        """Return what the journal is asked for. state: in place of the reader's."""
        return RunFilter(
            text=self.text,
            market=self.market or None,
            flows=(self.flow,) if self.flow else (),
            state=state,
            decision=self.decision or None,
            since=_midnight(self.first_day) if self.first_day is not None else None,
            until=_midnight(self.last_day + timedelta(days=1)) if self.last_day is not None else None,
        )

    def params(self) -> dict[str, str]:
        """Return the parts of the address that say it; what is of any kind is left out."""
        found = {
            "q": self.text,
            "market": self.market,
            "flow": self.flow,
            "state": self.state or "",
            "decision": self.decision,
            "from": self.first_day.isoformat() if self.first_day is not None else "",
            "to": self.last_day.isoformat() if self.last_day is not None else "",
            "page": str(self.page) if self.page > 1 else "",
        }
        return {name: value for name, value in found.items() if value}


NAMES: Final = ("q", "market", "flow", "state", "decision", "from", "to", "page")
"""The parts of the address."""


def read_query(params: Mapping[str, str]) -> tuple[RunQuery, list[str]]:
    """Return what an address asks for, and its parts that cannot be used, as `state=moon`; those are left out."""
    unusable: list[str] = []

    def read(name: str, make: Callable[[str], object]) -> object:
        value = params.get(name, "")
        try:
            return make(value) if value else None
        except ValueError:
            unusable.append(f"{name}={value[:40]}")
            return None

    first, last, state, page = read("from", _day), read("to", _day), read("state", _state), read("page", _page)
    query = RunQuery(
        text=params.get("q", "")[:_MOST_TEXT],
        market=params.get("market", "")[:_MOST_TEXT],
        flow=params.get("flow", "")[:_MOST_TEXT],
        state=next((known for known in STATES if known == state), None),
        decision=params.get("decision", "")[:_MOST_TEXT],
        first_day=first if isinstance(first, date) else None,
        last_day=last if isinstance(last, date) else None,
        page=page if isinstance(page, int) else 1,
    )
    return query, unusable


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    if not date(2000, 1, 1) <= day <= date(2200, 1, 1):
        raise ValueError("a day far from any run")
    return day


def _state(text: str) -> str:
    if text not in STATES:
        raise ValueError("no such state")
    return text


def _page(text: str) -> int:
    page = int(text)
    if not 1 <= page <= 1_000_000:
        raise ValueError("no such page")
    return page


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
