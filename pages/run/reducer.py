"""Given the events of one run, gives the view that pages draw. Pure: the same events give the same view, in one go or in pieces.

    view = reducer.reduce(new_events, view)

This is what runs of every flow have; what a flow's own events change is in its room, beside its view. Events already seen (a `seq`
not above the view's) change nothing, so overlapping polls are harmless. It never raises for a prefix of a log, and never for `data` of an
unknown shape: what cannot be read is missing in the view.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from engine.domain.events import (
    Event,
    EventData,
    MarketOpening,
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
from engine.domain.text.reason import Reason
from pages.frame import json_fields as read
from pages.run.view import Ending, Filed, NodeState, NodeView, Retry, RunFacts, RunView

V = TypeVar("V", bound=RunView)


@dataclass(frozen=True)
class ViewReducer(Generic[V]):
    """How the log of a flow's runs is read. empty: its view before any event. own: what an event changes of the flow's own part, by the
    type of its data, as `step(view, event, data) -> view`; it is given the view with the shared part updated already."""

    empty: V
    own: Mapping[type[EventData], Callable[[V, Event, Any], V]] = field(default_factory=dict)

    def reduce(self, events: Iterable[Event], view: V | None = None) -> V:
        """Return the view after `events`, which follow those `view` was made from; None: from the beginning."""
        now = view if view is not None else self.empty
        for event in events:
            if event.seq > now.seq:
                kind = type(event.data)
                shared, own = _STEPS.get(kind), self.own.get(kind)
                now = shared(now, event, event.data) if shared else now
                now = own(now, event, event.data) if own else now
                now = replace(now, seq=event.seq, run_id=event.run_id, last_at=event.at, faults=now.faults.after(event))
        return now


def _run_started(view: V, event: Event, data: RunStarted) -> V:
    said = MarketOpening.read(data.to_json())
    facts = RunFacts(data.request, said.model, said.language, said.notes, said.snapshot_hash)
    return replace(view, facts=facts, started_at=event.at)


def _node(view: V, event: Event) -> NodeView:
    return view.nodes.get(event.node or "", NodeView(event.node or ""))


def _keep(view: V, node: NodeView) -> V:
    return replace(view, nodes={**view.nodes, node.name: node})


def _node_started(view: V, event: Event, data: NodeStarted) -> V:
    node = _node(view, event)
    if node.ended:  # another round of the debate
        node = NodeView(node.name, before=(*node.before, replace(node, before=())))
    return _keep(view, replace(node, stage=data.stage, state="running", started_at=event.at, from_seq=node.from_seq or event.seq))


def _node_tokens(view: V, event: Event, data: NodeTokens) -> V:
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
            from_seq=node.from_seq or event.seq,
            first_tokens={attempt: event.at, **node.first_tokens},
        ),
    )


def _node_retried(view: V, event: Event, data: NodeRetried) -> V:
    node = _node(view, event)
    attempt = data.attempt or node.attempt + 1
    retry = Retry(at=event.at, attempt=attempt, reason=data.reason, wait_s=data.wait_s, repair=data.repair)
    return _keep(view, replace(node, state="retrying", attempt=attempt, retries=(*node.retries, retry)))


def _node_finished(view: V, event: Event, data: NodeFinished) -> V:
    node = _node(view, event)
    result = data.result or {key: value for key, value in data.to_json().items() if key not in {"usage", "attempt"}}
    abstained = read.flag(result, "abstained") or node.state == "abstained"
    ended = replace(
        node,
        state="abstained" if abstained else "done",
        ended_at=event.at,
        started_at=node.started_at or event.at,
        from_seq=node.from_seq or event.seq,
        to_seq=event.seq,
        attempt=data.attempt or node.attempt,
        result=result,
        usage=data.usage or NodeFinished.read(result).usage or node.usage,
        reason=read.words(result, "reason") or Reason.listed(data.errors) or node.reason,
        claims=data.claims,
    )
    return _keep(view, ended)


def _node_failed(view: V, event: Event, data: NodeFailed) -> V:
    node = _node(view, event)
    state: NodeState = "abstained" if data.consequence == "abstains" else "failed"
    ended = replace(
        node,
        state=state,
        reason=data.reason or node.reason,
        consequence=data.consequence,
        ended_at=event.at,
        started_at=node.started_at or event.at,
        from_seq=node.from_seq or event.seq,
        to_seq=event.seq,
        usage=data.usage or node.usage,
    )
    return _keep(view, ended)


def _filed(view: V, event: Event, data: ProposalFiled) -> V:
    return replace(view, filed=Filed(proposal_id=data.proposal_id, state=data.state, why=data.why or "", hash=data.hash))


def _run_finished(view: V, event: Event, data: RunFinished) -> V:
    ending = Ending(
        at=event.at,
        status=data.status,
        action=data.final_action,
        headline=data.headline,
        is_valid=data.is_valid,
        errors=data.errors,
        warnings=data.warnings,
        metrics=data.metrics,
        shown=data.to_json(),
    )
    nodes = {
        name: node if node.ended else replace(node, state="stopped", ended_at=event.at, to_seq=event.seq)
        for name, node in view.nodes.items()
    }
    if view.faults.refused and not data.is_valid:  # the run says it, once for all of them
        nodes = {name: replace(node, reason=None) if node.reason == view.faults.refused else node for name, node in nodes.items()}
    return replace(view, nodes=nodes, ending=ending)


def _cut(node: NodeView, event: Event) -> NodeView:
    return replace(node, state="stopped", ended_at=event.at, to_seq=event.seq)


def _run_stopped(view: V, event: Event, data: RunStopped) -> V:
    errors = (data.reason,) if data.reason else ()
    ending = Ending(at=event.at, status="stopped", action=None, is_valid=False, errors=errors, warnings=(), metrics={})
    nodes = {
        name: node if node.ended else replace(node, state="stopped", ended_at=event.at, to_seq=event.seq)
        for name, node in view.nodes.items()
    }
    return replace(view, nodes=nodes, ending=ending)


def _run_resumed(view: V, event: Event, data: RunResumed) -> V:
    """Return the view in which what had been cut waits for its turn again."""
    cut = {
        name: replace(node, state="waiting", ended_at=None, to_seq=0)
        for name, node in view.nodes.items()
        if node.state in {"stopped", "running"}
    }
    return replace(view, nodes={**view.nodes, **cut}, ending=None)


_STEPS: Mapping[type[EventData], Callable[[Any, Event, Any], Any]] = {
    RunStarted: _run_started,
    RunStopped: _run_stopped,
    RunResumed: _run_resumed,
    NodeStarted: _node_started,
    NodeTokens: _node_tokens,
    NodeRetried: _node_retried,
    NodeFinished: _node_finished,
    NodeFailed: _node_failed,
    ProposalFiled: _filed,
    RunFinished: _run_finished,
}

PLAIN: ViewReducer[RunView] = ViewReducer(RunView())
"""Of a flow that has nothing of its own to say to the pages."""
