"""What a run of research begins with: its clock, what was measured of its market as one more document, its context and first state."""

from datetime import UTC, datetime, timedelta
from typing import Final

from engine.desks.research.context import ResearchContext
from engine.desks.research.request import ResearchInputs, ResearchRequest
from engine.domain.errors import BadInput, MarketError
from engine.domain.events import RunStarted
from engine.domain.facts import write_fact_lines
from engine.domain.market.instants import refuse_future, utc_text
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.research.document import Document
from engine.facts.sheet import build_sheet
from engine.flows.protocol import Json, RunDeps, RunParts
from engine.market.snapshot import take_snapshot

_FRAME: Final = "1h"
_AHEAD: Final = timedelta(minutes=1)
"""What another machine's clock may be ahead of ours."""


async def prepare(request: ResearchRequest, deps: RunDeps) -> ResearchInputs:
    """Return the inputs; a market that cannot be read is one source less. Raises ClockOutOfRange for a clock in the future, BadInput."""
    now = deps.clock().astimezone(UTC)
    at = now if request.at is None else request.at.astimezone(UTC)
    refuse_future(_ms(at - _AHEAD), _ms(now))
    if request.symbol is None or "/" not in request.symbol or not request.takes("market"):
        return ResearchInputs(question=request.question, at=at, is_present=request.at is None)
    try:
        snapshot = await take_snapshot(
            deps.feed(request), symbol=request.symbol, timeframe=Timeframe.parse(_FRAME), htf=None, at=request.at, holding=None
        )
    except (MarketError, BadInput) as problem:
        return ResearchInputs(question=request.question, at=at, is_present=request.at is None, missing={"market": str(problem)})
    at = max(at, snapshot.at) if request.at is None else at
    return ResearchInputs(question=request.question, at=at, is_present=request.at is None, facts=_facts_document(snapshot))


def context_of(parts: RunParts) -> ResearchContext:
    """Return what the nodes of a run get beside its state."""
    request, inputs, deps = parts.record.request, parts.inputs, parts.deps
    assert isinstance(request, ResearchRequest)
    assert isinstance(inputs, ResearchInputs)
    return ResearchContext(
        run_id=parts.record.run_id,
        request=request,
        inputs=inputs,
        access=parts.access,
        clock=parts.clock,
        open_room=deps.search if deps is not None else None,
        read_memories=deps.memories if deps is not None else None,
        read_runs=deps.past_runs if deps is not None else None,
    )


def opening(context: ResearchContext, request: ResearchRequest) -> RunStarted:
    """Return the data of `run.started`: the request, its clock and what was measured of the market."""
    facts = context.inputs.facts
    opening_data: Json = {
        "request": request.model_dump(mode="json"),
        "inputs_hash": context.inputs.hash,
        "question": request.question,
        "at": context.inputs.at.isoformat(),
        "symbol": request.symbol or "",
        "model": request.model,
        "language": request.language,
        "facts_of": facts.title if facts is not None else None,
        "missing": dict(context.inputs.missing),
    }
    return RunStarted(**opening_data)


def first_state(context: ResearchContext, request: ResearchRequest) -> Json:
    """Return the state before the first role thinks."""
    return {"current_query": request.question, "created_at": context.now(), "executor_messages": [], "observations": [], "notes": []}


def _facts_document(snapshot: Snapshot) -> Document:
    """Return what was measured of a market: one fact a line."""
    sheet = build_sheet(snapshot)
    at = utc_text(_ms(snapshot.at))
    lines = write_fact_lines(sheet, [fact.key for fact in sheet.known()]).replace(" = ", ": ")
    return Document(
        source="market",
        title=f"{snapshot.market.symbol}, {snapshot.timeframe}, measured at {at} ({snapshot.feed} feed)",
        url=f"market:{snapshot.feed}:{snapshot.market.symbol}",
        abstract=lines,
        published_date=snapshot.at.isoformat(),
    )


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
