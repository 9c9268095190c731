"""The Memory Controller: an analyst's reports and what is remembered of them.

    reports, all kept ──(former summary, reports since)──> summary before the open, summary after the close

One controller an analyst. It is given what the journal held of it by the moment of the run (`read_held`), and knows nothing later: every
report and summary is dated by the instant up to which it knew, and only what is dated until then is read. A summary is made from the
former one and the reports since, so its cost does not grow with history. What it leaves is written with the end of the run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from engine.desks.equities.presets import Cadence, EquityAnalyst, preset_of
from engine.desks.equities.stages import ANALYSTS
from engine.desks.equities.state import AnalystMemorySummary
from engine.domain.ended import Memory
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.frozen_model import FrozenModel
from engine.equity.listings import listing_of

FLOW: Final = "fusion"
MOST_REPORTS: Final = 10
"""Reports since the former summary that a new one is made from, the newest ones."""


class DatedReport(FrozenModel):
    """One report. dated: the instant up to which it knew, ISO 8601 UTC. view: the direction, confidence: 0-100, None where it states none.
    source: which data it was made from; another source's is not this company's memory. text: its words, with false numbers corrected.
    on_purpose: it may hold values that are false on purpose. false_claims, checked_claims: how many of its numbers were; unread: of those
    that the rules found false, how many no second reader was asked about. The three are known when the run ends."""

    trade_date: date
    trading_session: SessionMoment
    dated: str
    source: str
    text: str
    direction: str | None = None
    confidence: float | None = None
    on_purpose: str = ""
    false_claims: int = 0
    checked_claims: int = 0
    unread: int = 0


class DatedSummary(FrozenModel):
    """One summary. trade_date, trading_session, dated: of the report it was made with."""

    trade_date: date
    trading_session: SessionMoment
    dated: str
    source: str
    text: str


class HeldMemory(FrozenModel):
    """What the journal held of an analyst. today: of the same date and session. of_day: the last one of that date, until then. before_open:
    the summary that was there before the session of the date opened. newest: the last one of all, until then. since: reports that no
    summary has in it yet, oldest first."""

    today: DatedReport | None = None
    of_day: DatedReport | None = None
    before_open: DatedSummary | None = None
    at_close: DatedSummary | None = None
    newest: DatedSummary | None = None
    since: tuple[DatedReport, ...] = ()


ReadMemories = Callable[..., Sequence[Memory]]
"""(flow, subject, name, until=, limit=) -> memories dated until then, newest first."""


def report_name(analyst: str) -> str:
    """Return the name of an analyst's reports in the journal."""
    return f"{analyst}.report"


def summary_name(analyst: str) -> str:
    """Return the name of an analyst's summaries in the journal."""
    return f"{analyst}.summary"


def read_held(
    read: ReadMemories,
    analyst: str,
    symbol: str,
    trade_date: date,
    session: SessionMoment,
    dated: str | None = None,
    source: str | None = None,
) -> HeldMemory:
    """Return what is held of an analyst by a moment. dated: the instant, None = the end of that date and session. source: the data that
    counts, None = any. Blocking."""
    until = dated or (f"{trade_date + timedelta(days=1)}T" if trade_date < date.max else "9999-12-31T23:59:60")
    reports = [
        DatedReport.model_validate(each.body) for each in read(FLOW, symbol, report_name(analyst), until=until, limit=4 * MOST_REPORTS)
    ]
    summaries = [DatedSummary.model_validate(each.body) for each in read(FLOW, symbol, summary_name(analyst), until=until, limit=4)]
    reports = [each for each in reports if _counts(each, trade_date, session, source)]
    summaries = [each for each in summaries if _counts(each, trade_date, session, source)]
    newest = summaries[0] if summaries else None
    before = next(
        (
            each
            for each in summaries
            if (each.trade_date, each.trading_session) <= (trade_date, "pre_open") and _before_open(each, trade_date)
        ),
        None,
    )
    since = [each for each in reports if newest is None or each.dated > newest.dated][:MOST_REPORTS]
    return HeldMemory(
        today=next((each for each in reports if (each.trade_date, each.trading_session) == (trade_date, session)), None),
        of_day=next((each for each in reports if each.trade_date == trade_date), None),
        before_open=before,
        at_close=next((each for each in summaries if each.trading_session == "post_close"), None),
        newest=newest,
        since=tuple(reversed(since)),
    )


def _counts(each: DatedReport | DatedSummary, trade_date: date, session: SessionMoment, source: str | None) -> bool:
    """Return whether something may be known at a date and session, and is about the same data."""
    later = each.trade_date > trade_date or (
        each.trade_date == trade_date and session == "pre_open" and each.trading_session == "post_close"
    )
    return not later and source in (None, each.source)


def _before_open(each: DatedSummary, trade_date: date) -> bool:
    return each.trade_date < trade_date or each.trading_session == "pre_open"


@dataclass
class MemoryController:
    """The memory of one analyst, about one symbol. held: what the journal gave. saved, summary: what this run adds."""

    analyst: str
    cadence: Cadence
    symbol: str
    held: HeldMemory
    saved: DatedReport | None = None
    summary: DatedSummary | None = None

    def save_today_report(self, report: DatedReport) -> None:
        """Keep a report as that of its date and session; it is written with the end of the run."""
        self.saved = report

    def is_due(self, session: SessionMoment, last_session: date) -> bool:
        """Return whether the summary is stale and there is a report to make it anew with: with every report, at each close, or at the first
        close of a week that has none. Before the open it is stale where the last close, on `last_session`, left none."""
        if self._newest_report() is None:
            return False
        if self.cadence == "report" or (self.cadence == "daily" and session == "post_close"):
            return True
        last = self.held.at_close if session == "post_close" else self.held.newest
        if last is None:
            return True
        if self.cadence == "weekly":
            return last.trade_date.isocalendar()[:2] < last_session.isocalendar()[:2]
        return (last.trade_date, last.trading_session == "post_close") < (last_session, True)

    def _newest_report(self) -> DatedReport | None:
        """Return the report that a new summary would be made with: today's, if no summary has it in it."""
        today = self.held.today
        unsummarised = today is not None and any(each.dated == today.dated for each in self.held.since)
        return self.saved or (today if unsummarised else None)

    def sources(self) -> tuple[str, list[DatedReport]]:
        """Return the former summary ("" = none) and the reports since, today's last: what a new summary is made from."""
        former = self.held.newest.text if self.held.newest is not None else ""
        fresh = [*self.held.since, *([self.saved] if self.saved is not None else [])]
        return former, fresh[-MOST_REPORTS:]

    def save_summary(self, text: str) -> None:
        """Keep a new summary, dated as today's report."""
        of = self._newest_report()
        assert of is not None, "a summary is made with a report"
        self.summary = DatedSummary(
            trade_date=of.trade_date, trading_session=of.trading_session, dated=of.dated, source=of.source, text=text
        )

    def get_memory_summary(self, symbol: str, trade_date: str | date, trading_session: str) -> AnalystMemorySummary:
        """Return the reports and summaries of a date and session. Raises ValueError for a symbol or a moment that this controller was not
        made for: it holds nothing that could answer."""
        day = date.fromisoformat(trade_date) if isinstance(trade_date, str) else trade_date
        if symbol != self.symbol:
            raise ValueError(f"this is the memory of {self.symbol}, not of {symbol}")
        mine = (
            self.saved if self.saved is not None and (self.saved.trade_date, self.saved.trading_session) == (day, trading_session) else None
        )
        report = mine or self.held.today or self.held.of_day
        before, close = self.held.before_open, self.held.at_close
        if self.summary is not None and self.summary.trade_date == day:
            before = self.summary if self.summary.trading_session == "pre_open" else before
            close = self.summary if self.summary.trading_session == "post_close" else close
        return {
            "today_report": report.text if report is not None else "",
            "memory_summary_pre_open": before.text if before is not None else "",
            "memory_summary_post_close": close.text if close is not None else "",
        }

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes the same controller of, before its summary is made."""
        saved = self.saved.model_dump(mode="json") if self.saved is not None else None
        made_from = self.held.model_copy(update={"today": None, "of_day": None} if saved is not None else {})
        return {"held": made_from.model_dump(mode="json"), "saved": saved}

    @classmethod
    def from_json(cls, given: Mapping[str, Any], analyst: str, cadence: Cadence, symbol: str) -> "MemoryController":
        """Return the controller that `to_json` wrote."""
        held, saved = HeldMemory.model_validate(given["held"]), given["saved"]
        return cls(analyst, cadence, symbol, held, DatedReport.model_validate(saved) if saved is not None else None)

    def memories(self) -> list[Memory]:
        """Return what this run adds, for the journal."""
        added: list[tuple[str, Any]] = [(report_name(self.analyst), self.saved), (summary_name(self.analyst), self.summary)]
        return [
            Memory(flow=FLOW, subject=self.symbol, name=name, body=each.model_dump(mode="json"), dated=each.dated)
            for name, each in added
            if each is not None
        ]


def empty_summary() -> AnalystMemorySummary:
    """Return a memory that holds nothing."""
    return {"today_report": "", "memory_summary_pre_open": "", "memory_summary_post_close": ""}


def summary_of(record: Mapping[str, Any]) -> AnalystMemorySummary:
    """Return the memory summary inside an analyst's record."""
    found = record.get("memory") or empty_summary()
    return {
        "today_report": str(found["today_report"]),
        "memory_summary_pre_open": str(found["memory_summary_pre_open"]),
        "memory_summary_post_close": str(found["memory_summary_post_close"]),
    }


_ANY_TIME = "9999"


def memory_of(read: ReadMemories, symbol: str, analyst: str | None, day: date | None) -> dict[str, dict[str, str]]:
    """Return analyst -> its report and summaries as of a date's close, None = as of the newest report that there is. analyst: one of them,
    None = those of the symbol's preset. Blocks. Raises BadInput for a symbol of no known form."""
    wanted = [each for each in ANALYSTS if each.key == analyst] if analyst is not None else list(_analysts_of(symbol))
    newest = max((found for each in wanted if (found := _newest(read, symbol, each.key)) is not None), default=None)
    return {each.key: _summary(read, symbol, each, day or newest) for each in wanted}


def _analysts_of(symbol: str) -> tuple[EquityAnalyst, ...]:
    return preset_of("stock" if listing_of(symbol).kind == "stock" else "index").everybody


def _newest(read: ReadMemories, symbol: str, analyst: str) -> date | None:
    found = read(FLOW, symbol, report_name(analyst), until=_ANY_TIME, limit=1)
    return date.fromisoformat(found[0].body["trade_date"]) if found else None


def _summary(read: ReadMemories, symbol: str, analyst: EquityAnalyst, day: date | None) -> dict[str, str]:
    at = day or date.min
    controller = MemoryController(analyst.key, analyst.cadence, symbol, read_held(read, analyst.key, symbol, at, "post_close"))
    return dict(controller.get_memory_summary(symbol, at, "post_close"))  # type: ignore[arg-type]
