"""Cases, as pages and shell see them: decisions made again on the inputs that their runs froze.

Every method may be called from any thread but the engine's own, and raises a TribunalError with one clear line when it cannot do what it
says.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from engine.bootstrap.container import Container
from engine.desks import flows
from engine.domain.cases import CasesResult, FrozenCase, MovedCase, UndecidedCase
from engine.domain.change_of_mind import action_of
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, TribunalError
from engine.domain.exact_tests import one_sided_moves
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.reason import Reason
from engine.runs.deps import flow_of
from engine.runs.origins import forked

_FIRST: Final = "analysis"
"""Where a case is decided again from: everybody is asked."""
_AT_ONCE: Final = 4

Begun = Callable[[str, str], None]
"""Called with a case and the run that decides it again."""


class FrozenCases:
    """The part of `Engine` that is about cases."""

    def __init__(self, container: Container) -> None:
        self._container, self._store = container, container.journal.cases

    def add(self, run_ids: Sequence[str]) -> None:
        """Make finished decisions cases. Raises BadInput, and adds none, where one of them cannot be decided again."""
        for run_id in run_ids:
            self._again(self._decided(run_id), {})
        self._store.add(run_ids, utc_now())

    def remove(self, run_ids: Sequence[str]) -> int:
        """Make runs no cases any more; gives how many were."""
        return self._store.remove(run_ids)

    def all(self) -> list[FrozenCase]:
        """Return every case, in the order in which they were added."""
        return [self._case(run_id, added_at) for run_id, added_at in self._store.all()]

    def _case(self, run_id: str, added_at: datetime) -> FrozenCase:
        try:
            record = self._decided(run_id)
        except BadInput as problem:
            return FrozenCase(run_id=run_id, added_at=added_at, problem=str(problem))
        known = {
            "desk": record.request.flow,
            "subject": record.request.subject,
            "model": record.request.model,
            "at": self._container.journal.run_search.clock(run_id),
            "action": action_of(record.result or {}),
        }
        try:
            self._again(record, {})
        except BadInput as problem:
            return FrozenCase(run_id=run_id, added_at=added_at, problem=str(problem), **known)
        return FrozenCase(run_id=run_id, added_at=added_at, **known)

    def _decided(self, run_id: str) -> RunRecord:
        """Return a run that decided something. Raises BadInput."""
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id[:60]))
        if record.result is None or action_of(record.result) is None:
            raise BadInput(Reason("run_decided_nothing", run_id=run_id[:60]))
        return record

    def _again(self, record: RunRecord, changes: dict[str, object]) -> RunRequest:
        """Return the request of a run that decides a case again. Raises BadInput where that cannot be."""
        flow = flow_of(flows(), record.request)
        if not self._store.has_inputs(record.run_id):
            raise BadInput(Reason("run_has_lost_its_inputs", run_id=record.run_id))
        return flow.tighten(forked(record, _FIRST, flow, {**changes, "remembers": True}), self._container.settings.risk)

    def run(self, model: str | None = None, prompts: Path | None = None, begun: Begun = lambda case, run_id: None) -> CasesResult:
        """Decide every case again and return what moved. model: None = each case's own. prompts: a folder of instructions
        `NODE.LANGUAGE.txt`, None = the built-in ones. Blocks until all are done. Raises BadInput for a folder that cannot be used."""
        from engine.prompts.instructions import read_instructions  # noqa: PLC0415 - the shell alone comes here

        nodes = [seat.node for flow in flows().values() for seat in flow.seats()]
        replaced = read_instructions(prompts, nodes) if prompts is not None else {}
        known, failed = self._store.all(), list[UndecidedCase]()
        moves, moved = list[tuple[str, str]](), list[MovedCase]()

        def request(run_id: str) -> RunRequest:
            record = self._decided(run_id)
            own = {node: text for (node, language), text in replaced.items() if language == record.request.language}
            return self._again(record, {"model": model, "instructions": own or None})

        for case, run_id, problem in self._each([run_id for run_id, _ in known], request, begun):
            if problem is not None:
                failed.append(UndecidedCase(case=case, why=str(problem)))
                continue
            before, now = (str(action_of(self._decided(each).result or {})) for each in (case, run_id))
            moves.append((before, now))
            if before != now:
                is_valid = bool((self._decided(run_id).result or {}).get("is_valid"))
                moved.append(MovedCase(case=case, before=before, now=now, run_id=run_id, is_valid=is_valid))
        return CasesResult(cases=len(known), moved=tuple(moved), p_value=one_sided_moves(moves), not_decided=tuple(failed))

    def _each(
        self, cases: Collection[str], request: Callable[[str], RunRequest], begun: Begun
    ) -> Iterator[tuple[str, str, TribunalError | None]]:
        """Yield every case with the run that decided it again, or why none did, a few at a time."""
        runner, going = self._container.runner, deque[tuple[str, str]]()
        waiting = deque(cases)
        while waiting or going:
            while waiting and len(going) < _AT_ONCE:
                case = waiting.popleft()
                try:
                    run_id = runner.start(request(case))
                except TribunalError as problem:
                    yield case, "", problem
                    continue
                begun(case, run_id)
                going.append((case, run_id))
            if going:
                case, run_id = going.popleft()
                try:
                    runner.wait(run_id)
                except TribunalError as problem:
                    yield case, run_id, problem
                else:
                    yield case, run_id, None

    def newest(self) -> list[MovedCase]:
        """Return every case beside the newest run that decided all of it again, whether it moved or not."""
        found = []
        for case, _ in self._store.all():
            try:
                before = str(action_of(self._decided(case).result or {}))
            except BadInput:  # `all` says why
                continue
            for run_id in self._store.decided_again(case):
                record = self._container.journal.run(run_id)
                origin = record.request.origin if record is not None else None
                if record is not None and origin is not None and origin.from_node == _FIRST and not origin.fresh:
                    result = record.result or {}
                    now, is_valid = str(action_of(result)), bool(result.get("is_valid"))
                    found.append(MovedCase(case=case, before=before, now=now, run_id=run_id, is_valid=is_valid))
                    break
        return found
