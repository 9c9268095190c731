"""The only door for pages and shell: decisions, their events, the markets they read.

Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal (but for `wait`, `markets`),
and raises a TribunalError with one clear line when it cannot do what it says.
"""

import asyncio
import difflib
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from engine.api.trading import Trading
from engine.bootstrap.parts import Parts, make_parts
from engine.domain.candles import Candle, Candles
from engine.domain.chaos import Chaos
from engine.domain.errors import BadInput, TribunalError
from engine.domain.events import Event
from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.language import Language
from engine.domain.market import FeedName, Market
from engine.domain.risk import RiskConfig, looser, stricter
from engine.domain.run import DecideRequest, RunRecord, RunSummary
from engine.domain.snapshot import Snapshot
from engine.domain.timeframe import Timeframe
from engine.flows.decision.analysts import ANALYSTS
from engine.journal.leases import ACTIVE
from engine.market.hindsight import later_candles
from engine.runs.origins import RECORDED, forked, replayed
from engine.runs.owner import is_free
from engine.settings import Settings, load_settings

if TYPE_CHECKING:
    from engine.grounding.explain import Step
    from engine.grounding.one_text import GroundedText

_MARKETS_WAIT_S = 20.0

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class ChartMaterial:
    """What a chart of a run is drawn from.

    series: key of a fact -> one value a candle, None where it is not known. forming: the open candle.
    """

    candles: Candles
    series: Mapping[str, list[float | None]]
    forming: Candle | None
    market: Market
    sheet: FactSheet


@dataclass(frozen=True)
class AnalystCard:
    """How an analyst is named on pages, in each language."""

    key: str
    title: Mapping[Language, str]


class Engine:
    """One per process."""

    def __init__(self, settings: Settings | None = None, *, asks_live: bool = False, degraded: bool = False) -> None:
        """asks_live: real orders need a typed confirmation in this process beside the setting. degraded: a journal that cannot be opened is
        no reason not to be there; what takes risk away works without it.

        Raises BadInput for bad settings and StoreError for a journal that cannot be opened.
        """
        self._parts: Parts = make_parts(settings or load_settings(), asks_live=asks_live, degraded=degraded)
        self.trading = Trading(self._parts)
        self._material = lru_cache(maxsize=16)(self._make_material)

    @property
    def settings(self) -> Settings:
        """The settings of this process."""
        return self._parts.settings

    @property
    def analysts(self) -> tuple[AnalystCard, ...]:
        """The analysts of this installation, in the order they are shown."""
        return tuple(AnalystCard(analyst.key, analyst.title) for analyst in ANALYSTS)

    def request(self, symbol: str, **asked: object) -> DecideRequest:
        """A decision to ask for: what is given, the settings for the rest. Raises BadInput naming what is wrong."""
        settings = self.settings
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
            "language": settings.language,
            "vision": settings.vision,
            "broker": settings.broker if given.get("feed", settings.default_feed) == "live" else "paper",
        }
        if isinstance(given.get("chaos"), str):
            given["chaos"] = Chaos.parse(str(given["chaos"]), tuple(analyst.key for analyst in ANALYSTS))
        if "data_dir" in given and "feed" not in given and settings.feed != "live":
            given["feed"] = "recorded"
        given["risk"] = self._risk(given.get("risk"))
        try:
            request = DecideRequest.model_validate({**defaults, "symbol": symbol, **given})
        except ValidationError as problem:
            raise BadInput(_in_one_line(problem)) from None
        return self._within(request)

    def _risk(self, given: object) -> object:
        """The limits that were asked for; what they leave out is as TRIBUNAL_RISK has it."""
        if isinstance(given, RiskConfig):
            given = given.model_dump(exclude_unset=True)
        if given is None:
            return self.settings.risk
        return {**self.settings.risk.model_dump(exclude_unset=True), **given} if isinstance(given, Mapping) else given

    def _within(self, request: DecideRequest) -> DecideRequest:
        """The request. Raises BadInput when it asks for more than TRIBUNAL_RISK allows."""
        if beyond := looser(request.risk, self.settings.risk):
            raise BadInput(f"{'; '.join(beyond)} (TRIBUNAL_RISK): a decision's own limits can only be stricter")
        return request

    def _bound(self, request: DecideRequest) -> DecideRequest:
        """A request made from an earlier run: what has been tightened since binds it."""
        return request.model_copy(update={"risk": stricter(request.risk, self.settings.risk)})

    def _recorded(self, symbol: str, asked: Mapping[str, object]) -> DecideRequest:
        """A run played again, without a model: everything is its own but the risk limits, when they are given."""
        run_id = str(asked.get("model") or self.settings.default_model).removeprefix(RECORDED)
        record = self.record(run_id)
        if symbol != record.request.symbol:
            raise BadInput(f"run {run_id} is about {record.request.symbol}, not {symbol}")
        own = asked.get("risk")
        return self._bound(replayed(record)) if own is None else self._within(replayed(record, self._risk(own)))

    def watch_over(self) -> None:
        """Be ready for the first run, and from now on continue runs whose process has ended; in the background. Once is enough."""
        self._parts.watch_over()

    def watch_accounts(self) -> None:
        """Where an exchange's account is in use, find out from now on what became of orders, and keep positions at their stops; in the
        background, until this engine ends. Once is enough."""
        if self.trading.uses_exchange:
            self._parts.watch_accounts()

    def start(self, request: DecideRequest) -> str:
        """Begin a decision; gives the run's id at once. Raises BadInput for limits that TRIBUNAL_RISK does not allow."""
        return self._parts.runner.start(self._within(request))

    def wait(self, run_id: str, timeout: float | None = None) -> RunRecord:
        """The record of a run once it has ended. Raises the error it failed with, TimeoutError when it still goes on."""
        return self._parts.runner.wait(run_id, timeout)

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Events of a run with `seq` > after; empty for an unknown run."""
        return self._parts.runner.events(run_id, after)

    def wait_events(self, run_id: str, after: int, timeout: float) -> list[Event]:
        """Return the events of a run with `seq` > after, as soon as there is one; empty when none came within `timeout` seconds."""
        return self._parts.runner.wait_events(run_id, after, timeout)

    def resume(self, run_id: str) -> None:
        """Continue a run that was stopped or whose process ended, from its last finished node; a finished one stays as it is.

        Raises BadInput for one that is not known, TribunalError for one that failed or is being run by another process.
        """
        self._parts.runner.resume(run_id)

    def stop(self, run_id: str) -> None:
        """Stop a run, whichever process runs it; it can be continued. Raises a TribunalError for one that is not running."""
        self._parts.runner.stop(run_id)

    def fork(self, run_id: str, node: str, **changes: object) -> str:
        """Run again from a node, as a new run that names its parent: the same snapshot, and the answers from before that node.

        changes: `model`, `language`, and `texts` (role -> what it says instead). Gives the new run's id. Raises BadInput.
        """
        parent = self.record(run_id)
        if parent.request.origin is not None and parent.result is None:
            raise BadInput(f"run {run_id} has not finished: fork the run it was made from")
        return self.start(self._bound(forked(parent, node, [analyst.key for analyst in ANALYSTS], changes)))

    def take_over(self) -> list[str]:
        """Continue the runs whose process has ended; gives their ids."""
        return self._parts.runner.take_over()

    def did_it_matter(self, run_id: str) -> RunRecord:
        """Ask a finished run's executor again without the corrections; its result then has `did_it_matter`. Blocks for one model call."""
        return self._parts.runner.did_it_matter(run_id, self.settings.call_deadline_s + _MARKETS_WAIT_S)

    def run(self, run_id: str) -> RunRecord | None:
        """A run with its result, None when there is none of that id."""
        record = self._parts.journal.run(run_id)
        if record is None or record.status not in ACTIVE or run_id not in self._interrupted():
            return record
        return record.model_copy(update={"status": "interrupted"})

    def record(self, run_id: str) -> RunRecord:
        """A run with its result. Raises BadInput when there is none of that id."""
        record = self.run(run_id)
        if record is None:
            raise BadInput(f"run {run_id} is not known")
        return record

    def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs, newest first."""
        found, interrupted = self._parts.journal.runs(limit), self._interrupted()
        return [run.model_copy(update={"status": "interrupted"}) if run.run_id in interrupted else run for run in found]

    def _interrupted(self) -> frozenset[str]:
        """Runs that no living process holds."""
        now = datetime.now(UTC)
        return frozenset(lease.run_id for lease in self._parts.journal.leases.unfinished() if is_free(lease, now))

    def snapshot(self, run_id: str) -> Snapshot | None:
        """What the run was decided on, None before it is known."""
        return self._parts.journal.snapshot(run_id)

    def bundle(self, run_id: str) -> dict[str, Any]:
        """A finished run as one JSON document; `verify_bundle` checks it. Raises BadInput for one that is not known or has no decision."""
        from engine.runs.bundle import make_bundle  # noqa: PLC0415 - it brings the flow, which no page need wait for
        from engine.runs.said_on import earlier_snapshots  # noqa: PLC0415 - late, as above

        record, snapshot = self.record(run_id), self.snapshot(run_id)
        if record.result is None or snapshot is None:
            raise BadInput(f"run {run_id} has no decision to export: it is {record.status}")
        return make_bundle(record, snapshot, self.events(run_id), earlier_snapshots(self._parts.journal, record))

    def prune(self, days: float) -> int:
        """Forget the runs that ended more than `days` ago; gives how many. Unfinished and stopped runs stay."""
        return self._parts.journal.prune(datetime.now(UTC) - timedelta(days=days))

    def chart(self, run_id: str) -> ChartMaterial | None:
        """What the run's chart is drawn from, None before its snapshot is known."""
        try:
            return self._material(run_id)
        except LookupError:
            return None

    def _make_material(self, run_id: str) -> ChartMaterial:
        from engine.facts.series import indicator_series  # noqa: PLC0415 - no page need wait for TA-Lib
        from engine.facts.sheet import build_sheet  # noqa: PLC0415 - late, as above

        snapshot = self.snapshot(run_id)
        if snapshot is None:
            raise LookupError(run_id)  # not cached: it may be there a moment later
        lines = indicator_series(snapshot.candles, snapshot.candles_htf)
        return ChartMaterial(snapshot.candles, lines, snapshot.forming, snapshot.market, build_sheet(snapshot))

    def later_candles(self, run_id: str, most: int) -> Candles | None:
        """Up to `most` candles after the decision, as far as a recorded or simulated market knows them; None for a live market.

        Raises BadInput for a run without a snapshot, and a MarketError when the market cannot be read any more.
        """
        record, snapshot = self.record(run_id), self.snapshot(run_id)
        if snapshot is None:
            raise BadInput(f"run {run_id} has no snapshot")
        if record.request.feed == "live":
            return None
        return self._ask(later_candles(self._parts.wiring.feed(record.request), snapshot, most), record.request.feed)

    def markets(self, feed: FeedName, data_dir: str | None = None, exchange: str | None = None) -> tuple[Market, ...]:
        """Markets a feed can read. Raises a MarketError when it cannot be asked."""
        request = self.request("BTC/USDT", feed=feed, data_dir=data_dir, exchange=exchange)

        async def ask() -> tuple[Market, ...]:
            return await self._parts.wiring.feed(request).markets()

        return self._ask(ask(), feed)

    def _ask(self, question: Coroutine[Any, Any, Answer], feed: FeedName) -> Answer:
        try:
            return self._parts.loop.submit(question).result(_MARKETS_WAIT_S)
        except TimeoutError:
            raise TribunalError(f"the {feed} feed did not answer within {_MARKETS_WAIT_S:.0f} s") from None

    def close(self) -> None:
        """End runs in flight, release connections. May be called more than once."""
        self._parts.close()


def ground_text(text: str, facts: Mapping[str, object], source: str) -> "GroundedText":
    """Check any text against any facts (`plain_sheet` says which). source: who wrote it. Raises BadInput for facts of no known kind."""
    from engine.grounding.one_text import ground_text as grounded  # noqa: PLC0415 - all its words, and no page need wait for them
    from engine.grounding.plain_sheet import plain_sheet  # noqa: PLC0415 - late, as above

    return grounded(text, plain_sheet(facts), source)


def explain_text(text: str, facts: Mapping[str, object], source: str) -> "tuple[Step, ...]":
    """Return how a text is understood, step by step from words to verdicts. Arguments and errors as of `ground_text`."""
    from engine.grounding.explain import explain_text as explained  # noqa: PLC0415 - see ground_text
    from engine.grounding.plain_sheet import plain_sheet  # noqa: PLC0415 - late, as above

    return explained(text, plain_sheet(facts), source)


def verify_bundle(bundle: Mapping[str, Any]) -> list[str]:
    """What does not agree in a bundle, a line each; empty when everything follows from its snapshot and its answers. Raises BadInput."""
    from engine.runs.bundle import disagreements  # noqa: PLC0415 - see Engine.bundle

    return asyncio.run(disagreements(bundle))


def public_origin() -> str | None:
    """Return the origin that browsers know the pages by behind a proxy (TRIBUNAL_PUBLIC_URL), None without one. Raises BadInput."""
    return load_settings().public_url


_MOST_NAMED = 8
_KNOWN_KEYS = {"risk": tuple(RiskConfig.model_fields), "position": tuple(Holding.model_fields)}


def _in_one_line(problem: ValidationError) -> str:
    """What is wrong with a request: where, what, and what would be right."""
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


def parse_instant(text: str) -> datetime:
    """An instant of the shell or a page: ISO 8601; without a zone it means UTC. Raises BadInput."""
    try:
        instant = datetime.fromisoformat(text.strip().upper())
        return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # the year 1 or 9999 may lie outside the calendar in UTC
        raise BadInput(f"time {text[:40]!r} cannot be read: write ISO 8601, for example 2026-05-16T12:00Z") from None


def usual_higher(timeframe: str) -> str:
    """The higher timeframe that usually goes with a main one: about four to twelve times as long."""
    main = Timeframe.parse(timeframe)
    for name in ("5m", "15m", "1h", "4h", "1d", "1w"):
        higher = Timeframe.parse(name)
        if higher.ms >= 4 * main.ms and main.divides(higher):
            return name
    return f"{4 * int(str(main)[:-1])}{str(main)[-1]}"
