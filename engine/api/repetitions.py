"""Decisions that are asked for again, as pages and shell see it: would they say so again?

Every method may be called from any thread but the engine's own, and raises a TribunalError with one clear line when it cannot do what it
says.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from engine.bootstrap.container import Container
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, TribunalError
from engine.domain.run import RunRecord
from engine.domain.stability import MOST_REPETITIONS, REPEATED_FROM, RepeatedAnswer, RepeatFrom, Repetition, Stability, decided_action
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow
from engine.outcomes.lone_voice import all_values, value_of

_KEPT: Final = 32
_SLACK_S: Final = 20.0
"""Beyond the deadline of a call: for reading the inputs and measuring them."""


class Repetitions:
    """The part of `Engine` that asks decisions again."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._plans = lru_cache(maxsize=_KEPT)(self._read_plans)

    def ask(self, run_id: str, k: int, start: str = "judge") -> Stability:
        """Ask the roles of a finished decision `k` times again, from `start` on, and return how far they agree. Blocks until all have
        answered. A series that was broken off goes on. Raises BadInput for a run that is not known, has no decision or cannot be repeated
        from there, and for another number or role."""
        if not 1 <= k <= MOST_REPETITIONS:
            raise BadInput(Reason("repetitions_out_of_bounds", k=k, most=MOST_REPETITIONS))
        record = self._decided(run_id)
        return self._read(self._container.runner.repeat(record, k, _start(start)))

    def last(self, run_id: str) -> Stability:
        """Return how far the last repetitions of a decision agreed. No model is asked. Raises BadInput for a run that is not known, another
        TribunalError for one that was never repeated."""
        return self._read(self._known(run_id))

    def value_of_debate(self, run_id: str) -> dict[str, Any]:
        """Return what the debate of a finished run bought: what one voice decides on the same facts, and what either cost. The voice is
        asked once. Blocks for one model call. Raises BadInput for a run that has no decision to compare."""
        record, store = self._decided(run_id), self._container.journal.repetitions
        if (known := store.comparison(run_id, "value")) is not None:
            return known
        final = record.result or {}

        async def work(flow: Flow, context: Any) -> dict[str, Any]:
            ask = flow.work().alone
            if ask is None:
                raise BadInput(Reason("desk_has_no_debate", flow=flow.name))
            return value_of(run_id, final, await ask(final, context))

        found = self._container.runner.consult(record, work, self._container.settings.call_deadline_s + _SLACK_S)
        store.compare(run_id, "value", found, utc_now())
        return found

    def value_so_far(self) -> dict[str, Any]:
        """Return what debates bought over all decisions that one voice was asked for, too."""
        return all_values(self._container.journal.repetitions.comparisons("value"))

    def can_be_asked(self, record: RunRecord) -> bool:
        """Return whether the roles of a finished run can be asked again."""
        flow = self._container.flows.get(record.request.flow)
        return flow is not None and record.result is not None and flow.repeat_node(record.request, "judge") is not None

    def of_stamp(self, record: RunRecord) -> list[Repetition]:
        """Return the repetitions that the `stability` of a final state is of; none where it has none."""
        if not (record.result or {}).get("stability"):
            return []
        return self._container.journal.repetitions.newest(record.run_id, complete=True)

    def plans_of_stamp(self, record: RunRecord) -> tuple[RepeatedAnswer, ...]:
        """Return the plans of those repetitions that came to the decision's own action; none where the final state has no stamp, and where
        the action has no levels. A page asks for them at every poll: they are read once a stamp."""
        final = record.result or {}
        own, stamp = decided_action(final), final.get("stability")
        return self._plans(record.run_id, own, json.dumps(stamp)) if own is not None and stamp else ()

    def _read_plans(self, run_id: str, own: str, stamp: str) -> tuple[RepeatedAnswer, ...]:
        answers = (each.answer for each in self._container.journal.repetitions.newest(run_id, complete=True))
        return tuple(each for each in answers if each is not None and each.action == own and each.entry is not None)

    def _read(self, record: RunRecord) -> Stability:
        stamp = (record.result or {}).get("stability")
        if not stamp:
            raise TribunalError(Reason("run_was_not_repeated", run_id=record.run_id))
        return Stability.read(stamp)

    def _known(self, run_id: str) -> RunRecord:
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id[:60]))
        return record

    def _decided(self, run_id: str) -> RunRecord:
        record = self._known(run_id)
        if record.result is None:
            raise BadInput(Reason("run_has_no_decision_yet", run_id=run_id))
        return record


def _start(name: str) -> RepeatFrom:
    for known in REPEATED_FROM:
        if known == name:
            return known
    names: Sequence[str] = REPEATED_FROM
    raise BadInput(Reason("repetitions_begin_at", start=f"{name[:40]!r}", known=", ".join(names)))
