"""What a run of the desk begins with: the company as it was known, the account as it is, the context, the first state and event."""

import asyncio
from dataclasses import replace

from engine.agents.attached import read_evidence
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.largest_order import order_bounds
from engine.desks.equities.presets import Preset, preset_of
from engine.desks.equities.request import EquitiesInputs, EquitiesRequest
from engine.desks.equities.sheet import build_desk_sheet
from engine.desks.equities.stages import FORKING
from engine.domain.change_of_mind import PreviousDecision, stance_of
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.errors import BadInput
from engine.domain.events import RunStarted
from engine.domain.text.reason import Reason
from engine.equity.listings import listing_of
from engine.equity.snapshot import read_equity
from engine.facts.change import company_history, numbers_of, since_previous
from engine.facts.likeness import deviations_of, features_of
from engine.flows.protocol import FindPrevious, Json, RunDeps, RunParts
from engine.outcomes.similar import Measures, find_similar, precedent_items


async def prepare(request: EquitiesRequest, deps: RunDeps) -> EquitiesInputs:
    """Return the inputs. Raises a MarketError or BrokerError, BadInput for what cannot be asked, StoreError."""
    source = deps.equities(request.feed, request.data_dir, request.seed)
    snapshot = await read_equity(source, request.symbol, request.trade_date, request.session, request.timestamp, report=deps.report)
    if snapshot.moment.within and request.propose:
        raise BadInput(Reason("is_within_session", timestamp=request.timestamp))
    evidence = await read_evidence(request.evidence, snapshot.moment.known_at, deps.dossier)
    previous = None
    if request.risk.min_facts_for_reversal is not None and deps.previous is not None:
        previous = await asyncio.to_thread(_previous, request, snapshot, deps.previous)
    account = await _account(request, snapshot, deps)
    if request.similar == "off" or not snapshot.listing.is_tradable:
        return EquitiesInputs(snapshot, account, evidence, previous)

    def measures() -> Measures:
        return features_of(build_desk_sheet(snapshot, account, 0.0)), deviations_of(snapshot.candles, None)

    similar = await find_similar(request, snapshot.moment.known_at, evidence, measures, deps)
    return EquitiesInputs(snapshot, account, evidence, previous, similar)


def _previous(request: EquitiesRequest, snapshot: EquitySnapshot, find: FindPrevious) -> PreviousDecision | None:
    """Return the decision before about this company, for the limit of reversals."""
    found = find(request, snapshot.moment.known_at)
    if found is None:
        return None
    record, before = found[0], EquitiesInputs.from_json(found[1])
    sheet = build_desk_sheet(before.snapshot, before.account, 0.0)
    return PreviousDecision(
        run_id=record.run_id, at=before.snapshot.moment.known_at, stance=stance_of(record.result or {}), facts=numbers_of(sheet)
    )


async def _account(request: EquitiesRequest, snapshot: EquitySnapshot, deps: RunDeps) -> CashAccount:
    """Return the state of the account; one that holds only cash for what cannot be ordered. An account on a recording is named after its
    folder, which is left out so that inputs are the same wherever it is."""
    listing = snapshot.listing
    if listing.is_tradable:
        ref = request.account_ref
        found = await deps.approvals.cash_account(ref, listing, snapshot.moment, request.risk)
        if snapshot.moment.within:
            found = found.model_copy(
                update={"notes": (*found.notes, Reason("account_stands_as_at_open_of", trade_date=snapshot.moment.trade_date))}
            )
        return found.model_copy(update={"account": f"{ref.broker}:{ref.feed}"}) if ref.feed == "recorded" else found
    return CashAccount(account=f"cash {listing.currency}", cash=request.risk.equity, total_value=request.risk.equity)


def preset_for(request: EquitiesRequest) -> Preset:
    """Return the preset of a request: the one it names, else that of its instrument. Raises BadInput for a symbol of no known form."""
    return preset_of(request.preset or ("stock" if listing_of(request.symbol).kind == "stock" else "index"))


def context_of(parts: RunParts) -> EquitiesContext:
    """Return what the nodes of a run get beside its state. Blocks while the company is measured."""
    request, inputs = parts.record.request, parts.inputs
    assert isinstance(request, EquitiesRequest)
    assert isinstance(inputs, EquitiesInputs)
    largest = order_bounds(inputs.account, inputs.snapshot.listing.symbol, request.risk).value
    sheet = build_desk_sheet(inputs.snapshot, inputs.account, largest)
    return EquitiesContext(
        run_id=parts.record.run_id,
        request=request,
        inputs=inputs,
        sheet=sheet,
        preset=preset_for(request),
        access=replace(parts.access, context=inputs.unlearnt_hash) if inputs.similar else parts.access,
        clock=parts.clock,
        read_memories=parts.deps.memories if parts.deps is not None else None,
        asked_anew=FORKING.fork(request.origin).again if request.origin is not None else frozenset(),
        since_previous=since_previous(inputs.previous, sheet, lambda: company_history(inputs.snapshot)),
        precedents=precedent_items(inputs.similar, len(inputs.evidence) + 1, request.language) if request.similar == "prompts" else (),
    )


_TICKER = ("change_1d_pct", "atr_14", "rsi_14", "pe_ratio")
"""Facts of the market line."""


def opening(context: EquitiesContext, request: EquitiesRequest) -> RunStarted:
    """Return the data of `run.started`."""
    snapshot, account, moment, bounds = context.snapshot, context.account, context.snapshot.moment, context.bounds
    opening_data: Json = {
        "request": request.model_dump(mode="json"),
        "inputs_hash": context.inputs.hash,
        "symbol": snapshot.listing.symbol,
        "name": snapshot.listing.name,
        "currency": snapshot.listing.currency,
        "at": moment.known_at.isoformat(),
        "trade_date": str(moment.trade_date),
        "trading_session": moment.trading_session,
        "price": snapshot.current_price,
        "previous_close": snapshot.previous_close,
        "feed": snapshot.feed,
        "preset": context.preset.name,
        "depth": request.depth,
        "tool_limit": context.tool_limit,
        "model": request.model,
        "language": request.language,
        "analysts": [analyst.key for analyst in context.preset.everybody],
        "facts": {key: context.sheet.number(key) for key in _TICKER},
        "listing": snapshot.listing.model_dump(mode="json"),
        "account": account.model_dump(mode="json"),
        "largest_order": {"value": bounds.value, "bounds": bounds.to_json(), "binding": bounds.binding},
        "missing": dict(snapshot.missing),
        "notes": [*snapshot.notes, *account.notes],
    }
    if context.inputs.similar:
        opening_data["similar"] = [each.model_dump(mode="json") for each in context.inputs.similar]
    return RunStarted(**opening_data)


def first_state(context: EquitiesContext, request: EquitiesRequest) -> Json:
    """Return the state before the first role speaks: whom it is about, when, and the state of the account."""
    snapshot, account, moment = context.snapshot, context.account, context.snapshot.moment
    return {
        "company_of_interest": snapshot.listing.symbol or request.symbol,
        "trade_date": str(moment.trade_date),
        "trade_timestamp": request.timestamp,
        "trading_session": moment.trading_session,
        "preset": context.preset.name,
        "created_at": context.now(),
        "analysts": {},
        **account.state_fields(),
        "current_price": snapshot.current_price,
        "previous_close": snapshot.previous_close,
        "largest_allowed_order": context.sheet.number("largest_allowed_order") or 0.0,
    }
