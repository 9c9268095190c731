"""What the equities desk can be asked, and what a run of it is about: both are frozen before a model is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from engine.domain.account_ref import MOST_PRACTICE, AccountRef
from engine.domain.broker_capabilities import DEFAULT_BROKER
from engine.domain.calibration import Calibration
from engine.domain.change_of_mind import PreviousDecision
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.inputs import HashedInputs
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.research.evidence import EvidenceItem
from engine.domain.risk import RiskConfig
from engine.domain.run import Attached, Correcting, Lookups, Openings, ReaderMode, RunRequest
from engine.domain.similar import SimilarDecision, SimilarUse
from engine.domain.stability import MOST_REPETITIONS

PresetName = Literal["stock", "index"]
MOST_TOOL_CALLS = 20


class EquitiesRequest(RunRequest):
    """One decision about a listed company or an index.

    trade_date: a session's date; None = the newest the source has. session: before it opens or after it has closed. timestamp: exact
    time (`YYYY-MM-DD HH:MM:SS`, the exchange's zone) after which nothing is known. preset: None = by the instrument. depth: rounds of
    both debates (of an index one less, of its one debate), and what an analyst may spend. tool_calls: executed calls after which an
    analyst's branch is ended; None = `tool_budget`. openings: `together` = the speakers of a debate open at once, none hearing another.
    stability: how often risk judge and trader are asked again before the order is filed; 0 = not at all.
    lookups: `planned` = the calls of an analyst's plan are made before it is asked, and it may still ask for more. evidence: runs whose
    statements analysts are given. practice: which of the broker's accounts, where they are for practice (`AccountRef`). reader: by whom
    claims are struck. correct: whether reports and memories are heard put right too, or only what is said in the debates. calibration: how
    often earlier decisions of the desk and model gained, None where there are too few. similar: what becomes of earlier buys in markets
    like this one.
    """

    flow: Literal["fusion"] = "fusion"
    symbol: str = Field(min_length=1, max_length=40)
    trade_date: date | None = None
    session: SessionMoment = "post_close"
    timestamp: str | None = Field(default=None, max_length=40)
    preset: PresetName | None = None
    depth: int = Field(default=1, ge=1, le=5)
    tool_calls: int | None = Field(default=None, ge=1, le=MOST_TOOL_CALLS)
    openings: Openings = "alternate"
    lookups: Lookups = "asked"
    feed: FeedName = "simulated"
    data_dir: str | None = None
    exchange: str | None = None
    broker: BrokerName = DEFAULT_BROKER
    practice: int = Field(default=0, ge=0, lt=MOST_PRACTICE)
    propose: bool = False
    stability: int = Field(default=0, ge=0, le=MOST_REPETITIONS)
    evidence: Attached = ()
    reader: ReaderMode = "rules"
    correct: Correcting = "after_debate"
    risk: RiskConfig = Field(default_factory=RiskConfig)
    calibration: Calibration | None = None
    similar: SimilarUse = "shown"

    @property
    def subject(self) -> str:
        return self.symbol

    @property
    def candles(self) -> str:
        return "1d"

    @property
    def account_ref(self) -> AccountRef:
        """Where it would be ordered: the account of the listing's currency."""
        from engine.equity.listings import currency_of  # noqa: PLC0415 - pages ask what a request is, not where

        ref = AccountRef(
            broker=self.broker,
            feed=self.feed,
            data_dir=self.data_dir,
            exchange=self.exchange,
            seed=self.seed,
            practice=self.practice,
        )
        currency = currency_of(self.symbol)
        return ref if currency is None else ref.in_currency(currency)

    @property
    def market_clock(self) -> datetime | None:
        """The open or close of the session that was asked for, aware UTC, or the earlier exact time; None = of the newest session. Raises
        BadInput for a date without a session, and for a symbol of no known form."""
        if self.trade_date is None:
            return None
        from engine.equity.listings import listing_of  # noqa: PLC0415 - pages ask what a request is, not when
        from engine.equity.sessions import calendar_of, read_timestamp  # noqa: PLC0415 - as above

        listing = listing_of(self.symbol)
        until = read_timestamp(self.timestamp, listing, self.trade_date) if self.timestamp is not None else None
        return calendar_of(listing.calendar).moment(self.trade_date, self.session, until).known_at


def tool_budget(depth: int) -> int:
    """Return how many tool calls an analyst may have executed at a depth: 5, and from depth 3 on one more for each further round."""
    return max(5, 3 + depth)


@dataclass(frozen=True, eq=False)
class EquitiesInputs(HashedInputs):
    """What was known of the company, and how the account stood. Implements `Inputs`. previous: the decision before about this company,
    where a limit asks for it. similar: earlier buys in markets like this one that were over by the snapshot's moment."""

    snapshot: EquitySnapshot
    account: CashAccount
    evidence: tuple[EvidenceItem, ...] = ()
    previous: PreviousDecision | None = None
    similar: tuple[SimilarDecision, ...] = ()

    kind = "fusion"

    @cached_property
    def unlearnt_hash(self) -> str:
        """The same without the earlier decisions: what the script draws from, and what reports that are used again are known by, so that
        neither depends on what was decided before."""
        return self.hash if not self.similar else replace(self, similar=()).hash

    def to_json(self) -> Mapping[str, Any]:
        """Return plain JSON; `from_json` gives equal inputs back."""
        own: dict[str, Any] = {"snapshot": self.snapshot.to_json(), "account": self.account.model_dump(mode="json")}
        own |= {"previous": self.previous.model_dump(mode="json")} if self.previous is not None else {}
        own |= {"similar": [each.model_dump(mode="json") for each in self.similar]} if self.similar else {}
        return own | ({"evidence": [each.model_dump(mode="json") for each in self.evidence]} if self.evidence else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "EquitiesInputs":
        """Return the inverse of `to_json`. Raises KeyError or ValueError for anything else."""
        evidence = tuple(EvidenceItem.model_validate(each) for each in data.get("evidence", ()))
        previous = PreviousDecision.model_validate(data["previous"]) if data.get("previous") else None
        similar = tuple(SimilarDecision.model_validate(each) for each in data.get("similar", ()))
        return cls(EquitySnapshot.from_json(data["snapshot"]), CashAccount.model_validate(data["account"]), evidence, previous, similar)
