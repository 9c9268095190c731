"""A run of another flow that a node asks for: begun once, waited for, and its end recalled like an answer.

Its name is in the log before it begins, its end when it has ended: a run that is continued waits for the child that it began, one that is
forked or played again reads what came of it, and no one begins it twice.
"""

from typing import Protocol

from engine.agents.access import ModelAccess
from engine.domain.errors import BadInput
from engine.domain.events import ChildFinished, ChildStarted
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.reason import Reason


class Children(Protocol):
    """The runs that one run asks for."""

    def new_id(self) -> str:
        """Return a name for one more."""
        ...

    async def run(self, run_id: str, request: RunRequest) -> RunRecord:
        """Return the record of a child that has ended: finished, failed, or stopped by a person. One of that name that there is goes on,
        or is what it came to; else it begins, after everything its parent has said is written down. Cancelled, it is stopped where its
        parent is. Raises BadInput for one that may not begin, StoreError."""
        ...


async def run_child(access: ModelAccess, node: str, n: int, request: RunRequest, children: Children | None) -> ChildFinished:
    """Return how the `n`th (from 1) child of a node ended; its `result` is None unless it finished. children: None in a run that is only
    verified. A child that may not begin (of a flow that there is not, below too many others) is a failed one. Raises BadInput where one
    would have to begin in a run that is only verified."""
    started = access.recall.observation(node, ChildStarted.kind, n)
    ended = access.recall.observation(node, ChildFinished.kind, n)
    if ended is not None and isinstance(ended.data, ChildFinished):
        for known in (started, ended):
            if known is not None and not known.already_logged:
                access.emit(node, known.data)
        return ended.data
    if children is None:
        raise BadInput(Reason("run_holds_no_end_of_run", node=node))
    if started is not None and started.already_logged and isinstance(started.data, ChildStarted):
        run_id = started.data.run_id
    else:  # a child of the run that this one was made from is not its own
        run_id = children.new_id()
        access.emit(node, ChildStarted(run_id=run_id, flow=request.flow, subject=request.subject, n=n))
    try:
        record = await children.run(run_id, request)
        finished = ChildFinished(run_id=run_id, status=record.status, result=record.result, error=record.error, n=n)
    except BadInput as refused:  # written down too: a run that is played again reads the same
        finished = ChildFinished(run_id=run_id, status="failed", result=None, error=str(refused), n=n)
    access.emit(node, finished)
    return finished
