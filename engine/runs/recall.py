"""What a run recalls of the run it is made from, and of itself when it is continued. Pure."""

from dataclasses import dataclass

from engine.agents.access import NothingKnown, Observed, Recall, Recorded
from engine.agents.recording import Recording
from engine.domain.events import EventKind, MemoryRead
from engine.domain.opinion import Usage
from engine.domain.run import Origin
from engine.flows.forking import Fork
from engine.flows.protocol import Flow

NOTHING: Recall = NothingKnown()


@dataclass(frozen=True)
class RecallOfParent:
    """Gives the parent's answers and observations, but none of nodes that are asked anew, and a person's words where `fork` has them.

    complete: the run is only played again: an answer that the parent does not hold counts as lost instead of being asked for. remembers:
    nodes that are asked anew know of the past what they knew in the parent.
    """

    run_id: str
    recording: Recording
    fork: Fork
    complete: bool
    remembers: bool = False

    def answer(self, node: str, turn: int) -> Recorded | None:
        """Return what the node says in that turn (from 1), None when its model is to be asked."""
        if node in self.fork.texts:
            return Recorded(self.fork.texts[node], Usage(model="a person", cost=0.0))
        if node in self.fork.again or turn >= self.fork.since.get(node, turn + 1):
            return None
        known = self.recording.answer(node, turn)
        if known is None and self.complete:
            missing = f"run {self.run_id} holds no answer of {node} here"
            return Recorded("", Usage(model="recorded", cost=0.0), lost=missing)
        return known

    def observation(self, node: str, kind: EventKind, n: int) -> Observed | None:
        """Return the `n`th observation of this kind that the node made, None when it is to be made anew."""
        if node in self.fork.again and not (self.remembers and kind == MemoryRead.kind):
            return None
        return self.recording.observation(node, kind, n)


@dataclass(frozen=True)
class RecallOfBoth:
    """Gives what the run's own log holds, else what `parent` gives."""

    own: Recording
    parent: Recall

    def answer(self, node: str, turn: int) -> Recorded | None:
        """Return the first that is known, None when neither is."""
        return self.own.answer(node, turn) or self.parent.answer(node, turn)

    def observation(self, node: str, kind: EventKind, n: int) -> Observed | None:
        """Return the first that is known, None when neither is."""
        return self.own.observation(node, kind, n) or self.parent.observation(node, kind, n)


def recall_of_parent(flow: Flow, origin: Origin, recording: Recording) -> RecallOfParent:
    """Return what a run with this origin recalls. Raises BadInput for a node or role that the flow does not have."""
    return RecallOfParent(origin.run_id, recording, fork_at(flow, origin), origin.from_node is None, origin.remembers)


def fork_at(flow: Flow, origin: Origin) -> Fork:
    """Return which nodes a run with this origin asks anew; none when it names neither a node nor texts. Raises BadInput."""
    return flow.fork(origin) if origin.from_node is not None or origin.texts else Fork(frozenset())
