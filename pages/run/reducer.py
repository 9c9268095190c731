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
from engine.domain.events import Event
from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import Usage
from engine.domain.risk import LimitCheck
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
            step = _STEPS.get(event.kind)
            now = replace(step(now, event) if step else now, seq=event.seq, run_id=event.run_id, last_at=event.at)
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


def _run_started(view: RunView, event: Event) -> RunView:
    data = event.data
    facts = RunFacts(
        request=read.inner(data, "request"),
        symbol=read.words(data, "symbol") or "",
        price=read.number(data, "price"),
        venue=read.words(data, "venue") or "",
        feed=read.words(data, "feed") or "",
        timeframe=read.words(data, "timeframe") or "",
        timeframe_htf=read.words(data, "timeframe_htf"),
        path=read.words(data, "path") or ("entry" if "symbol" in data else ""),
        model=read.words(data, "model") or "",
        language=read.words(data, "language") or "en",
        analysts=read.texts(data, "analysts"),
        notes=read.texts(data, "notes"),
        at=read.instant(data, "at"),
        snapshot_id=read.words(data, "snapshot_id") or "",
        snapshot_hash=read.words(data, "snapshot_hash") or "",
        step=read.number(data, "price_step"),
        known=read.numbers(data, "facts"),
        holding=read.inner(data, "holding") or read.inner(read.inner(data, "request"), "holding"),
    )
    return replace(view, facts=facts, started_at=event.at)


def _node(view: RunView, event: Event) -> NodeView:
    return view.nodes.get(event.node or "", NodeView(event.node or ""))


def _keep(view: RunView, node: NodeView) -> RunView:
    return replace(view, nodes={**view.nodes, node.name: node})


def _node_started(view: RunView, event: Event) -> RunView:
    node = _node(view, event)
    if node.ended:  # another round of the debate
        node = NodeView(node.name, before=(*node.before, replace(node, before=())))
    return _keep(view, replace(node, stage=read.words(event.data, "stage"), state="running", started_at=event.at))


def _node_tokens(view: RunView, event: Event) -> RunView:
    node = _node(view, event)
    attempt = read.count(event.data, "attempt") or node.attempt
    texts = {**node.texts, attempt: node.texts.get(attempt, "") + (read.words(event.data, "text") or "")}
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


def _node_retried(view: RunView, event: Event) -> RunView:
    node = _node(view, event)
    attempt = read.count(event.data, "attempt") or node.attempt + 1
    retry = Retry(
        at=event.at,
        attempt=attempt,
        reason=read.words(event.data, "reason") or "",
        wait_s=read.number(event.data, "wait_s") or 0.0,
        repair=read.flag(event.data, "repair"),
    )
    return _keep(view, replace(node, state="retrying", attempt=attempt, retries=(*node.retries, retry)))


def _node_finished(view: RunView, event: Event) -> RunView:
    node, data = _node(view, event), event.data
    result = read.inner(data, "result") or {key: value for key, value in data.items() if key not in {"usage", "attempt"}}
    abstained = read.flag(result, "abstained") or node.state == "abstained"
    ended = replace(
        node,
        state="abstained" if abstained else "done",
        ended_at=event.at,
        started_at=node.started_at or event.at,
        attempt=read.count(data, "attempt") or node.attempt,
        result=result,
        usage=_noun(Usage, data.get("usage")) or _noun(Usage, result.get("usage")) or node.usage,
        reason=read.words(result, "reason") or "; ".join(read.texts(data, "errors")) or node.reason,
        claims=tuple(claim for row in read.rows(data, "claims") if (claim := _noun(Claim, row)) is not None),
    )
    view = _keep(view, ended)
    if node.name == "aggregator":
        return replace(view, consensus=_consensus(result))
    if node.name.endswith("grounding"):
        return replace(view, checked=_checked(result, read.words(data, "grounding_summary") or ""))
    return view


def _node_failed(view: RunView, event: Event) -> RunView:
    node = _node(view, event)
    consequence = read.words(event.data, "consequence")
    state: NodeState = "abstained" if consequence == "abstains" else "failed"
    reason = read.words(event.data, "reason") or node.reason
    usage, started = _noun(Usage, event.data.get("usage")) or node.usage, node.started_at or event.at
    ended = replace(node, state=state, reason=reason, consequence=consequence, ended_at=event.at, started_at=started, usage=usage)
    return _keep(view, ended)


def _planted(view: RunView, event: Event) -> RunView:
    data = event.data
    role, key = read.words(data, "role") or event.node or "", read.words(data, "key") or ""
    lie = PlantedLie(role, key, read.value(data, "stated"), read.value(data, "true"))
    return replace(view, planted=(*view.planted, lie))


def _corrected(view: RunView, event: Event) -> RunView:
    data = event.data
    start, end, deviation = (read.number(data, key) for key in ("start", "end", "deviation"))
    fix = Correction(
        node=event.node,
        source=read.words(data, "source") or event.node or "",
        key=read.words(data, "key") or read.words(data, "indicator") or "",
        start=int(start) if start is not None else None,
        end=int(end) if end is not None else None,
        claim_text=read.words(data, "text") or "",
        claimed=read.value(data, "claimed"),
        actual=read.value(data, "actual"),
        kind=read.words(data, "kind") or "",
        unit=read.words(data, "unit") or "",
        deviation_pct=deviation * 100 if deviation is not None else None,
    )
    return replace(view, corrections=(*view.corrections, fix))


def _limits(view: RunView, event: Event) -> RunView:
    checks = tuple(check for row in read.rows(event.data, "limits") if (check := _noun(LimitCheck, row)) is not None)
    return replace(view, limits=checks, limits_passed=read.flag(event.data, "passed"))


def _filed(view: RunView, event: Event) -> RunView:
    fields = {name: read.words(event.data, name) or "" for name in ("proposal_id", "state", "why", "hash")}
    return replace(view, filed=Filed(**fields))


def _run_finished(view: RunView, event: Event) -> RunView:
    data = event.data
    ending = Ending(
        at=event.at,
        status=read.words(data, "status") or "",
        action=read.words(data, "final_action"),
        headline=read.words(data, "headline"),
        is_valid=read.flag(data, "is_valid"),
        errors=read.texts(data, "errors"),
        warnings=read.texts(data, "warnings"),
        metrics=read.inner(data, "metrics"),
    )
    nodes = {name: node if node.ended else replace(node, state="stopped", ended_at=event.at) for name, node in view.nodes.items()}
    return replace(view, nodes=nodes, ending=ending)


def _run_stopped(view: RunView, event: Event) -> RunView:
    reason = read.words(event.data, "reason")
    ending = Ending(at=event.at, status="stopped", action=None, is_valid=False, errors=(reason,) if reason else (), warnings=(), metrics={})
    nodes = {name: node if node.ended else replace(node, state="stopped", ended_at=event.at) for name, node in view.nodes.items()}
    return replace(view, nodes=nodes, ending=ending)


def _run_resumed(view: RunView, event: Event) -> RunView:
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


_STEPS: Mapping[str, Callable[[RunView, Event], RunView]] = {
    "run.started": _run_started,
    "run.stopped": _run_stopped,
    "run.resumed": _run_resumed,
    "node.started": _node_started,
    "node.tokens": _node_tokens,
    "node.retried": _node_retried,
    "node.finished": _node_finished,
    "node.failed": _node_failed,
    "model.planted": _planted,
    "grounding.corrected": _corrected,
    "limits.checked": _limits,
    "proposal.filed": _filed,
    "run.finished": _run_finished,
}
