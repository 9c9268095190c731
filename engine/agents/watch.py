"""Every node says when it starts and how it ends: the events of a node around its work."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import JsonValue
from structlog.contextvars import bound_contextvars

from engine.agents.access import Emit
from engine.domain.events import NodeFailed, NodeFinished, NodeStarted

Stage = str
"""Which part of its flow a node belongs to, in the flow's own words."""
Consequence = Literal["abstains", "safe_action"]


@dataclass
class Watched:
    """How a node ended. Fill `data` for its end event, or call `failed`."""

    data: NodeFinished = field(default_factory=NodeFinished)
    failure: tuple[str, Consequence] | None = None

    def failed(self, reason: str, consequence: Consequence) -> None:
        """Note that the node gave nothing usable, and why; the run goes on as `consequence` says."""
        self.failure = (reason, consequence)


@contextmanager
def watch(emit: Emit, node: str, stage: Stage, **fields: Any) -> Iterator[Watched]:
    """Emit `node.started`, then `node.finished` or `node.failed`. An exception is written down as a failure and raised again. fields: of
    the start."""
    emit(node, NodeStarted(stage=stage, **fields))
    watched = Watched()
    try:
        with bound_contextvars(node=node):
            yield watched
    except Exception as problem:
        emit(node, NodeFailed(reason=f"{type(problem).__name__}: {problem}"[:300], consequence="safe_action"))
        raise
    if watched.failure is None:
        emit(node, watched.data)
    else:
        reason, consequence = watched.failure
        emit(node, NodeFailed(**watched.data.to_json(), reason=reason, consequence=consequence))


def without_text(dumped: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a role's result for its end event: its text is in the log already, as tokens."""
    return {key: value for key, value in dumped.items() if key not in ("text", "usage")}
