"""What a decision begins with: the snapshot of its market and account, the context its nodes work in, its first state and event."""

import asyncio
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import structlog

from engine.agents.attached import read_evidence
from engine.agents.reader_nodes import is_reader
from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.briefing import market_context
from engine.desks.decision.context import DecisionContext, Said
from engine.domain.calls.counted_reading import CountedReading, ReadingPart
from engine.domain.change_of_mind import PreviousDecision, stance_of
from engine.domain.events import RunStarted
from engine.domain.facts import FactSheet
from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.risk import RiskConfig
from engine.domain.run import DecideRequest
from engine.domain.text.reason import Reason
from engine.facts.change import market_history, numbers_of, since_previous
from engine.facts.likeness import deviations_of, features_of
from engine.facts.sheet import build_sheet
from engine.flows.protocol import AccountState, FindPrevious, Json, RunDeps, RunParts
from engine.market.snapshot import take_snapshot
from engine.outcomes.similar import Measures, find_similar, precedent_items


async def prepare(request: DecideRequest, deps: RunDeps) -> Snapshot:
    """Return the market and the account as they are. Raises a MarketError, a BrokerError or BadInput when one cannot be read."""
    feed = deps.feed(request)
    reading = CountedReading(request.symbol, feed.venue, 4 if request.timeframe_htf else 3, deps.report)

    async def account_in_market() -> AccountState | None:
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
    chart, kept = None, None
    if request.vision and parts.deps is not None:
        from engine.prompts.chart_image import chart_png  # noqa: PLC0415 - mplfinance takes long to import, and few runs want a chart

        chart = chart_png(snapshot)
        kept = _kept(chart, snapshot, parts.deps.charts)
    said_on = {
        node: Said(earlier.run_id, earlier.inputs.hash, earlier.inputs.at, measured(earlier.inputs))
        for node, earlier in parts.earlier.items()
        if isinstance(earlier.inputs, Snapshot) and not is_reader(node)
    }
    sheet = measured(snapshot)
    return DecisionContext(
        run_id=record.run_id,
        request=request,
        inputs=snapshot,
        access=replace(parts.access, context=snapshot.unlearnt_hash) if snapshot.similar else parts.access,
        clock=parts.clock,
        sheet=sheet,
        risk=_within(request.risk, snapshot),
        chart=chart,
        chart_path=kept,
        said_on=said_on,
        since_previous=since_previous(snapshot.previous, sheet, lambda: market_history(snapshot)),
        honesty={each.role: each for each in request.honesty},
        precedents=precedent_items(snapshot.similar, len(snapshot.evidence) + 1, request.language) if request.similar == "prompts" else (),
    )


def _within(risk: RiskConfig, snapshot: Snapshot) -> RiskConfig:
    """Return limits with no more leverage than the market has: what is told and checked is what can be ordered."""
    most = 1 if snapshot.market.nature.paid_in_full else snapshot.terms.max_leverage if snapshot.terms is not None else None
    return risk if most is None or risk.max_leverage <= most else risk.model_copy(update={"max_leverage": float(most)})


_MEASURED: dict[str, FactSheet] = {}
_MOST_MEASURED = 16


def measured(snapshot: Snapshot) -> FactSheet:
    """Return the facts of a snapshot; those of the newest few are kept: copies of one decision measure once."""
    sheet = _MEASURED.pop(snapshot.hash, None) or build_sheet(snapshot)
    _MEASURED[snapshot.hash] = sheet
    for oldest in list(_MEASURED)[:-_MOST_MEASURED]:
        _MEASURED.pop(oldest, None)
    return sheet


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


def first_state(context: DecisionContext, request: DecideRequest) -> Json:
    """Input fields, names and times; everything else comes from the nodes."""
    snapshot, sheet = context.snapshot, context.sheet
    holding = snapshot.holding
    of_the_past = request.at is not None or snapshot.feed == "recorded"
    state: dict[str, Any] = {
        "pair": snapshot.market.symbol,
        "current_price": snapshot.price,
        "timeframe": str(snapshot.timeframe),
        "timeframe_htf": str(snapshot.timeframe_htf) if snapshot.timeframe_htf else None,
        "market_context": market_context(sheet, context.at, context.language),
        "ohlcv_data": _reference(snapshot.id, snapshot.candles),
        "ohlcv_data_htf": _reference(snapshot.id, snapshot.candles_htf) if snapshot.candles_htf is not None else None,
        "has_position": holding is not None,
        "position_side": holding.side if holding else None,
        "position_profit_pct": sheet.number("profit_pct"),
        "position_entry_price": holding.entry_price if holding else None,
        "position_size": holding.size if holding else None,
        "position_leverage": holding.leverage if holding else None,
        "llm_config": {"model": request.model, "language": request.language, "vision": request.vision, "seed": request.seed},
        "risk_config": context.risk.model_dump(mode="json"),
        "execution_path": context.path.name,
        "thread_id": context.run_id,
        "run_id": context.run_id,
        "decision_id": f"decision-{context.run_id}",
        "snapshot_id": snapshot.id,
        "snapshot_hash": snapshot.hash,
        "created_at": context.now(),
        "backtest_mode": of_the_past,
        "backtest_timestamp": snapshot.at.astimezone(UTC).isoformat() if of_the_past else None,
        "chart_image_path": context.chart_path,
        "historical_similar_decisions": [each.model_dump(mode="json") for each in snapshot.similar] or None,
        "nodes_executed": [],
        "errors": [],
        "warnings": [*snapshot.notes, *_of_earlier(context)],
        "said_on": {role: said.to_json() for role, said in context.said_on.items()} or None,
    }
    return state


_TICKER = ("change_24h_pct", "funding_rate_pct", "atr_14", "rsi_14")
"""Facts of the market line."""


def opening(context: DecisionContext, request: DecideRequest) -> RunStarted:
    """Return the data of `run.started`: the request, the market in figures, who takes part."""
    snapshot = context.snapshot
    similar = {"similar": [each.model_dump(mode="json") for each in snapshot.similar]} if snapshot.similar else {}
    return RunStarted(
        request=request.model_dump(mode="json"),
        snapshot_id=snapshot.id,
        snapshot_hash=snapshot.hash,
        at=snapshot.at.isoformat(),
        price=snapshot.price,
        price_step=snapshot.market.price_step,
        symbol=snapshot.market.symbol,
        venue=snapshot.venue,
        feed=snapshot.feed,
        timeframe=str(snapshot.timeframe),
        timeframe_htf=str(snapshot.timeframe_htf) if snapshot.timeframe_htf else None,
        path=context.path.name,
        model=request.model,
        language=request.language,
        analysts=[analyst.key for analyst in ANALYSTS],
        facts={key: context.sheet.number(key) for key in _TICKER},
        holding=snapshot.holding.model_dump(mode="json") if snapshot.holding else None,
        notes=list(snapshot.notes),
        **similar,
    )


def _of_earlier(context: DecisionContext) -> list[str]:
    """Return that words of this decision are about an earlier market, and which."""
    instants = sorted({said.at for said in context.said_on.values()})
    listed = ", ".join(instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M") for instant in instants)
    return [Reason("said_earlier", at=listed).said_in(context.language)] if instants else []


def _reference(snapshot_id: str, candles: Candles) -> Json:
    """Return where the candles are, never the candles."""
    return {
        "snapshot_id": snapshot_id,
        "timeframe": str(candles.timeframe),
        "bars": len(candles),
        "first_open": int(candles.opened_at[0]),
        "last_open": int(candles.opened_at[-1]),
    }
