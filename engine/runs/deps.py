"""What the runner depends on: the flows there are, and where their models come from; made by the composition root."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.agents.access import Emit, ModelAccess
from engine.domain.errors import BadInput
from engine.domain.run import RunRequest
from engine.flows.protocol import Flow, RunDeps


@dataclass(frozen=True)
class RunnerDeps:
    """What every run of a process is given.

    flows: by name. flow_deps: what flows get from the process. access: (request, hash of the inputs, emit) -> the models of a run. ready:
    raises ModelUnavailable when no call could succeed. clock: gives the present instant, aware UTC. deadline_s: seconds of a whole run.
    """

    flows: Mapping[str, Flow]
    flow_deps: RunDeps
    access: Callable[[RunRequest, str, Emit], ModelAccess]
    ready: Callable[[RunRequest], Awaitable[None]]
    clock: Callable[[], datetime]
    deadline_s: float

    def flow(self, request: RunRequest) -> Flow:
        """Return the flow of a request. Raises BadInput where this installation has none of that name."""
        return flow_of(self.flows, request)


def flow_of(flows: Mapping[str, Flow], request: RunRequest) -> Flow:
    """Return the flow of a request. Raises BadInput where there is none of that name."""
    if request.flow not in flows:
        raise BadInput(f"the flow {request.flow[:40]!r} is not known here; flows are {', '.join(flows)}")
    return flows[request.flow]
