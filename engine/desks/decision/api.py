"""What `Engine` offers of the decision desk: what may be asked, the markets there are, the chart of a run, and what would have been
decided without corrections. `markets`, `later_candles` and `without_corrections` wait for a market or a model."""

import asyncio
import difflib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError

from engine.agents.reader_nodes import is_reader
from engine.bootstrap.container import Container
from engine.brokers import broker_for, require_broker
from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.comparisons import all_arms, arms_of
from engine.desks.decision.flow import DecisionFlow
from engine.desks.decision.paths import POSITION, path_of
from engine.desks.desk import WAIT_S, DeskApi
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import USUAL_MARKETS, FeedName, Market, usual_of
from engine.domain.market.timeframe import Timeframe
from engine.domain.risk import RiskConfig
from engine.domain.run import DecideRequest, RunRecord
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow
from engine.market.hindsight import candles_so_far, later_candles
from engine.market.protocol import CandleReading
from engine.runs.kept_readings import KeptReadings
from engine.runs.shared_polling import PATIENCE_S, SharedPolling

_MOST_SO_FAR: Final = 500
_CANDLES_PACE_S: Final = 5.0
_MOST_NAMED = 8
_KNOWN_KEYS = {"risk": tuple(RiskConfig.model_fields), "position": tuple(Holding.model_fields)}
_BARS_BEFORE: Final = 500


@dataclass(frozen=True)
class MarketPreview:
    """A market's closed candles up to the instant a decision would be about, oldest first, and the open one where the feed knows it.
    series: key of a fact -> one value a candle, None where it is not known."""

    market: Market
    candles: Candles
    forming: Candle | None
    series: Mapping[str, list[float | None]]


@dataclass(frozen=True)
class ChartMaterial(MarketPreview):
    """What a chart of a run is drawn from. stop, target: of the position that was held when it began, quote units; None if nothing was, or
    it is not known here."""

    sheet: FactSheet
    stop: float | None = None
    target: float | None = None


@dataclass(frozen=True)
class AnalystCard:
    """How an analyst is named on pages, in each language."""

    key: str
    title: Mapping[Language, str]


def _late(feed: FeedName) -> Reason:
    return Reason("feed_did_not_answer_within_s", feed=feed, markets_wait_s=f"{WAIT_S:.0f}")


class Decisions(DeskApi[DecideRequest]):
    """The decision desk."""

    flow = DecisionFlow()
    request_type = DecideRequest

    def __init__(self, container: Container) -> None:
        super().__init__(container)
        self._material = lru_cache(maxsize=16)(self._make_material)
        self._previews = KeptReadings[MarketPreview](container.loop.submit)
        self._spans = lru_cache(maxsize=256)(self._read_spans)
        self._so_far: SharedPolling[CandleReading] = SharedPolling(container.loop.submit)

    @property
    def analysts(self) -> tuple[AnalystCard, ...]:
        """The analysts of this installation, in the order they are shown."""
        return tuple(AnalystCard(analyst.key, analyst.title) for analyst in ANALYSTS)

    def request(self, symbol: str, **asked: object) -> DecideRequest:
        """Return a decision to ask for: what is given, the settings for the rest; of a run that is played again without a model everything
        is its own but the risk limits. Raises BadInput naming what is wrong."""
        with suppress(BadInput):  # what cannot be read is refused where the feed is asked for it
            symbol = Market.parse(symbol).symbol
        if (record := self.recorded_run(asked)) is not None:
            decided, limits = self.own(record.request), asked.get("risk")
            if symbol != decided.symbol:
                raise BadInput(Reason("run_is_about", run_id=record.run_id, symbol=decided.symbol, symbol2=symbol))
            return self.played_again(record, None if limits is None else {"risk": self.limits(limits)})
        settings = self._container.settings
        own: dict[str, Any] = {"symbol": symbol}
        if "timeframe_htf" in asked:  # None is a choice here: one timeframe only
            own["timeframe_htf"] = asked["timeframe_htf"]
        defaults = {
            "data_dir": str(settings.data_dir) if settings.data_dir else None,
            "exchange": settings.exchange,
            "vision": settings.vision,
            "broker": broker_for(settings.broker, str(asked.get("feed") or settings.default_feed), shares=False),
        }
        roles = dict.fromkeys(seat.role for seat in self.flow.seats() if not is_reader(seat.node))
        request = self.make(asked, tuple(roles), defaults, **own)
        require_broker(request.broker, shares=False)
        return request

    def usual_requests(self) -> list[DecideRequest]:
        """Return decisions about five simulated markets."""
        return [self.request("BTC/USDT:USDT", feed="simulated", model="scripted", seed=seed) for seed in range(1, 6)]

    def facts_of(self, run_id: str, result: Mapping[str, Any]) -> tuple[FactSheet, str] | None:
        """Return the facts of a decision's market."""
        material = self.chart(run_id)
        return None if material is None else (material.sheet, str(result.get("execution_path") or "entry"))

    def history_of(self, run_id: str) -> Mapping[str, Sequence[float | None]]:
        """Return what the snapshot of a decision tells of the past."""
        from engine.facts.change import market_history  # noqa: PLC0415 - no page need wait for TA-Lib

        snapshot = self._container.journal.snapshot(run_id)
        return market_history(snapshot) if snapshot is not None else {}

    def in_one_line(self, problem: ValidationError) -> str:
        """Return what is wrong with a request: where, what, and what would be right."""
        first = problem.errors(include_input=False, include_url=False)[0]
        place = [str(part) for part in first["loc"]]
        place[0] = {"holding": "position", "timeframe_htf": "higher timeframe"}.get(place[0], place[0])
        keys = _KNOWN_KEYS.get(place[0], ())
        near = difflib.get_close_matches(place[-1], keys, n=4, cutoff=0.4) if len(keys) > _MOST_NAMED else keys
        known = ", ".join(near or keys[:_MOST_NAMED]) + (", ... (all in the README)" if len(keys) > _MOST_NAMED else "")
        if first["type"] == "extra_forbidden":
            return Reason("object_has_no_key", place=place[0], place2=f"{place[-1]!r}", known=known)
        if first["type"] == "missing":
            return Reason("object_lacks_key", place=place[0], place2=f"{place[-1]!r}", known=known)
        return f"{' '.join(place)}: {first['msg'][0].lower()}{first['msg'][1:]}"

    def without_corrections(self, run_id: str, *, placebo: bool = False) -> RunRecord:
        """Ask a finished run's executor once more, without the corrections, and keep the comparison in its result as `did_it_matter`.
        placebo: and once with corrections that change nothing.

        What was asked before is not asked again. Blocks for a model call each. Raises BadInput for a run that has no decision to compare.
        """
        from engine.desks.decision.ablation import compared  # noqa: PLC0415 - it brings the flow, which no page need wait for

        record = self._decided(run_id)
        final = record.result or {}
        known = final.get("did_it_matter") or {}
        if known and ("placebo" in known or not placebo):
            return record

        async def work(_: Flow, context: Any) -> dict[str, Any]:
            return {**final, "did_it_matter": await compared(final, context, placebo=placebo)}

        call_s = self._container.settings.call_deadline_s + WAIT_S
        revised = self._container.runner.revise(record, work, call_s * (1 + placebo))
        arms = arms_of((revised.result or {})["did_it_matter"])
        self._container.journal.repetitions.compare(run_id, "matter", arms, utc_now())
        return revised

    def corrections_so_far(self) -> dict[str, Any]:
        """Return how often corrections, and such that change nothing, changed the action, over all decisions asked for in all three
        ways."""
        return all_arms(self._container.journal.repetitions.comparisons("matter"))

    def _decided(self, run_id: str) -> RunRecord:
        """Return a finished run of the desk. Raises BadInput for any other."""
        record = self.require_run(run_id)
        if record.result is None:
            raise BadInput(Reason("run_has_no_decision_yet", run_id=run_id))
        self.own(record.request)
        return record

    def chart(self, run_id: str) -> ChartMaterial | None:
        """Return what the run's chart is drawn from, None before its snapshot is known."""
        try:
            return self._material(run_id)
        except LookupError:
            return None

    def market_preview(self, request: DecideRequest) -> MarketPreview | None:
        """Return the market as it is before a decision is asked for; None while it is being read. Raises a TribunalError where it cannot
        be."""
        seed = request.seed if request.feed == "simulated" else 0
        key = (request.feed, request.data_dir, request.exchange, request.symbol, request.timeframe, request.at, seed)
        return self._previews.read(request.symbol, key, lambda: self._read_preview(request))

    async def _read_preview(self, request: DecideRequest) -> MarketPreview:
        from engine.facts.series import indicator_series  # noqa: PLC0415 - no page need wait for TA-Lib

        feed, timeframe = self._container.providers.feed(request), Timeframe.parse(request.timeframe)
        market = await feed.market(request.symbol)
        at = request.at or await feed.clock(market, timeframe, None)
        reading = await feed.candles(market, timeframe, at, _BARS_BEFORE)
        series = await asyncio.to_thread(indicator_series, reading.closed)
        return MarketPreview(market, reading.closed, reading.forming, series)

    def stated(self, run_id: str, text: str) -> tuple[tuple[int, int], ...]:
        """Return where a text of a run states values that grounding would check, as spans of code points; none before its snapshot is
        known. Nothing is judged."""
        return self._spans(run_id, text) if text and self.chart(run_id) is not None else ()

    def _read_spans(self, run_id: str, text: str) -> tuple[tuple[int, int], ...]:
        from engine.grounding.reading import read_claims  # noqa: PLC0415 - all its words, and no page need wait for them
        from engine.grounding.tables.markets import CRYPTO  # noqa: PLC0415 - late, as above

        claims = read_claims(text, self._material(run_id).sheet, "", table=CRYPTO)
        return tuple((claim.value_start, claim.value_end) for claim in claims)

    def _make_material(self, run_id: str) -> ChartMaterial:
        from engine.facts.series import indicator_series  # noqa: PLC0415 - no page need wait for TA-Lib
        from engine.facts.sheet import build_sheet  # noqa: PLC0415 - late, as above

        snapshot = self._container.journal.snapshot(run_id)
        if snapshot is None:
            raise LookupError(run_id)  # not cached: it may be there a moment later
        lines = indicator_series(snapshot.candles, snapshot.candles_htf)
        held = snapshot.holding
        stop, target = (held.stop, held.target) if held is not None else (None, None)
        return ChartMaterial(snapshot.market, snapshot.candles, snapshot.forming, lines, build_sheet(snapshot), stop, target)

    def later_candles(self, run_id: str, most: int) -> Candles | None:
        """Return up to `most` candles after the decision, as far as a recorded or simulated market knows them; None for a live market.

        Raises BadInput for a run without a snapshot, and a MarketError when the market cannot be read any more.
        """
        request, snapshot = self.own(self.require_run(run_id).request), self._container.journal.snapshot(run_id)
        if snapshot is None:
            raise BadInput(Reason("run_has_no_snapshot", run_id=run_id))
        if request.feed == "live":
            return None
        return self.wait_for(later_candles(self._container.providers.feed(request), snapshot, most), _late(request.feed))

    def candles_so_far(self, run_id: str) -> CandleReading | None:
        """Return the candles that have closed since a run's snapshot, and the open one, as they were seen last. None before they were, and
        where the market is paused: a recording, or a decision about an instant of the past. The market is looked at once for all who
        ask, every few seconds while someone does; nothing is raised when it does not answer."""
        request = self.own(self.require_run(run_id).request)
        if request.feed == "recorded" or request.market_clock is not None:
            return None

        async def read_so_far() -> CandleReading:
            snapshot = await asyncio.to_thread(self._container.journal.snapshot, run_id)
            if snapshot is None:
                raise BadInput(Reason("run_has_no_snapshot", run_id=run_id))
            return await candles_so_far(self._container.providers.feed(request), snapshot, _MOST_SO_FAR)

        return self._so_far.poll(run_id, read_so_far, pace_s=_CANDLES_PACE_S, first_s=PATIENCE_S).seen

    def markets(self, feed: FeedName, data_dir: str | None = None, exchange: str | None = None) -> tuple[Market, ...]:
        """Return markets a feed can read. Raises a MarketError when it cannot be asked."""
        request = self.request("BTC/USDT", feed=feed, data_dir=data_dir, exchange=exchange)
        return self.wait_for(self._container.providers.feed(request).markets(), _late(feed))

    def usual_market(self) -> str:
        """Return the market that the settings' feed is usually asked about. Raises a MarketError when it cannot be asked."""
        return usual_of([market.symbol for market in self.markets(self._container.settings.default_feed)]) or USUAL_MARKETS[0]


def field_of_path(state: Mapping[str, Any], field: str) -> Any:
    """Return what a final state has in a field of the path it took; None where that path did not come so far."""
    return state.get(path_of(state.get("execution_path") == POSITION.name).key(field))
