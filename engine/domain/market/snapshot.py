"""Everything that may be known at the instant T. The only truth of a decision, named by the hash of its content."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from engine.domain.change_of_mind import PreviousDecision
from engine.domain.holding import Holding
from engine.domain.inputs import content_hash
from engine.domain.invalidation import Thesis
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import FeedName, Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import AccountView
from engine.domain.research.evidence import EvidenceItem
from engine.domain.similar import SimilarDecision
from engine.domain.text.reason import Reason, stored


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that is known of one market at T.

    at: the clock, aware UTC. candles / candles_htf: closed at T, oldest first. forming / forming_htf: the open candle, where the
    feed knows it; kept apart, never an input of an indicator. price: the last price at T (the forming candle's close, else the
    last closed one). notes: what the feed could not give or had to leave out, in plain words. account: what the broker's account allows,
    None where nothing can be ordered. thesis: why the holding was entered, where that is known. evidence:
    statements of research that were known at T. terms: how the market is traded and what that costs, None where it is not known. similar:
    earlier decisions in markets like this one, whose outcome was known at T. previous: the decision before about this market, where a limit
    asks for it.
    """

    market: Market
    venue: str
    feed: FeedName
    at: datetime
    candles: Candles
    candles_htf: Candles | None
    forming: Candle | None
    forming_htf: Candle | None
    surroundings: Surroundings
    holding: Holding | None
    notes: tuple[str, ...] = ()
    account: AccountView | None = None
    thesis: Thesis | None = None
    evidence: tuple[EvidenceItem, ...] = ()
    terms: MarketTerms | None = None
    previous: PreviousDecision | None = None
    similar: tuple[SimilarDecision, ...] = ()

    @property
    def kind(self) -> str:
        """`market`: what these inputs are."""
        return "market"

    @property
    def timeframe(self) -> Timeframe:
        """The main timeframe."""
        return self.candles.timeframe

    @property
    def timeframe_htf(self) -> Timeframe | None:
        """The higher timeframe, None when the decision has one timeframe only."""
        return self.candles_htf.timeframe if self.candles_htf is not None else None

    @property
    def price(self) -> float:
        """Last price at T, in quote currency."""
        return self.forming.close if self.forming is not None else float(self.candles.close[-1])

    @property
    def price_gap_pct(self) -> float:
        """Last price against the close of the last closed candle, percent."""
        closed = float(self.candles.close[-1])
        return abs(self.price - closed) / closed * 100.0

    @cached_property
    def hash(self) -> str:
        """sha256 of the content, hexadecimal. Equal content has an equal hash on every machine."""
        return content_hash(self.to_json())

    @cached_property
    def unlearnt_hash(self) -> str:
        """The same without the earlier decisions: what the script's choices and lots are drawn from, so that none of them depends on what
        was decided before."""
        return self.hash if not self.similar else replace(self, similar=()).hash

    @property
    def id(self) -> str:
        """Short name of the snapshot."""
        return f"snap-{self.hash[:16]}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON; `from_json` gives an equal snapshot back."""
        return {
            "market": self.market.model_dump(),
            "venue": self.venue,
            "feed": self.feed,
            "at": self.at.astimezone(UTC).isoformat(),
            "timeframe": str(self.timeframe),
            "timeframe_htf": str(self.timeframe_htf) if self.timeframe_htf else None,
            "candles": self.candles.to_columns(),
            "candles_htf": self.candles_htf.to_columns() if self.candles_htf is not None else None,
            "forming": _plain(self.forming),
            "forming_htf": _plain(self.forming_htf),
            "surroundings": self.surroundings.to_json(),
            "holding": self.holding.model_dump(mode="json") if self.holding else None,
            "notes": stored(self.notes),
            **{
                name: noun.model_dump(mode="json")
                for name, noun in (
                    ("account", self.account),
                    ("thesis", self.thesis),
                    ("terms", self.terms),
                    ("previous", self.previous),
                )
                if noun is not None
            },
            **({"similar": [each.model_dump(mode="json") for each in self.similar]} if self.similar else {}),
            **({"evidence": [each.model_dump(mode="json") for each in self.evidence]} if self.evidence else {}),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Snapshot":
        """Return the inverse of `to_json`. Raises KeyError or ValueError for data that is not a snapshot."""
        higher = data["candles_htf"]
        return cls(
            market=Market.model_validate(data["market"]),
            venue=data["venue"],
            feed=data["feed"],
            at=datetime.fromisoformat(data["at"]),
            candles=Candles.from_columns(Timeframe.parse(data["timeframe"]), data["candles"]),
            candles_htf=Candles.from_columns(Timeframe.parse(data["timeframe_htf"]), higher) if higher else None,
            forming=Candle(**data["forming"]) if data["forming"] else None,
            forming_htf=Candle(**data["forming_htf"]) if data["forming_htf"] else None,
            surroundings=Surroundings.model_validate(data["surroundings"]),
            holding=Holding.model_validate(data["holding"]) if data["holding"] else None,
            notes=tuple(map(Reason.read, data["notes"])),
            account=AccountView.model_validate(data["account"]) if data.get("account") else None,
            thesis=Thesis.model_validate(data["thesis"]) if data.get("thesis") else None,
            evidence=tuple(EvidenceItem.model_validate(each) for each in data.get("evidence", ())),
            terms=MarketTerms.model_validate(data["terms"]) if data.get("terms") else None,
            previous=PreviousDecision.model_validate(data["previous"]) if data.get("previous") else None,
            similar=tuple(SimilarDecision.model_validate(each) for each in data.get("similar", ())),
        )


def _plain(candle: Candle | None) -> dict[str, Any] | None:
    return {name: getattr(candle, name) for name in Candle.__slots__} if candle is not None else None
