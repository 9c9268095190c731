"""What a decision is made on: the snapshot of its market and account, and the context its nodes work in."""

from dataclasses import replace
from functools import lru_cache

from engine.agents.attached import read_evidence
from engine.agents.reader_nodes import is_reader
from engine.domain.calls.counted_reading import CountedReading, ReadingPart
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.run import DecideRequest
from engine.facts.sheet import build_sheet
from engine.flows.decision.context import DecisionContext, Said
from engine.flows.protocol import Account, RunDeps, RunParts
from engine.market.snapshot import take_snapshot


async def prepare(request: DecideRequest, deps: RunDeps) -> Snapshot:
    """Return the market and the account as they stand. Raises a MarketError, a BrokerError or BadInput when one cannot be read."""
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
    if account is None:
        return snapshot
    return replace(snapshot, account=account.account, thesis=account.thesis, notes=(*snapshot.notes, *account.notes))


def context_of(parts: RunParts) -> DecisionContext:
    """Return what the nodes of a decision get beside its state. Blocks while the snapshot is measured and the chart is drawn."""
    record, snapshot = parts.record, parts.inputs
    request = record.request
    assert isinstance(request, DecideRequest)
    assert isinstance(snapshot, Snapshot)
    chart = _chart(snapshot) if request.vision and parts.deps is not None else None
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
        access=parts.access,
        risk=request.risk,
        clock=parts.clock,
        chart=chart,
        said_on=said_on,
        confirms=request.reader == "confirmed",
        corrects_each_turn=request.correct == "each_turn",
    )


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


def _chart(snapshot: Snapshot) -> bytes:
    from engine.prompts.chart_image import chart_png  # noqa: PLC0415 - mplfinance takes long to import, and few runs want a chart

    return chart_png(snapshot)
