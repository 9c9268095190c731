"""What the reasoning of a decision rested on, once it is over: its numbers, and what was to prove it wrong, measured at the end."""

import asyncio
from datetime import datetime
from typing import Any

from engine.desks.decision.paths import GROUNDING_RESULT, PATHS, role_at
from engine.desks.decision.prepare import measured
from engine.domain.claims import Claim
from engine.domain.decision import Signal
from engine.domain.errors import TribunalError
from engine.domain.holding import Holding
from engine.domain.invalidation import InvalidationCheck, Thesis
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.run import DecideRequest, RunRecord
from engine.facts.likeness import features_of
from engine.facts.sheet import build_sheet
from engine.facts.thesis import check_thesis, invalidations_of
from engine.flows.protocol import Review, RunDeps
from engine.market.snapshot import take_snapshot


async def review(record: RunRecord, inputs: Snapshot, ended_at: datetime, deps: RunDeps) -> Review:
    """Return the reasons of an entry and its conditions. A market that does not answer leaves the conditions unchecked."""
    final = record.result or {}
    request = record.request
    assert isinstance(request, DecideRequest)
    sheet = await asyncio.to_thread(measured, inputs)
    sign = -1 if final.get("final_action") == Signal.ENTRY_SHORT.value else 1
    thesis = Thesis(run_id=record.run_id, at=inputs.at, invalidations=invalidations_of(sheet, sign))
    try:
        checks = await _checked(thesis, request, inputs, sign, ended_at, deps)
    except TribunalError:
        checks = ()
    words = "\n".join(filter(None, (final.get("executor_reasoning"), *(final.get("executor_key_factors") or ()))))
    return Review(claims=_reasons(final, sign), words=words, checks=checks, features=features_of(sheet))


def _reasons(final: dict[str, Any], sign: int) -> tuple[Claim, ...]:
    """Return what the executor stated; where nothing of that could be checked, what the judge and the side it followed did."""
    own = tuple(Claim.model_validate(each) for each in final.get("executor_claims") or ())
    if any(claim.when_said in {"true", "false"} for claim in own):
        return own
    followed = {"judge", "bull" if sign > 0 else "bear"}
    results = (final.get(path.key(GROUNDING_RESULT)) for path in PATHS)
    claims = (Claim.model_validate(each) for result in results if result for each in result["claims"])
    return tuple(claim for claim in claims if role_at(claim.source) in followed)


async def _checked(
    thesis: Thesis, request: DecideRequest, inputs: Snapshot, sign: int, ended_at: datetime, deps: RunDeps
) -> tuple[InvalidationCheck, ...]:
    held = Holding(side="long" if sign > 0 else "short", entry_price=inputs.price, size=1.0, opened_at=inputs.at)
    later = await take_snapshot(
        deps.feed(request),
        symbol=request.symbol,
        timeframe=Timeframe.parse(request.timeframe),
        htf=Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None,
        at=ended_at,
        holding=held,
    )
    return check_thesis(thesis, await asyncio.to_thread(build_sheet, later))
