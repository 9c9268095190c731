"""What analysts remember: the Memory Controller, and how its summaries are made.

    reports, all kept ──(former summary, reports since)──> summary before the open, summary after the close

One controller an analyst. It is given what the journal held of it by the moment of the run (`read_held`), and knows nothing later: every
report and summary is dated by the instant up to which it knew, and only what is dated until then is read. A summary is made from the
former one and the reports since, so its cost does not grow with history. What it leaves is written with the end of the run. The summaries
that are due are made in parallel with the research debate, which does not read them.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, TypeVar

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.watch import watch
from engine.desks.equities.answers import prose, read_words
from engine.desks.equities.context import EquitiesContext, MemoryReader
from engine.desks.equities.presets import Cadence, EquityAnalyst, preset_of
from engine.desks.equities.prompts import memory_system
from engine.desks.equities.stages import ANALYSTS
from engine.desks.equities.state import AnalystMemorySummary, FusionState, Json
from engine.domain.ended import Memory
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.events import NodeFinished
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.visible import shortened
from engine.equity.listings import listing_of
from engine.grounding.cited.numbers import NumberIndex, numbers_of
from engine.prompts.fit import sentences, shorten
from engine.prompts.render import quoted

FLOW: Final = "fusion"
NODE: Final = "memory"
_ROLE: Final = "memory_summarizer"
MOST_REPORTS: Final = 10
"""Reports since the former summary that a new one is made from, the newest ones."""
_REPORT_TOKENS, _SUMMARY_TOKENS = 160, 400
"""How much of a report and of a former summary a new summary is made from: its prompt does not grow with history."""
_MOST_LINES: Final = 12
_ANY_TIME: Final = "9999"


class DatedSummary(FrozenModel):
    """One summary. trade_date, trading_session, dated, source: of the report it was made with."""

    trade_date: date
    trading_session: SessionMoment
    dated: str
    source: str
    text: str


class DatedReport(DatedSummary):
    """One report. dated: the instant up to which it knew, ISO 8601 UTC. view: the direction, confidence: 0-100, None where it states none.
    source: which data it was made from; another source's is not this company's memory. text: its words, with false numbers corrected.
    on_purpose: it may hold values that are false on purpose. false_claims, checked_claims: how many of its numbers were; unread: of those
    that the rules found false, how many no second reader was asked about. The three are known when the run ends."""

    direction: str | None = None
    confidence: float | None = None
    on_purpose: str = ""
    false_claims: int = 0
    checked_claims: int = 0
    unread: int = 0


Dated = TypeVar("Dated", bound=DatedSummary)


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


def report_name(analyst: str) -> str:
    """Return the name of an analyst's reports in the journal."""
    return f"{analyst}.report"


def summary_name(analyst: str) -> str:
    """Return the name of an analyst's summaries in the journal."""
    return f"{analyst}.summary"


def summary_node(analyst: str) -> str:
    """Return where the summary of an analyst is made."""
    return f"{analyst}_memory"


def read_held(
    read: MemoryReader,
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

    def counted(kind: type[Dated], name: str, limit: int) -> list[Dated]:
        found = (kind.model_validate(each.body) for each in read(FLOW, symbol, name, until=until, limit=limit))
        return [each for each in found if _counts(each, trade_date, session, source)]

    reports = counted(DatedReport, report_name(analyst), 4 * MOST_REPORTS)
    summaries = counted(DatedSummary, summary_name(analyst), 4)
    newest = next(iter(summaries), None)
    since = [each for each in reports if newest is None or each.dated > newest.dated][:MOST_REPORTS]
    return HeldMemory(
        today=next((each for each in reports if (each.trade_date, each.trading_session) == (trade_date, session)), None),
        of_day=next((each for each in reports if each.trade_date == trade_date), None),
        before_open=next((each for each in summaries if each.trade_date < trade_date or each.trading_session == "pre_open"), None),
        at_close=next((each for each in summaries if each.trading_session == "post_close"), None),
        newest=newest,
        since=tuple(reversed(since)),
    )


def _counts(each: DatedSummary, trade_date: date, session: SessionMoment, source: str | None) -> bool:
    """Return whether something may be known at a date and session, and is about the same data."""
    later = each.trade_date > trade_date or (
        each.trade_date == trade_date and session == "pre_open" and each.trading_session == "post_close"
    )
    return not later and source in (None, each.source)


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
        saved = self.saved
        mine = saved if saved is not None and (saved.trade_date, saved.trading_session) == (day, trading_session) else None
        report = mine or self.held.today or self.held.of_day
        before, close = self.held.before_open, self.held.at_close
        if self.summary is not None and self.summary.trade_date == day:
            before = self.summary if self.summary.trading_session == "pre_open" else before
            close = self.summary if self.summary.trading_session == "post_close" else close
        texts = [each.text if each is not None else "" for each in (report, before, close)]
        return {"today_report": texts[0], "memory_summary_pre_open": texts[1], "memory_summary_post_close": texts[2]}

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
    return {"today_report": "", "memory_summary_pre_open": "", "memory_summary_post_close": ""}


def summary_of(record: Mapping[str, Any]) -> AnalystMemorySummary:
    """Return the memory summary inside an analyst's record."""
    return record.get("memory") or empty_summary()


def memory_of(read: MemoryReader, symbol: str, analyst: str | None, day: date | None) -> dict[str, dict[str, str]]:
    """Return analyst -> its report and summaries as of a date's close, None = as of the newest report that there is. analyst: one of them,
    None = those of the symbol's preset. Blocks. Raises BadInput for a symbol of no known form."""
    if analyst is not None:
        wanted: Sequence[EquityAnalyst] = [each for each in ANALYSTS if each.key == analyst]
    else:
        wanted = preset_of("stock" if listing_of(symbol).kind == "stock" else "index").everybody
    if day is None:
        newest = [kept[0].body for each in wanted if (kept := read(FLOW, symbol, report_name(each.key), until=_ANY_TIME, limit=1))]
        day = max((date.fromisoformat(each["trade_date"]) for each in newest), default=date.min)
    found: dict[str, dict[str, str]] = {}
    for each in wanted:
        controller = MemoryController(each.key, each.cadence, symbol, read_held(read, each.key, symbol, day, "post_close"))
        found[each.key] = dict(controller.get_memory_summary(symbol, day, "post_close"))  # type: ignore[arg-type]
    return found


def are_due(state: FusionState) -> bool:
    """Return whether an analyst's summary is to be made anew."""
    return any(record.get("due") for record in state["analysts"].values())


async def memory_node(state: FusionState, runtime: Runtime[EquitiesContext]) -> Json:
    """Make every summary that is due, and put it into its analyst's record and memory."""
    context, moment = runtime.context, runtime.context.snapshot.moment
    symbol, cadences = context.snapshot.listing.symbol, {analyst.key: analyst.cadence for analyst in context.preset.everybody}
    controllers = {
        key: MemoryController.from_json(record["due"], key, cadences[key], symbol)
        for key, record in state["analysts"].items()
        if record.get("due")
    }
    await asyncio.gather(*(summarise(controller, context) for controller in controllers.values()))
    update: dict[str, Any] = {"analysts": {}}
    for key, controller in controllers.items():
        memory = controller.get_memory_summary(symbol, moment.trade_date, moment.trading_session)
        memories = [each.model_dump(mode="json") for each in controller.memories()]
        record = {**state["analysts"][key], "memory": memory, "memories": memories, "due": None}
        update["analysts"][key] = record
        if context.preset.debates:
            update[f"{key}_analyst_summary"] = summary_of(record)
    return update


async def summarise(controller: MemoryController, context: EquitiesContext) -> None:
    """Have the controller's summary made anew. Without a usable answer the former one stays, and the next report tries again."""
    node = summary_node(controller.analyst)
    with watch(context.access.emit, node, NODE) as watched:
        former, since = controller.sources()
        if context.scripted:
            controller.save_summary(extract(former, since))
            watched.data = NodeFinished(result={"made": "extractive", "reports": len(since)})
            return
        reports = [quoted(f"{each.trade_date} {each.trading_session}", shorten(prose(each.text), _REPORT_TOKENS)) for each in since]
        user = "\n\n".join([quoted("former summary", shorten(former, _SUMMARY_TOKENS)) if former else "(no former summary)", *reports])
        try:
            spoken = await ask(context.access, Question(_ROLE, memory_system(context.language), user, node=node), read_words)
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "abstains")
            return
        said = supported(spoken.text, [former, *(f"{each.trade_date} {each.trading_session}\n{each.text}" for each in since)])
        controller.save_summary(shorten(said, _SUMMARY_TOKENS) or shortened(said, 2000) or extract(former, since))
        made = "model" if said else "extractive"
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"made": made, "reports": len(since)})


def supported(summary: str, sources: Sequence[str]) -> str:
    """Return a summary without the sentences that state a number which none of its sources holds. Pure."""
    held = NumberIndex("\n".join(sources))

    def holds(sentence: str) -> bool:
        return all(held.holds(found.number) for found in numbers_of(sentence))

    lines = (" ".join(filter(holds, sentences(line))) for line in summary.splitlines())
    return "\n".join(line for line in lines if line)


def extract(former: str, since: list[DatedReport]) -> str:
    """Return a summary of picked sentences, a line a report (the first sentence with a figure), newest last, at most twelve. Pure."""
    lines = [line for line in former.splitlines() if line.strip()]
    for report in since:
        line = _line(report)
        if line not in lines:
            lines.append(line)
    return "\n".join(lines[-_MOST_LINES:])


def _line(report: DatedReport) -> str:
    view = f" {report.direction} {report.confidence:g}" if report.direction and report.confidence is not None else ""
    said = sentences(prose(report.text))
    chosen = next((each for each in said if any(sign.isdigit() for sign in each)), said[0] if said else "")
    return f"{report.trade_date} {report.trading_session}{view}: {shortened(chosen, 240)}"
