"""What a factor tells and what it has read, numbered: in the log of a run, or nowhere for a plan on its own.

Readings are recalled, so that no tool is asked twice. What only follows from them is written once, also by a run that is continued.
"""

from collections import Counter
from collections.abc import Awaitable, Callable

from engine.agents.access import ModelAccess
from engine.agents.observe import observe
from engine.domain.events import Observation
from engine.domain.plan.events import PlanTaskFinished


class FactorLog:
    """The log of one node. access: None = there is no run."""

    def __init__(self, access: ModelAccess | None, node: str) -> None:
        self._access, self.node = access, node
        self._counts: Counter[str] = Counter()

    async def finished(self, read: Callable[[int], Awaitable[PlanTaskFinished]]) -> PlanTaskFinished:
        """Return what the next attempt gave: as it is known already, or what `read` gives, which gets its number."""
        self._counts[PlanTaskFinished.kind] += 1
        n = self._counts[PlanTaskFinished.kind]
        if self._access is None:
            return await read(n)
        return await observe(self._access, self.node, PlanTaskFinished, n, lambda: read(n))

    def note(self, data: Observation) -> None:
        """Write down what follows from what was read."""
        self._counts[data.kind] += 1
        if self._access is not None:
            emit_once(self._access, self.node, data, self._counts[data.kind])


def emit_once(access: ModelAccess, node: str, data: Observation, n: int) -> None:
    """Emit the `n`th event of its kind in a node, unless the run's own log holds it."""
    known = access.recall.observation(node, data.kind, n)
    if known is None or not known.already_logged:
        access.emit(node, data.plus(n=n))
