"""Given the events of one run, gives the view the desk draws. Pure: the same events give the same view, in one go or in pieces.

    view = reduce(new_events, view)

Events already seen (a `seq` not above the view's) change nothing, so overlapping polls are harmless. It never raises for a prefix of a
log, and never for `data` of an unknown shape: what cannot be read is missing in the view.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from engine.domain.claims import Claim
from engine.domain.events import (
    Event,
    EventData,
    GroundingCorrected,
    LimitsChecked,
    MarketOpening,
    ModelPlanted,
    NodeFailed,
    NodeFinished,
    NodeRetried,
    NodeStarted,
    NodeTokens,
    ProposalFiled,
    RunFinished,
    RunResumed,
    RunStarted,
    RunStopped,
)
from engine.domain.frozen_model import FrozenModel
from pages.frame import json_fields as read
from pages.run.view import (
    STAGES,
    AnalystConsensus,
    CheckedClaims,
    Correction,
    Ending,
    Filed,
    NodeState,
    NodeView,
    PlantedLie,
    Retry,
    RunFacts,
    RunView,
    StageName,
    StageView,
)

T = TypeVar("T", bound=FrozenModel)

CLOSING_NODE: Mapping[StageName, str] = {"analysis": "aggregator", "debate": "judge", "grounding": "grounding", "executor": "executor"}
"""The node whose end ends the stage."""


def reduce(events: Iterable[Event], view: RunView | None = None) -> RunView:
    """Return the view after `events`, which follow those `view` was made from."""
    now = view if view is not None else RunView()
    for event in events:
        if event.seq > now.seq:
            step = _STEPS.get(type(event.data))
            now = replace(step(now, event, event.data) if step else now, seq=event.seq, run_id=event.run_id, last_at=event.at)
    return now


def stages(view: RunView) -> tuple[StageView, ...]:
    """Return the four steps the machine takes, in order."""
    found = [_stage(view, name) for name in STAGES]
    begun = [index for index, stage in enumerate(found) if stage.started_at is not None]
    for index, stage in enumerate(found):
        if stage.state == "running" and begun and begun[-1] > index:  # a later step runs: this one is over
            ended = stage.ended_at or found[begun[-1]].started_at
            found[index] = replace(stage, state="done", ended_at=ended)
    return tuple(found)


def _stage(view: RunView, name: StageName) -> StageView:
    nodes = tuple(node for node in view.nodes.values() if node.stage == name and node.started_at is not None)
    if not nodes:
        return StageView(name, "stopped" if view.ending else "waiting", None, None, ())
    started = min(node.started_at for node in nodes if node.started_at is not None)
    ends = [node.ended_at for node in nodes if node.ended_at is not None]
    closing = view.role(CLOSING_NODE[name])
    fatal = any(node.state == "failed" for node in nodes)
    state: NodeState = "running"
    if fatal:
        state = "failed"
    elif closing.ended:
        state = "done"
    elif view.ending is not None:
        state = "stopped"
    over = state != "running"
    return StageView(name, state, started, max(ends, default=None) if over else None, nodes)


def _run_started(view: RunView, event: Event, data: RunStarted) -> RunView:
    market = MarketOpening.read(data.to_json())
    facts = RunFacts(
        request=data.request,
        symbol=market.symbol,
        price=market.price,
        venue=market.venue,
        feed=market.feed,
        timeframe=market.timeframe,
        timeframe_htf=market.timeframe_htf,
        path=market.path or ("entry" if market.symbol else ""),
        model=market.model,
        language=market.language,
        analysts=market.analysts,
        notes=market.notes,
        at=market.at,
        snapshot_id=market.snapshot_id,
        snapshot_hash=market.snapshot_hash,
        step=market.price_step,
        known=market.facts,
        holding=market.holding or read.inner(data.request, "holding"),
    )
    return replace(view, facts=facts, started_at=event.at)


def _node(view: RunView, event: Event) -> NodeView:
    return view.nodes.get(event.node or "", NodeView(event.node or ""))


def _keep(view: RunView, node: NodeView) -> RunView:
    return replace(view, nodes={**view.nodes, node.name: node})


def _node_started(view: RunView, event: Event, data: NodeStarted) -> RunView:
    node = _node(view, event)
    if node.ended:  # another round of the debate
        node = NodeView(node.name, before=(*node.before, replace(node, before=())))
    return _keep(view, replace(node, stage=data.stage, state="running", started_at=event.at))


def _node_tokens(view: RunView, event: Event, data: NodeTokens) -> RunView:
    node = _node(view, event)
    attempt = data.attempt or node.attempt
    texts = {**node.texts, attempt: node.texts.get(attempt, "") + data.text}
    counts = attempt >= node.attempt and not node.ended
    return _keep(
        view,
        replace(
            node,
            texts=texts,
            attempt=attempt if counts else node.attempt,
            state="running" if counts else node.state,
            started_at=node.started_at or event.at,
            first_tokens={attempt: event.at, **node.first_tokens},
        ),
    )


def _node_retried(view: RunView, event: Event, data: NodeRetried) -> RunView:
    node = _node(view, event)
    attempt = data.attempt or node.attempt + 1
    retry = Retry(at=event.at, attempt=attempt, reason=data.reason, wait_s=data.wait_s, repair=data.repair)
    return _keep(view, replace(node, state="retrying", attempt=attempt, retries=(*node.retries, retry)))


def _node_finished(view: RunView, event: Event, data: NodeFinished) -> RunView:
    node = _node(view, event)
    result = data.result or {key: value for key, value in data.to_json().items() if key not in {"usage", "attempt"}}
    abstained = read.flag(result, "abstained") or node.state == "abstained"
    ended = replace(
        node,
        state="abstained" if abstained else "done",
        ended_at=event.at,
        started_at=node.started_at or event.at,
        attempt=data.attempt or node.attempt,
        result=result,
        usage=data.usage or NodeFinished.read(result).usage or node.usage,
        reason=read.words(result, "reason") or "; ".join(data.errors) or node.reason,
        claims=data.claims,
    )
    view = _keep(view, ended)
    if node.name == "aggregator":
        return replace(view, consensus=_consensus(result))
    if node.name.endswith("grounding"):
        return replace(view, checked=_checked(result, data.grounding_summary))
    return view


def _node_failed(view: RunView, event: Event, data: NodeFailed) -> RunView:
    node = _node(view, event)
    state: NodeState = "abstained" if data.consequence == "abstains" else "failed"
    ended = replace(
        node,
        state=state,
        reason=data.reason or node.reason,
        consequence=data.consequence,
        ended_at=event.at,
        started_at=node.started_at or event.at,
        usage=data.usage or node.usage,
    )
    return _keep(view, ended)


def _planted(view: RunView, event: Event, data: ModelPlanted) -> RunView:
    lie = PlantedLie(data.role or event.node or "", data.key, data.stated, data.true)
    return replace(view, planted=(*view.planted, lie))


def _corrected(view: RunView, event: Event, data: GroundingCorrected) -> RunView:
    fix = Correction(
        node=event.node,
        source=data.source or event.node or "",
        key=data.key or data.indicator,
        start=data.start,
        end=data.end,
        claim_text=data.text,
        claimed=None if isinstance(data.claimed, tuple) else data.claimed,
        actual=data.actual,
        kind=data.claim_kind,
        unit=data.unit,
        deviation_pct=data.deviation * 100 if data.deviation is not None else None,
    )
    return replace(view, corrections=(*view.corrections, fix))


def _limits(view: RunView, event: Event, data: LimitsChecked) -> RunView:
    return replace(view, limits=data.limits, limits_passed=data.passed is True)


def _filed(view: RunView, event: Event, data: ProposalFiled) -> RunView:
    return replace(view, filed=Filed(proposal_id=data.proposal_id, state=data.state, why=data.why or "", hash=data.hash))


def _run_finished(view: RunView, event: Event, data: RunFinished) -> RunView:
    ending = Ending(
        at=event.at,
        status=data.status,
        action=data.final_action,
        headline=data.headline,
        is_valid=data.is_valid,
        errors=data.errors,
        warnings=data.warnings,
        metrics=data.metrics,
    )
    nodes = {name: node if node.ended else replace(node, state="stopped", ended_at=event.at) for name, node in view.nodes.items()}
    return replace(view, nodes=nodes, ending=ending)


def _run_stopped(view: RunView, event: Event, data: RunStopped) -> RunView:
    errors = (data.reason,) if data.reason else ()
    ending = Ending(at=event.at, status="stopped", action=None, is_valid=False, errors=errors, warnings=(), metrics={})
    nodes = {name: node if node.ended else replace(node, state="stopped", ended_at=event.at) for name, node in view.nodes.items()}
    return replace(view, nodes=nodes, ending=ending)


def _run_resumed(view: RunView, event: Event, data: RunResumed) -> RunView:
    """Return the view in which what had been cut waits for its turn again."""
    cut = {name: replace(node, state="waiting", ended_at=None) for name, node in view.nodes.items() if node.state in {"stopped", "running"}}
    return replace(view, nodes={**view.nodes, **cut}, ending=None)


def _consensus(result: read.Fields) -> AnalystConsensus:
    return AnalystConsensus(
        direction=read.words(result, "consensus_direction"),
        confidence=read.number(result, "consensus_confidence"),
        support=read.number(result, "key_support"),
        resistance=read.number(result, "key_resistance"),
        scores=read.numbers(result, "weighted_scores"),
    )


def _checked(result: read.Fields, summary: str) -> CheckedClaims:
    return CheckedClaims(
        claims=tuple(claim for row in read.rows(result, "claims") if (claim := _noun(Claim, row)) is not None),
        total=read.count(result, "total_claims"),
        verified=read.count(result, "verified_claims"),
        false=read.count(result, "false_claims"),
        unverifiable=read.count(result, "unverifiable_claims"),
        score=read.number(result, "hallucination_score") or 0.0,
        penalty_pct=read.number(result, "penalty_pct") or 0.0,
        gate_closed=read.flag(result, "gate_closed"),
        source_scores=read.numbers(result, "source_scores"),
        summary=summary,
    )


def _noun(kind: type[T], value: Any) -> T | None:
    if not isinstance(value, dict):
        return None
    try:
        return kind.model_validate(value)
    except ValidationError:  # the log of another version
        return None


_STEPS: Mapping[type[EventData], Callable[[RunView, Event, Any], RunView]] = {
    RunStarted: _run_started,
    RunStopped: _run_stopped,
    RunResumed: _run_resumed,
    NodeStarted: _node_started,
    NodeTokens: _node_tokens,
    NodeRetried: _node_retried,
    NodeFinished: _node_finished,
    NodeFailed: _node_failed,
    ModelPlanted: _planted,
    GroundingCorrected: _corrected,
    LimitsChecked: _limits,
    ProposalFiled: _filed,
    RunFinished: _run_finished,
}
