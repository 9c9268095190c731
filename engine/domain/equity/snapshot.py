"""Everything that may be known of one listed company at one moment. The only truth of a run about it, named by the hash of its content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.frozen_model import FrozenModel
from engine.domain.inputs import content_hash
from engine.domain.market.candles import Candles
from engine.domain.market.instrument import FeedName
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import AccountView
from engine.domain.text.reason import Reason, stored

DAY = Timeframe.parse("1d")


@dataclass(frozen=True, eq=False)
class EquitySnapshot:
    """All that is known of one listing at `moment.known_at`.

    candles: daily, oldest first, `opened_at` 00:00 UTC of the trading date, prices in shares of the trade date (a split that takes effect
    that day is applied, dividends are not), volume in the same shares. current_price: the last session's close, raw as traded but in shares
    of the trade date. previous_close: what that session's change counts from: the close before it, or what the exchange stated instead
    (ex-dividend days); None in the first session. splits, dividends: in effect by the trade date. filings: newest period first. news:
    newest first. missing: layer -> why it is empty. sources: layer -> who gave it. notes: what was left out, in plain words.
    trade_timestamp: the exact time that was asked for, None without one. account: what the broker's account allows, None where nothing can
    be ordered. shares: how many are held, None if not read. intraday: the closed bars of the trade date's session up to `moment.known_at`;
    None at the open and at the close. With them, current_price is the close of the last bar, and previous_close that of the session before.
    """

    listing: Listing
    feed: FeedName
    moment: TradingMoment
    candles: Candles
    current_price: float
    previous_close: float | None
    splits: tuple[Split, ...] = ()
    dividends: tuple[Dividend, ...] = ()
    filings: tuple[Filing, ...] = ()
    news: tuple[NewsItem, ...] = ()
    constituents: tuple[Constituent, ...] = ()
    macro: tuple[MacroSeries, ...] = ()
    sector: str | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trade_timestamp: datetime | None = None
    account: AccountView | None = None
    shares: float | None = None
    intraday: Candles | None = None

    @property
    def kind(self) -> str:
        """`equity`: what these inputs are."""
        return "equity"

    @cached_property
    def hash(self) -> str:
        """sha256 of the content, hexadecimal. Equal content has an equal hash on every machine."""
        return content_hash(self.to_json())

    @property
    def id(self) -> str:
        """Short name of the snapshot."""
        return f"snap-{self.hash[:16]}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON; `from_json` gives an equal snapshot back."""
        return {
            "listing": _plain(self.listing),
            "feed": self.feed,
            "moment": _plain(self.moment),
            "candles": self.candles.to_columns(),
            "current_price": self.current_price,
            "previous_close": self.previous_close,
            **{name: [_plain(item) for item in getattr(self, name)] for name in _LISTS},
            "sector": self.sector,
            "missing": stored(self.missing),
            "sources": dict(self.sources),
            "notes": stored(self.notes),
            "trade_timestamp": self.trade_timestamp.isoformat() if self.trade_timestamp is not None else None,
            "account": _plain(self.account) if self.account is not None else None,
            "shares": self.shares,
            **({"intraday": {str(bars.timeframe): bars.to_columns()}} if (bars := self.intraday) is not None else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "EquitySnapshot":
        """Return the inverse of `to_json`. Raises KeyError or ValueError for data that is no such snapshot."""
        lists: dict[str, Any] = {name: tuple(noun.model_validate(item) for item in data[name]) for name, noun in _LISTS.items()}
        return cls(
            listing=Listing.model_validate(data["listing"]),
            feed=data["feed"],
            moment=TradingMoment.model_validate(data["moment"]),
            candles=Candles.from_columns(DAY, data["candles"]),
            current_price=data["current_price"],
            previous_close=data["previous_close"],
            sector=data["sector"],
            missing={name: Reason.read(why) for name, why in data["missing"].items()},
            sources=dict(data["sources"]),
            notes=tuple(map(Reason.read, data["notes"])),
            trade_timestamp=datetime.fromisoformat(data["trade_timestamp"]) if data["trade_timestamp"] else None,
            account=AccountView.model_validate(data["account"]) if data["account"] else None,
            shares=data["shares"],
            intraday=next((Candles.from_columns(Timeframe.parse(name), each) for name, each in data.get("intraday", {}).items()), None),
            **lists,
        )


_LISTS: Mapping[str, type[FrozenModel]] = {
    "splits": Split,
    "dividends": Dividend,
    "filings": Filing,
    "news": NewsItem,
    "constituents": Constituent,
    "macro": MacroSeries,
}


def _plain(noun: FrozenModel) -> dict[str, Any]:
    return noun.model_dump(mode="json")
