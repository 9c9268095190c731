"""Decisions, beside what every run has: what may be asked, the markets there are, the chart of a run, and what would have been decided
without corrections.

Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal (but for `markets`,
`later_candles` and `without_corrections`), and raises a TribunalError with one clear line when it cannot do what it says.
"""

import asyncio
import difflib
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from engine.agents.reader_nodes import is_reader
from engine.api.market_previews import MarketPreview, MarketPreviews
from engine.api.seats import seats_of
from engine.api.shared_polling import PATIENCE_S, SharedPolling
from engine.approvals.own_position import signed_levels_at
from engine.bootstrap.container import Container
from engine.bootstrap.flows import FLOWS
from engine.domain.chaos import Chaos
from engine.domain.errors import BadInput, TribunalError
from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import FeedName, Market
from engine.domain.market.snapshot import Snapshot
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import DecideRequest, RunRecord, RunRequest
from engine.domain.text.language import Language
from engine.flows.decision.analysts import ANALYSTS
from engine.flows.decision.flow import decision_of
from engine.flows.decision.paths import POSITION, path_of
from engine.flows.protocol import Flow
from engine.journal.store import Journal
from engine.market.hindsight import candles_so_far, later_candles
from engine.market.protocol import CandleReading
from engine.runs.deps import flow_of
from engine.runs.origins import RECORDED, replayed

_MARKETS_WAIT_S: Final = 20.0
_MOST_SO_FAR: Final = 500
_CANDLES_PACE_S: Final = 5.0

Result = TypeVar("Result")


@dataclass(frozen=True)
class ChartMaterial:
    """What a chart of a run is drawn from.

    series: key of a fact -> one value a candle, None where it is not known. forming: the open candle. stop, target: of the position that
    was held when it began, quote units; None where there is none, or it is not known here.
    """

    candles: Candles
    series: Mapping[str, list[float | None]]
    forming: Candle | None
    market: Market
    sheet: FactSheet
    stop: float | None = None
    target: float | None = None


@dataclass(frozen=True)
class AnalystCard:
    """How an analyst is named on pages, in each language."""

    key: str
    title: Mapping[Language, str]


def _roles() -> tuple[Role, ...]:
    """Return who speaks about the market in a decision, in speaking order."""
    seats = seats_of(DecideRequest.model_fields["flow"].default)
    return tuple(dict.fromkeys(seat.role for node, seat in seats.items() if not is_reader(node)))


class Decisions:
    """The part of `Engine` that is about decisions."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._material = lru_cache(maxsize=16)(self._make_material)
        self._previews = MarketPreviews(container)
        self._spans = lru_cache(maxsize=256)(self._read_spans)
        self._so_far: SharedPolling[CandleReading] = SharedPolling(container.loop.submit)

    @property
    def analysts(self) -> tuple[AnalystCard, ...]:
        """The analysts of this installation, in the order they are shown."""
        return tuple(AnalystCard(analyst.key, analyst.title) for analyst in ANALYSTS)

    def request(self, symbol: str, **asked: object) -> DecideRequest:
        """Return a decision to ask for: what is given, the settings for the rest. Raises BadInput naming what is wrong."""
        settings = self._container.settings
        with suppress(BadInput):  # what cannot be read is refused where the feed is asked for it
            symbol = Market.parse(symbol).symbol
        if str(asked.get("model") or settings.default_model).startswith(RECORDED):
            return self._recorded(symbol, asked)
        given = {key: value for key, value in asked.items() if value is not None or key == "timeframe_htf"}
        defaults: dict[str, Any] = {
            "feed": settings.default_feed,
            "data_dir": str(settings.data_dir) if settings.data_dir else None,
            "exchange": settings.exchange,
            "model": settings.default_model,
            "reader": settings.reader_of(str(given.get("model", settings.default_model))),
            "language": settings.language,
            "correct": settings.correct,
            "vision": settings.vision,
            "broker": settings.broker if given.get("feed", settings.default_feed) == "live" else "paper",
        }
        if isinstance(given.get("chaos"), str):
            given["chaos"] = Chaos.parse(str(given["chaos"]), _roles())
        if "data_dir" in given and "feed" not in given and settings.feed != "live":
            given["feed"] = "recorded"
        given["risk"] = self._risk(given.get("risk"))
        try:
            request = DecideRequest.model_validate({**defaults, "symbol": symbol, **given})
        except ValidationError as problem:
            raise BadInput(_in_one_line(problem)) from None
        return self._within(request)

    def _risk(self, given: object) -> object:
        """Return the limits that were asked for; what they leave out is as TRIBUNAL_RISK has it."""
        if isinstance(given, RiskConfig):
            given = given.model_dump(exclude_unset=True)
        if given is None:
            return self._container.settings.risk
        return {**self._container.settings.risk.model_dump(exclude_unset=True), **given} if isinstance(given, Mapping) else given

    def _within(self, request: RunRequest) -> DecideRequest:
        """Return the request. Raises BadInput when it asks for more than TRIBUNAL_RISK allows."""
        flow_of(FLOWS, request).admit(request, self._container.settings.risk)
        return decision_of(request)

    def _recorded(self, symbol: str, asked: Mapping[str, object]) -> DecideRequest:
        """Return a run played again, without a model: everything is its own but the risk limits, when they are given."""
        run_id = str(asked.get("model") or self._container.settings.default_model).removeprefix(RECORDED)
        record = require_run(self._container.journal, run_id)
        decided = decision_of(record.request)
        if symbol != decided.symbol:
            raise BadInput(f"run {run_id} is about {decided.symbol}, not {symbol}")
        own, flow = asked.get("risk"), flow_of(FLOWS, decided)
        if own is None:
            return decision_of(flow.tighten(replayed(record, flow), self._container.settings.risk))
        return self._within(replayed(record, flow, {"risk": self._risk(own)}))

    def without_corrections(self, run_id: str) -> RunRecord:
        """Ask a finished run's executor once more, without the corrections, and keep the comparison in its result as `did_it_matter`.

        Asked before, it is not asked again. Blocks for one model call. Raises BadInput for a run that has no decision to compare.
        """
        from engine.flows.decision.ablation import without_corrections  # noqa: PLC0415 - it brings the flow, which no page need wait for

        record = self._container.journal.run(run_id)
        if record is None or record.result is None:
            raise BadInput(f"run {run_id} has no decision yet")
        decision_of(record.request)
        final = record.result
        if final.get("did_it_matter"):
            return record

        async def work(_: Flow, context: Any) -> dict[str, Any]:
            return {**final, "did_it_matter": await without_corrections(final, context)}

        return self._container.runner.revise(record, work, self._container.settings.call_deadline_s + _MARKETS_WAIT_S)

    def chart(self, run_id: str) -> ChartMaterial | None:
        """Return what the run's chart is drawn from, None before its snapshot is known."""
        try:
            return self._material(run_id)
        except LookupError:
            return None

    def market_preview(self, request: DecideRequest) -> MarketPreview | None:
        """Return the market as it is before a decision is asked for; None while it is being read. Raises a TribunalError where it cannot
        be."""
        return self._previews.read(request)

    def stated(self, run_id: str, text: str) -> tuple[tuple[int, int], ...]:
        """Return where a text of a run states values that grounding would check, as spans of code points; none before its snapshot is
        known. Nothing is judged."""
        return self._spans(run_id, text) if text and self.chart(run_id) is not None else ()

    def _read_spans(self, run_id: str, text: str) -> tuple[tuple[int, int], ...]:
        from engine.grounding.reading import read_claims  # noqa: PLC0415 - all its words, and no page need wait for them
        from engine.grounding.tables.crypto import CRYPTO  # noqa: PLC0415 - late, as above

        claims = read_claims(text, self._material(run_id).sheet, "", table=CRYPTO)
        return tuple((claim.value_start, claim.value_end) for claim in claims)

    def _make_material(self, run_id: str) -> ChartMaterial:
        from engine.facts.series import indicator_series  # noqa: PLC0415 - no page need wait for TA-Lib
        from engine.facts.sheet import build_sheet  # noqa: PLC0415 - late, as above

        snapshot = self._container.journal.snapshot(run_id)
        if snapshot is None:
            raise LookupError(run_id)  # not cached: it may be there a moment later
        lines = indicator_series(snapshot.candles, snapshot.candles_htf)
        stop, target = self._levels(run_id, snapshot)
        return ChartMaterial(snapshot.candles, lines, snapshot.forming, snapshot.market, build_sheet(snapshot), stop, target)

    def _levels(self, run_id: str, snapshot: Snapshot) -> tuple[float | None, float | None]:
        """Return stop and target of the position that a run began with, as they had been signed by then."""
        record, account, thesis = self._container.journal.run(run_id), snapshot.account, snapshot.thesis
        if record is None or account is None or snapshot.holding is None:
            return None, None
        symbol = snapshot.market.symbol
        stop, target = account.stops.get(symbol), None
        if thesis is not None:
            signed = signed_levels_at(self._container.journal, account.account, symbol, thesis.run_id, run_id, record.created_at)
            stop = stop if stop is not None or signed[0] is None else float(signed[0])
            target = float(signed[1]) if signed[1] is not None else None
        return stop, target

    def later_candles(self, run_id: str, most: int) -> Candles | None:
        """Return up to `most` candles after the decision, as far as a recorded or simulated market knows them; None for a live market.

        Raises BadInput for a run without a snapshot, and a MarketError when the market cannot be read any more.
        """
        request, snapshot = decision_of(require_run(self._container.journal, run_id).request), self._container.journal.snapshot(run_id)
        if snapshot is None:
            raise BadInput(f"run {run_id} has no snapshot")
        if request.feed == "live":
            return None
        return self._ask(later_candles(self._container.providers.feed(request), snapshot, most), request.feed)

    def candles_so_far(self, run_id: str) -> CandleReading | None:
        """Return the candles that have closed since a run's snapshot, and the open one, as they were seen last. None before they were, and
        where the market stands still: a recording, or a decision about an instant of the past. The market is looked at once for all who
        ask, every few seconds while somebody does; nothing is raised when it does not answer."""
        request = decision_of(require_run(self._container.journal, run_id).request)
        if request.feed == "recorded" or request.market_clock is not None:
            return None

        async def read_so_far() -> CandleReading:
            snapshot = await asyncio.to_thread(self._container.journal.snapshot, run_id)
            if snapshot is None:
                raise BadInput(f"run {run_id} has no snapshot")
            return await candles_so_far(self._container.providers.feed(request), snapshot, _MOST_SO_FAR)

        return self._so_far.poll(run_id, read_so_far, pace_s=_CANDLES_PACE_S, first_s=PATIENCE_S).seen

    def markets(self, feed: FeedName, data_dir: str | None = None, exchange: str | None = None) -> tuple[Market, ...]:
        """Return markets a feed can read. Raises a MarketError when it cannot be asked."""
        request = self.request("BTC/USDT", feed=feed, data_dir=data_dir, exchange=exchange)

        async def ask() -> tuple[Market, ...]:
            return await self._container.providers.feed(request).markets()

        return self._ask(ask(), feed)

    def _ask(self, question: Coroutine[Any, Any, Result], feed: FeedName) -> Result:
        try:
            return self._container.loop.submit(question).result(_MARKETS_WAIT_S)
        except TimeoutError:
            raise TribunalError(f"the {feed} feed did not answer within {_MARKETS_WAIT_S:.0f} s") from None


def require_run(journal: Journal, run_id: str) -> RunRecord:
    """Return a run with its result. Raises BadInput when there is none of that id."""
    record = journal.run(run_id)
    if record is None:
        raise BadInput(f"run {run_id} is not known")
    return record


_MOST_NAMED = 8
_KNOWN_KEYS = {"risk": tuple(RiskConfig.model_fields), "position": tuple(Holding.model_fields)}


def _in_one_line(problem: ValidationError) -> str:
    """Return what is wrong with a request: where, what, and what would be right."""
    first = problem.errors(include_input=False, include_url=False)[0]
    place = [str(part) for part in first["loc"]]
    place[0] = {"holding": "position", "timeframe_htf": "higher timeframe"}.get(place[0], place[0])
    keys = _KNOWN_KEYS.get(place[0], ())
    near = difflib.get_close_matches(place[-1], keys, n=4, cutoff=0.4) if len(keys) > _MOST_NAMED else keys
    known = ", ".join(near or keys[:_MOST_NAMED]) + (", ... (all in the README)" if len(keys) > _MOST_NAMED else "")
    if first["type"] == "extra_forbidden":
        return f"{place[0]} has no key {place[-1]!r}; its keys are {known}"
    if first["type"] == "missing":
        return f"{place[0]} lacks {place[-1]!r}; its keys are {known}"
    return f"{' '.join(place)}: {first['msg'][0].lower()}{first['msg'][1:]}"


def field_of_path(state: Mapping[str, Any], field: str) -> Any:
    """Return what a final state has in a field of the path it took; None where that path did not come so far."""
    return state.get(path_of(state.get("execution_path") == POSITION.name).key(field))
