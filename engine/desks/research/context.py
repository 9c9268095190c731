"""What the nodes of a run get beside its state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.desks.research.request import ResearchInputs, ResearchRequest
from engine.domain.ended import Memory
from engine.domain.errors import SearchError
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.flows.protocol import RunContext
from engine.search.protocol import SearchRoom


@dataclass(frozen=True)
class ResearchContext(RunContext[ResearchRequest, ResearchInputs]):
    """open_room: (folder of a library) -> the room of search, made late. read_memories: (flow, subject, name, until=, limit=) ->
    memories; blocking. read_runs: (flow, subject, feed, until, limit) -> finished runs; blocking. All None where a run is only verified:
    then nothing may be read that is not recorded."""

    open_room: Callable[[str | None], SearchRoom] | None = None
    read_memories: Callable[..., Sequence[Memory]] | None = None
    read_runs: Callable[[str, str, str, datetime, int], Sequence[RunRecord]] | None = None

    @property
    def room(self) -> SearchRoom:
        """What searches. Raises SearchError in a run that is only verified, and where there is none."""
        if self.open_room is None:
            raise SearchError(Reason("this_run_reads_nothing"))
        return self.open_room(self.request.library)

    def fetched_at(self, now: datetime) -> datetime:
        """Return when what is fetched counts as fetched: a run about the present began at its clock."""
        return self.inputs.at if self.inputs.is_present else now
