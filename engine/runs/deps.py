"""What the runner depends on: the flows there are, and where their models come from; made by the composition root."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from engine.agents.access import Emit, ModelAccess
from engine.domain.errors import BadInput
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow, RunDeps


class MakeAccess(Protocol):
    """Gives the models of one run."""

    def __call__(self, request: RunRequest, context: str, emit: Emit, *, is_watched: bool = True) -> ModelAccess:
        """context: hash of the inputs. is_watched: its words are read while they come."""
        ...


@dataclass(frozen=True)
class RunnerDeps:
    """What every run of a process is given.

    flows: by name. flow_deps: what flows get from the process. access: (request, hash of the inputs, emit) -> the models of a run. ready:
    raises ModelUnavailable when no call could succeed. clock: gives the present instant, aware UTC. deadline_s: gives the seconds of
    a whole run. failed: told of a run that could not begin or go on and that no other run asked for; from the engine's loop, must not wait.
    """

    flows: Mapping[str, Flow]
    flow_deps: RunDeps
    access: MakeAccess
    ready: Callable[[RunRequest], Awaitable[None]]
    clock: Callable[[], datetime]
    deadline_s: Callable[[], float]
    failed: Callable[[RunRecord], None]

    def flow(self, request: RunRequest) -> Flow:
        """Return the flow of a request. Raises BadInput where this installation has none of that name."""
        return flow_of(self.flows, request)


def flow_of(flows: Mapping[str, Flow], request: RunRequest) -> Flow:
    """Return the flow of a request. Raises BadInput where there is none of that name."""
    if request.flow not in flows:
        raise BadInput(Reason("flow_is_not_known_here", flow=f"{request.flow[:40]!r}", flows=", ".join(flows)))
    return flows[request.flow]
