"""What a run of the desk is decided on: the company as it was known, the account as it stands, and the context its nodes work in."""

from engine.agents.attached import read_evidence
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.listing import ListingKind
from engine.domain.equity.snapshot import EquitySnapshot
from engine.equity.listings import listing_of
from engine.equity.snapshot import read_equity
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.forking import fork_of
from engine.flows.fusion.inputs import FusionInputs
from engine.flows.fusion.orders.largest_order import assumed_stop_pct, order_bounds
from engine.flows.fusion.presets import preset_of
from engine.flows.fusion.presets.preset import Preset
from engine.flows.fusion.request import FusionRequest
from engine.flows.fusion.sheet import build_desk_sheet
from engine.flows.fusion.stages import HEARD, STAGES
from engine.flows.protocol import RunDeps, RunParts


async def prepare(request: FusionRequest, deps: RunDeps) -> FusionInputs:
    """Return the inputs. Raises a MarketError or BrokerError, BadInput for what cannot be asked, StoreError."""
    source = deps.equities(request.feed, request.data_dir, request.seed)
    snapshot = await read_equity(source, request.symbol, request.trade_date, request.session, request.timestamp, report=deps.report)
    evidence = await read_evidence(request.evidence, snapshot.moment.known_at, deps.dossier)
    return FusionInputs(snapshot, await _account(request, snapshot, deps), evidence)


async def _account(request: FusionRequest, snapshot: EquitySnapshot, deps: RunDeps) -> CashAccount:
    """Return how the account stands; of what cannot be ordered, one that holds nothing but money. An account on a recording is named after
    its folder: inputs say the same wherever that lies, so the folder is left out."""
    listing = snapshot.listing
    if listing.is_tradable:
        ref = request.account_ref
        found = await deps.approvals.cash_account(ref, listing, snapshot.moment, request.risk)
        return found.model_copy(update={"account": f"{ref.broker}:{ref.feed}"}) if ref.feed == "recorded" else found
    return CashAccount(account=f"cash {listing.currency}", cash=request.risk.equity, total_value=request.risk.equity)


def preset_for(request: FusionRequest) -> Preset:
    """Return the preset of a request: the one it names, else that of its instrument. Raises BadInput for a symbol of no known form."""
    return preset_of(request.preset or _by_kind(listing_of(request.symbol).kind))


def _by_kind(kind: ListingKind) -> str:
    return "stock" if kind == "stock" else "index"


def context_of(parts: RunParts) -> FusionContext:
    """Return what the nodes of a run get beside its state. Blocks while the company is measured."""
    request, inputs = parts.record.request, parts.inputs
    assert isinstance(request, FusionRequest)
    assert isinstance(inputs, FusionInputs)
    bounds = order_bounds(inputs.account, inputs.snapshot.listing.symbol, request.risk, assumed_stop_pct(request.risk))
    return FusionContext(
        run_id=parts.record.run_id,
        request=request,
        inputs=inputs,
        sheet=build_desk_sheet(inputs.snapshot, inputs.account, bounds.value),
        preset=preset_for(request),
        access=parts.access,
        clock=parts.clock,
        read_memories=parts.deps.memories if parts.deps is not None else None,
        asked_anew=fork_of(request.origin, STAGES, HEARD).again if request.origin is not None else frozenset(),
    )
