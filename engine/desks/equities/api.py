"""What `Engine` offers of the equities desk: what may be asked, its companies, the chart of a run, and what its analysts remember."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final

from engine.bootstrap.container import Container
from engine.brokers import broker_for, require_broker
from engine.desks.desk import WAIT_S, DeskApi
from engine.desks.equities.chart_material import CompanyChart, EquityChartMaterial, chart_material, company_chart
from engine.desks.equities.flow import EquitiesFlow
from engine.desks.equities.presets import preset_of
from engine.desks.equities.request import EquitiesInputs, EquitiesRequest, PresetName, tool_budget
from engine.desks.equities.stages import ANALYSTS, STAGES
from engine.domain.claims import Claim
from engine.domain.clock import utc_now
from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.domain.market.instrument import FeedName
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.runs.kept_readings import KeptReadings

_BARS_BEFORE: Final = 500


@dataclass(frozen=True)
class DeskAnalyst:
    """An analyst as pages name it. cadence: when its summary is made anew. advises: it speaks after all others."""

    key: str
    title: Mapping[Language, str]
    cadence: str
    advises: bool


@dataclass(frozen=True)
class DepthMeaning:
    """What a depth comes to. research_turns, risk_turns: speeches in either debate. tool_calls: executed ones after which an analyst is
    stopped. model_calls: answers of the run without those that ask for a tool; a report that is reused saves its own."""

    research_turns: int
    risk_turns: int
    tool_calls: int
    model_calls: int


class EquityDesk(DeskApi[EquitiesRequest]):
    """The equities desk."""

    flow = EquitiesFlow()
    request_type = EquitiesRequest

    def __init__(self, container: Container) -> None:
        super().__init__(container)
        self._material = lru_cache(maxsize=16)(self._make_material)
        self._others = lru_cache(maxsize=16)(self._others_held)
        self._previews = KeptReadings[CompanyChart](container.loop.submit)

    def depth(self, preset: PresetName, depth: int) -> DepthMeaning:
        """Return what a depth of a preset comes to. Raises KeyError for a preset that there is not."""
        chosen, tools = preset_of(preset), tool_budget(depth)
        if not chosen.debates:
            return DepthMeaning(2 * (depth - 1), 0, tools, len(chosen.everybody) + 2 * (depth - 1))
        return DepthMeaning(2 * depth, 3 * depth, tools, len(chosen.everybody) + 5 * depth + 3)

    def chart(self, run_id: str) -> EquityChartMaterial | None:
        """Return what the run's chart is drawn from, None before its inputs are known."""
        try:
            return self._material(run_id)
        except LookupError:
            return None

    def preview(self, request: RunRequest) -> CompanyChart | None:
        """Return the company as it is before a decision is asked for; None while it is being read. Raises a TribunalError where it cannot
        be."""
        asked = self.own(request)
        seed = asked.seed if asked.feed == "simulated" else 0
        key = (asked.feed, asked.data_dir, asked.symbol, asked.trade_date, asked.session, asked.timestamp, seed)
        return self._previews.read(asked.symbol, key, lambda: self._read_preview(asked))

    async def _read_preview(self, asked: EquitiesRequest) -> CompanyChart:
        from engine.equity.snapshot import read_equity  # noqa: PLC0415 - no page need wait for companies

        source = self._container.providers.equities(asked.feed, asked.data_dir, asked.seed)
        return company_chart(await read_equity(source, asked.symbol, asked.trade_date, asked.session, asked.timestamp, _BARS_BEFORE))

    def _make_material(self, run_id: str) -> EquityChartMaterial:
        record, inputs = self._container.journal.run(run_id), self.inputs(run_id)
        if record is None or inputs is None:
            raise LookupError(run_id)  # not cached: it may be there a moment later
        return chart_material(inputs, self.own(record.request).risk)

    def request(self, symbol: str, **asked: object) -> EquitiesRequest:
        """Return a run to ask for: what is given, the settings for the rest. Raises BadInput naming what is wrong."""
        from engine.equity.listings import canonical_symbol  # noqa: PLC0415 - no page need wait for companies

        if (record := self.recorded_run(asked)) is not None:
            asked_then = self.own(record.request)
            if symbol.strip().upper() != asked_then.symbol.upper():
                raise BadInput(Reason("run_is_about", run_id=record.run_id, symbol=asked_then.symbol, symbol2=symbol))
            return self.played_again(record)
        given, day = dict(asked), asked.get("trade_date")
        if given.get("timestamp"):
            from engine.equity.listings import listing_of  # noqa: PLC0415 - as above
            from engine.equity.sessions import local_time, session_at  # noqa: PLC0415 - as above

            at, listing = str(given["timestamp"]), listing_of(symbol)
            if day is None:
                given["trade_date"] = day = local_time(at, listing).date()
            if given.get("session") is None and isinstance(day, date):
                given["session"] = session_at(at, listing, day)
        roles = tuple(dict.fromkeys(node for stage in STAGES for node in stage))
        settings = self._container.settings
        defaults = {"broker": broker_for(settings.broker, str(given.get("feed") or settings.default_feed), shares=True)}
        request = self.make(given, roles, defaults, symbol=canonical_symbol(symbol))
        require_broker(request.broker, shares=True)
        return request

    def usual_requests(self) -> list[EquitiesRequest]:
        """Return runs about a company in five simulated markets."""
        return [self.request("AAPL", feed="simulated", model="scripted", seed=seed) for seed in range(1, 6)]

    def facts_of(self, run_id: str, result: Mapping[str, Any]) -> tuple[FactSheet, str] | None:
        """Return the facts of a run's company and account."""
        material = self.chart(run_id)
        return None if material is None else (material.sheet, "equity")

    def history_of(self, run_id: str) -> Mapping[str, Sequence[float | None]]:
        """Return what the snapshot of a run's company tells of the past."""
        from engine.facts.change import company_history  # noqa: PLC0415 - no page need wait for TA-Lib

        inputs = self.inputs(run_id)
        return company_history(inputs.snapshot) if inputs is not None else {}

    def settled(self, run_id: str, text: str, claims: Sequence[Claim]) -> Sequence[Claim]:
        """Return claims; one that may be about another position of the account cannot be checked."""
        from engine.desks.equities.checking import of_its_company  # noqa: PLC0415 - it brings the roles, which no page need wait for

        return of_its_company(claims, text, self._others(run_id)) if any(claim.verdict == "false" for claim in claims) else claims

    def _others_held(self, run_id: str) -> frozenset[str]:
        from engine.desks.equities.checking import others_held  # noqa: PLC0415 - late, as above

        inputs = self.inputs(run_id)
        return others_held(inputs.account.positions, inputs.snapshot.listing.symbol) if inputs is not None else frozenset()

    def analysts(self, preset: PresetName) -> tuple[DeskAnalyst, ...]:
        """Return the analysts of a preset in speaking order, its advisor last."""
        return tuple(DeskAnalyst(each.key, each.title, each.cadence, each.advises) for each in preset_of(preset).everybody)

    def inputs(self, run_id: str) -> EquitiesInputs | None:
        """Return what a run was decided on, the company as it was known and the account; None before it is known and for other runs."""
        record, kept = self._container.journal.run(run_id), self._container.journal.inputs(run_id)
        return EquitiesInputs.from_json(kept) if kept is not None and record is not None and record.request.flow == self.flow.name else None

    def listing(self, symbol: str) -> Listing | None:
        """Return how a symbol is traded by its form, whatever a source calls it; None for a form that no exchange has."""
        from engine.equity.listings import listing_of  # noqa: PLC0415 - as above

        try:
            return listing_of(symbol)
        except BadInput:
            return None

    def listings(self, feed: FeedName, data_dir: str | None = None, seed: int = 0) -> tuple[Listing, ...]:
        """Return what a source can read, empty where that has no end. Raises a MarketError when it cannot be asked."""
        source = self._container.providers.equities(feed, data_dir, seed)
        return self.wait_for(source.listings(), Reason("companies_did_not_answer_within_s", feed=feed, wait_s=f"{WAIT_S:.0f}"))

    def known_at(self, symbol: str, day: date | None = None, trading_session: SessionMoment = "post_close") -> datetime:
        """Return the instant after which a run about a date knows nothing, aware UTC. day: None = of the last session that is over.
        The first call takes a moment. Raises BadInput for a symbol of no known form and for a date without a session."""
        from engine.equity.listings import listing_of  # noqa: PLC0415 - as above
        from engine.equity.sessions import calendar_of  # noqa: PLC0415 - it brings pandas

        calendar = calendar_of(listing_of(symbol).calendar)
        return calendar.moment(day or calendar.last_closed(utc_now()).date, trading_session).known_at

    def memory(self, symbol: str, analyst: str | None = None, day: date | None = None) -> dict[str, dict[str, str]]:
        """Return what the analysts remember of a symbol: analyst -> report and summaries, as of a date's close; None = as of the newest
        report. Raises BadInput for an analyst that there is not."""
        from engine.desks.equities.memory import memory_of  # noqa: PLC0415 - as above
        from engine.equity.listings import canonical_symbol  # noqa: PLC0415 - as above

        known = [each.key for each in ANALYSTS]
        if analyst is not None and analyst not in known:
            raise BadInput(Reason("analyst_is_not_known", analyst=f"{analyst[:40]!r}", known=", ".join(known)))
        return memory_of(self._container.journal.memories, canonical_symbol(symbol), analyst, day)
