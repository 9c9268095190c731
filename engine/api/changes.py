"""Change of mind: a decision beside the one before it about the same market, for the same account.

Facts, words and conditions are compared by code, out of what both runs froze; no model is asked and no market is read. Every method may be
called from any thread but the engine's own, blocks for a moment while words are read anew, and raises a TribunalError with one clear line.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from engine.api.seats import role_of
from engine.bootstrap.container import Container
from engine.desks import DeskApis
from engine.domain.change_of_mind import ChangeOfMind, FallenClaim, action_of, reverses, stance_of
from engine.domain.clock import utc_now
from engine.domain.decision import Signal
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.domain.invalidation import Invalidation, Thesis
from engine.domain.proposal import ProposalState
from engine.domain.run import RunRecord
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.runs.previous import previous_decision

if TYPE_CHECKING:
    from engine.runs.read_texts import ReadText

_KEPT: Final = 64
_SPEAKS_LAST: Final = ("executor", "trader", "judge", "risk_judge", "research_manager")
"""Whose fallen words come first: those nearest to the decision."""
_ENTRIES: Final = (Signal.ENTRY_LONG.value, Signal.ENTRY_SHORT.value, "buy")


class Changes:
    """The part of `Engine` that is about changes of mind. versions: run -> node -> the version of its prompt."""

    def __init__(self, container: Container, apis: DeskApis, versions: Callable[[str], Mapping[str, str]]) -> None:
        self._container, self._apis, self._versions = container, apis, versions
        self._between = lru_cache(maxsize=_KEPT)(self._compare)

    def of(self, run_id: str, language: Language = "en") -> ChangeOfMind:
        """Return how a finished decision differs from the one before it. language: of the conditions. Raises BadInput for a run that is not
        known or decided nothing."""
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id[:60]))
        now = action_of(record.result) if record.result is not None else None
        if now is None or record.request.account_ref is None:
            raise BadInput(Reason("run_decided_nothing", run_id=run_id[:60]))
        clock = self._container.journal.run_search.clock(run_id)
        before = previous_decision(self._container.journal, record.request, clock) if clock is not None else None
        if before is None:
            return ChangeOfMind(run_id=run_id, previous=None, action_before=None, action_now=now, first_of=self._first_of(record))
        found = self._between(run_id, before.run_id, language)
        return found.model_copy(update={"person": self._answer(before.run_id)})

    def _first_of(self, record: RunRecord) -> str | None:
        """Return what a run is the first decision about at its desk; None where it is not, and for a second opinion on another run."""
        request = record.request
        if not (record.result or {}).get("is_valid") or not (request.origin is None or request.origin.fresh):
            return None
        return request.subject if self._container.journal.run_search.is_first(record.run_id) else None

    def _answer(self, run_id: str) -> ProposalState | None:
        proposal = self._container.journal.proposal_store.of_run(run_id)
        return proposal.as_at(utc_now()).state if proposal is not None else None

    def _compare(self, run_id: str, previous: str, language: Language) -> ChangeOfMind:
        from engine.facts.change import moved_facts, numbers_of  # noqa: PLC0415 - TA-Lib, which no page need wait for

        journal = self._container.journal
        now, before = journal.run(run_id), journal.run(previous)
        assert now is not None
        assert before is not None
        known, known_before = self._facts(now), self._facts(before)
        stances = stance_of(before.result or {}), stance_of(now.result or {})
        change = ChangeOfMind(
            run_id=run_id,
            previous=previous,
            action_before=action_of(before.result or {}),
            action_now=str(action_of(now.result or {})),
            reversal=reverses(*stances),
            previous_at=journal.run_search.clock(previous),
            other_model=before.request.model if before.request.model != now.request.model else None,
            prompts_changed=self._prompts_changed(before, now),
        )
        if known is None or known_before is None:  # the inputs of one of them are not kept any more
            return change
        (sheet, path), sheet_before = known, known_before[0]
        moves = moved_facts(numbers_of(sheet_before), sheet, self._apis.history_of(run_id))
        fired = tuple(_fired(before, journal.snapshot(previous), sheet_before, sheet, language))
        return change.model_copy(
            update={
                "facts": moves,
                "claims_fallen": self._fallen(previous, sheet_before, sheet, path),
                "invalidations_fired": fired,
                "reversal_without_fact": change.reversal and not moves and not fired,
            }
        )

    def _prompts_changed(self, previous: RunRecord, now: RunRecord) -> tuple[str, ...]:
        """Return the nodes whose prompt differs; none where the versions of one run are not known, or the two were asked in different
        languages: their prompts cannot be compared."""
        if previous.request.language != now.request.language:
            return ()
        before, versions = self._versions(previous.run_id), self._versions(now.run_id)
        return tuple(node for node in versions if before.get(node) != versions[node]) if before else ()

    def _facts(self, record: RunRecord) -> tuple[FactSheet, str] | None:
        return self._apis.facts_of(record.run_id, record.result or {})

    def _fallen(self, previous: str, before: FactSheet, now: FactSheet, path: str) -> tuple[FallenClaim, ...]:
        """Return what was true when it was said in an earlier run and is false now, each once, those nearest to its decision first."""
        from engine.runs.read_texts import read_texts  # noqa: PLC0415 - as above

        found: dict[FallenClaim, None] = {}
        for read in read_texts(self._container.runner.events(previous)):
            found |= dict.fromkeys(_fallen_in(read, before, now, path))
        order = {role: place for place, role in enumerate(_SPEAKS_LAST)}
        return tuple(sorted(found, key=lambda claim: order.get(claim.role, len(order))))


def _fallen_in(read: "ReadText", before: FactSheet, now: FactSheet, path: str) -> Iterator[FallenClaim]:
    from engine.grounding.reading import read_claims  # noqa: PLC0415 - all its words, and no page need wait for them
    from engine.grounding.tables.markets import table_of  # noqa: PLC0415 - late, as above

    held = {(claim.start, claim.end, claim.key) for claim in read.claims if claim.when_said == "true"}
    for claim in read_claims(read.text, now, read.source, None, before, table=table_of(path)):
        if claim.has_moved and (claim.start, claim.end, claim.key) in held:
            yield FallenClaim(role=role_of(read.source), text=claim.text, key=claim.key)


def _fired(before: RunRecord, snapshot: Any, then: FactSheet, now: FactSheet, language: Language) -> Iterator[str]:
    """Yield the conditions that were to prove a decision wrong, were not so when it was made, and are now."""
    from engine.facts.thesis import check_thesis, condition_text  # noqa: PLC0415 - late, as above

    conditions = _conditions(before.result or {}, snapshot.thesis if snapshot is not None else None, then)
    if not conditions:
        return
    thesis = Thesis(run_id=before.run_id, at=before.created_at, invalidations=conditions)
    for was, is_now in zip(check_thesis(thesis, then), check_thesis(thesis, now), strict=True):
        if is_now.broken and not was.broken:
            yield condition_text(is_now, language)


def _conditions(result: Mapping[str, Any], held: Thesis | None, sheet: FactSheet) -> tuple[Invalidation, ...]:
    """Return what would prove a decision wrong: of an entry by its facts, of a position that is kept what its entry wrote down."""
    from engine.facts.thesis import invalidations_of  # noqa: PLC0415 - late, as above

    if held is not None:
        return held.invalidations if stance_of(result) else ()
    return invalidations_of(sheet, stance_of(result)) if action_of(result) in _ENTRIES else ()
