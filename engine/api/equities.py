"""The equities desk, beside what every run has: what may be asked, and what its analysts remember.

Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal, and raises a TribunalError
with one clear line when it cannot do what it says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from engine.api.company_previews import CompanyPreviews
from engine.api.equity_chart import CompanyChart, EquityChartMaterial, chart_material
from engine.bootstrap.container import Container
from engine.bootstrap.flows import FLOWS
from engine.domain.chaos import Chaos
from engine.domain.clock import utc_now
from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.errors import BadInput, TribunalError
from engine.domain.market.instrument import FeedName
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from engine.flows.fusion.flow import fusion_request
from engine.flows.fusion.presets import preset_of
from engine.flows.fusion.request import FusionRequest, PresetName, tool_budget
from engine.flows.fusion.stages import ANALYSTS, STAGES
from engine.runs.deps import flow_of
from engine.runs.origins import RECORDED, replayed

if TYPE_CHECKING:
    from engine.flows.fusion.inputs import FusionInputs

FLOW: Final = "fusion"
_WAIT_S: Final = 20.0


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


class EquityDesk:
    """The part of `Engine` that is about the equities desk."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._material = lru_cache(maxsize=16)(self._make_material)
        self._previews = CompanyPreviews(container)

    def depth(self, preset: PresetName, depth: int) -> DepthMeaning:
        """Return what a depth of a preset comes to. Raises KeyError for a preset that there is not."""
        chosen, tools = preset_of(preset), tool_budget(depth)
        if not chosen.debates:
            return DepthMeaning(0, 0, tools, len(chosen.everybody))
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
        return self._previews.read(fusion_request(request))

    def _make_material(self, run_id: str) -> EquityChartMaterial:
        record, inputs = self._container.journal.run(run_id), self.inputs(run_id)
        if record is None or inputs is None:
            raise LookupError(run_id)  # not cached: it may be there a moment later
        return chart_material(inputs, fusion_request(record.request).risk)

    def request(self, symbol: str, **asked: object) -> FusionRequest:
        """Return a run to ask for: what is given, the settings for the rest. Raises BadInput naming what is wrong."""
        from engine.equity.listings import canonical_symbol  # noqa: PLC0415 - no page need wait for companies

        settings = self._container.settings
        if str(asked.get("model") or settings.default_model).startswith(RECORDED):
            return self._recorded(symbol, asked)
        given = {key: value for key, value in asked.items() if value is not None}
        if "data_dir" in given and "feed" not in given and settings.feed != "live":
            given["feed"] = "recorded"
        feed = given.get("feed", settings.default_feed)
        defaults: dict[str, Any] = {
            "feed": feed,
            "data_dir": str(settings.data_dir) if settings.data_dir and feed == "recorded" else None,
            "model": settings.default_model,
            "reader": settings.reader_of(str(given.get("model", settings.default_model))),
            "language": settings.language,
            "correct": settings.correct,
        }
        if isinstance(given.get("chaos"), str):
            roles = tuple(dict.fromkeys(node for stage in STAGES for node in stage))
            given["chaos"] = Chaos.parse(str(given["chaos"]), roles)
        given["risk"] = self._risk(given.get("risk"))
        try:
            request = FusionRequest.model_validate({**defaults, "symbol": canonical_symbol(symbol), **given})
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            raise BadInput(f"{' '.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}") from None
        flow_of(FLOWS, request).admit(request, settings.risk)
        return request

    def analysts(self, preset: PresetName) -> tuple[DeskAnalyst, ...]:
        """Return the analysts of a preset in speaking order, its advisor last."""
        return tuple(DeskAnalyst(each.key, each.title, each.cadence, each.advises) for each in preset_of(preset).everybody)

    def inputs(self, run_id: str) -> "FusionInputs | None":
        """Return what a run was decided on, the company as it was known and the account; None before it is known and for other runs."""
        from engine.flows.fusion.inputs import FusionInputs  # noqa: PLC0415 - as above

        record, kept = self._container.journal.run(run_id), self._container.journal.inputs(run_id)
        return FusionInputs.from_json(kept) if kept is not None and record is not None and record.request.flow == FLOW else None

    def listing(self, symbol: str) -> Listing | None:
        """Return how a symbol is traded by its form, whatever a source calls it; None for a form that no exchange has."""
        from engine.equity.listings import listing_of  # noqa: PLC0415 - as above

        try:
            return listing_of(symbol)
        except BadInput:
            return None

    def listings(self, feed: FeedName, data_dir: str | None = None, seed: int = 0) -> tuple[Listing, ...]:
        """Return what a source can read, empty where that has no end. Raises a MarketError when it cannot be asked."""

        async def ask() -> tuple[Listing, ...]:
            return await self._container.providers.equities(feed, data_dir, seed).listings()

        try:
            return self._container.loop.submit(ask()).result(_WAIT_S)
        except TimeoutError:
            raise TribunalError(f"the {feed} companies did not answer within {_WAIT_S:.0f} s") from None

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
        from engine.equity.listings import canonical_symbol  # noqa: PLC0415 - as above
        from engine.flows.fusion.memory.view import memory_of  # noqa: PLC0415 - as above

        known = [each.key for each in ANALYSTS]
        if analyst is not None and analyst not in known:
            raise BadInput(f"analyst {analyst[:40]!r} is not known; analysts are {', '.join(known)}")
        return memory_of(self._container.journal.memories, canonical_symbol(symbol), analyst, day)

    def _risk(self, given: object) -> object:
        """Return the limits that were asked for; what they leave out is as TRIBUNAL_RISK has it."""
        own = self._container.settings.risk
        if given is None or isinstance(given, RiskConfig):
            return given or own
        return {**own.model_dump(exclude_unset=True), **given} if isinstance(given, Mapping) else given

    def _recorded(self, symbol: str, asked: Mapping[str, object]) -> FusionRequest:
        """Return a run played again, without a model. Raises BadInput for one that is about something else."""
        run_id = str(asked.get("model") or self._container.settings.default_model).removeprefix(RECORDED)
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(f"run {run_id} is not known")
        asked_then = fusion_request(record.request)
        if symbol.strip().upper() != asked_then.symbol.upper():
            raise BadInput(f"run {run_id} is about {asked_then.symbol}, not {symbol}")
        flow = flow_of(FLOWS, asked_then)
        return fusion_request(flow.tighten(replayed(record, flow), self._container.settings.risk))
