"""What a decision is made on: the snapshot of its market and account, and the context its nodes work in."""

import asyncio
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import structlog

from engine.agents.attached import read_evidence
from engine.agents.reader_nodes import is_reader
from engine.desks.decision.context import DecisionContext, Said
from engine.domain.calls.counted_reading import CountedReading, ReadingPart
from engine.domain.change_of_mind import PreviousDecision, stance_of
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.risk import RiskConfig
from engine.domain.run import DecideRequest
from engine.facts.change import market_history, numbers_of, since_previous
from engine.facts.likeness import deviations_of, features_of
from engine.facts.sheet import build_sheet
from engine.flows.protocol import Account, FindPrevious, RunDeps, RunParts
from engine.market.snapshot import take_snapshot
from engine.outcomes.similar import Measures, find_similar, precedent_items


async def prepare(request: DecideRequest, deps: RunDeps) -> Snapshot:
    """Return the market and the account as they are. Raises a MarketError, a BrokerError or BadInput when one cannot be read."""
    feed = deps.feed(request)
    reading = CountedReading(request.symbol, feed.venue, 4 if request.timeframe_htf else 3, deps.report)

    async def account_in_market() -> Account | None:
        found = await deps.approvals.account_state(request)
        await feed.market(request.symbol)
        return found

    account = await reading.read(ReadingPart("market"), account_in_market)
    snapshot = await take_snapshot(
        feed,
        symbol=request.symbol,
        timeframe=Timeframe.parse(request.timeframe),
        htf=Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None,
        at=request.at,
        holding=account.holding if account is not None else request.holding,
        reading=reading,
    )
    if request.evidence:
        snapshot = replace(snapshot, evidence=await read_evidence(request.evidence, snapshot.at, deps.dossier))
    if request.risk.min_facts_for_reversal is not None and deps.previous is not None:
        snapshot = replace(snapshot, previous=await asyncio.to_thread(_previous, request, snapshot, deps.previous))
    if account is not None:
        snapshot = replace(snapshot, account=account.account, thesis=account.thesis, notes=(*snapshot.notes, *account.notes))
    if request.similar == "off":
        return snapshot

    def measures() -> Measures:
        return features_of(measured(snapshot)), deviations_of(snapshot.candles, snapshot.candles_htf)

    return replace(snapshot, similar=await find_similar(request, snapshot.at, snapshot.evidence, measures, deps))


def _previous(request: DecideRequest, snapshot: Snapshot, find: FindPrevious) -> PreviousDecision | None:
    """Return the decision before about this market, for the limit of reversals."""
    found = find(request, snapshot.at)
    if found is None:
        return None
    record, before = found[0], Snapshot.from_json(dict(found[1]))
    return PreviousDecision(run_id=record.run_id, at=before.at, stance=stance_of(record.result or {}), facts=numbers_of(measured(before)))


def context_of(parts: RunParts) -> DecisionContext:
    """Return what the nodes of a decision get beside its state. Blocks while the snapshot is measured and the chart is drawn."""
    record, snapshot = parts.record, parts.inputs
    request = record.request
    assert isinstance(request, DecideRequest)
    assert isinstance(snapshot, Snapshot)
    chart = _chart(snapshot) if request.vision and parts.deps is not None else None
    kept = _kept(chart, snapshot, parts.deps.charts) if chart is not None and parts.deps is not None else None
    said_on = {
        node: Said(earlier.run_id, earlier.inputs.hash, earlier.inputs.at, measured(earlier.inputs))
        for node, earlier in parts.earlier.items()
        if isinstance(earlier.inputs, Snapshot) and not is_reader(node)
    }
    sheet = measured(snapshot)
    return DecisionContext(
        run_id=record.run_id,
        snapshot=snapshot,
        sheet=sheet,
        access=replace(parts.access, context=snapshot.unlearnt_hash) if snapshot.similar else parts.access,
        risk=_within(request.risk, snapshot),
        clock=parts.clock,
        chart=chart,
        chart_path=kept,
        said_on=said_on,
        confirms=request.reader == "confirmed",
        corrects_each_turn=request.correct == "each_turn",
        calibration=request.calibration,
        since_previous=since_previous(snapshot.previous, sheet, lambda: market_history(snapshot)),
        honesty={each.role: each for each in request.honesty},
        precedents=precedent_items(snapshot.similar, len(snapshot.evidence) + 1, request.language) if request.similar == "prompts" else (),
    )


def _within(risk: RiskConfig, snapshot: Snapshot) -> RiskConfig:
    """Return limits with no more leverage than the market has: what is told and checked is what can be ordered."""
    most = 1 if snapshot.market.nature.paid_in_full else snapshot.terms.max_leverage if snapshot.terms is not None else None
    return risk if most is None or risk.max_leverage <= most else risk.model_copy(update={"max_leverage": float(most)})


class _ByContent:
    """A snapshot as a key: equal content is measured once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def __hash__(self) -> int:
        return hash(self.snapshot.hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and other.snapshot.hash == self.snapshot.hash


def measured(snapshot: Snapshot) -> FactSheet:
    """Return the facts of a snapshot; those of the newest few are kept: copies of one decision measure once."""
    return _measured(_ByContent(snapshot))


@lru_cache(maxsize=16)
def _measured(key: _ByContent) -> FactSheet:
    return build_sheet(key.snapshot)


def _kept(chart: bytes, snapshot: Snapshot, folder: Path | None) -> str | None:
    """Return where the image is kept: equal snapshots have one. None where it cannot be written: the models see it all the same."""
    if folder is None:
        return None
    path = folder / f"{snapshot.hash.removeprefix('sha256:')[:32]}.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
            part.write(chart)
        Path(part.name).replace(path)
    except OSError as problem:
        structlog.get_logger(__name__).warning("chart_not_kept", path=str(path), problem=str(problem))
        return None
    return str(path.resolve())


def _chart(snapshot: Snapshot) -> bytes:
    from engine.prompts.chart_image import chart_png  # noqa: PLC0415 - mplfinance takes long to import, and few runs want a chart

    return chart_png(snapshot)
