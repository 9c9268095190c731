"""Disputes: what people say was struck wrongly, kept with the run, and as labelled texts.

A dispute is two kinds of rows of the audit chain, made and withdrawn, about a claim of a run. It is not in the run's log, which is sealed
once a proposal rests on it, and it changes nothing that was decided: score, gate and decision stay as they were recorded.

Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal, and raises a TribunalError
with one clear line when it cannot do what it says.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue, ValidationError

from engine.bootstrap.container import Container
from engine.desks import DeskApis
from engine.domain.audit import AuditRow
from engine.domain.claims import Claim
from engine.domain.dispute import Dispute
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.domain.text.visible import visible
from engine.runs.read_texts import ReadText, read_texts

_MADE: Final = "claim.disputed"
_WITHDRAWN: Final = "claim.dispute_withdrawn"
_MOST_WHY: Final = 300


@dataclass(frozen=True)
class DisputedText:
    """A text with disputed claims. case: as `tests/grounding` reads it, plain JSON. disputes: of its claims, in reading order."""

    case: Mapping[str, JsonValue]
    disputes: tuple[Dispute, ...]


class Disputes:
    """The part of `Engine` that is about disputes."""

    def __init__(self, container: Container, apis: DeskApis) -> None:
        self._container, self._apis = container, apis

    def of(self, run_id: str) -> tuple[Dispute, ...]:
        """Return what is disputed of a run now, oldest first."""
        return self._open(f"{run_id}/")

    def all(self) -> tuple[Dispute, ...]:
        """Return what is disputed of any run now, oldest first."""
        return self._open("")

    def counts(self) -> Mapping[str, int]:
        """Return run -> how many of its claims are disputed; runs without any are not in it."""
        return Counter(dispute.run_id for dispute in self.all())

    def _open(self, subject_begins: str) -> tuple[Dispute, ...]:
        rows = self._container.journal.audit.unresolved(_MADE, _WITHDRAWN, subject_begins)
        return tuple(found for row in rows if (found := _dispute(row)) is not None)

    def dispute(self, run_id: str, claim_id: str, who: str, why: str = "") -> None:
        """Write down that a claim was struck wrongly. Of one that is disputed already the newer word counts. Raises BadInput where the run
        has no struck claim of that id."""
        claim, disputed = self._struck(run_id, claim_id), {each.claim.id for each in self.of(run_id)}
        if claim_id in disputed:
            self._note(_WITHDRAWN, run_id, claim_id, who)
        reason = visible(" ".join(why.split()))[:_MOST_WHY]
        self._note(_MADE, run_id, claim_id, who, reason, {"claim": claim.model_dump(mode="json")})

    def withdraw(self, run_id: str, claim_id: str, who: str) -> None:
        """Withdraw a dispute of any person; a claim that is not disputed is left as it is."""
        if any(each.claim.id == claim_id for each in self.of(run_id)):
            self._note(_WITHDRAWN, run_id, claim_id, who)

    def _note(self, kind: str, run_id: str, claim_id: str, who: str, why: str = "", data: dict[str, JsonValue] | None = None) -> None:
        self._container.journal.audit.note(kind, who, f"{run_id}/{claim_id}", why, data)

    def _struck(self, run_id: str, claim_id: str) -> Claim:
        found = (claim for each in self._texts(run_id) for claim in each.claims if claim.id == claim_id and claim.is_struck)
        if (claim := next(found, None)) is None:
            raise BadInput(Reason("run_has_no_struck_claim", run_id=run_id, claim_id=f"{claim_id[:40]!r}"))
        return claim

    def _texts(self, run_id: str) -> list[ReadText]:
        return read_texts(self._container.runner.events(run_id))

    def texts(self, run_id: str | None = None) -> tuple[list[DisputedText], list[str]]:
        """Return every text with disputed claims, in the order in which their runs were first disputed, and the runs whose texts the
        journal no longer keeps. run_id: of this run only; raises BadInput where there is none of that id."""
        if run_id is not None and self._container.journal.run(run_id) is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        by_run: dict[str, dict[str, Dispute]] = {}
        for dispute in self._open("" if run_id is None else f"{run_id}/"):
            by_run.setdefault(dispute.run_id, {})[dispute.claim.id] = dispute
        found, lost = [], []
        for each, disputes in by_run.items():
            cases = self._cases(each, disputes)
            found += cases
            if sum(len(case.disputes) for case in cases) < len(disputes):
                lost.append(each)
        return found, lost

    def _cases(self, run_id: str, disputes: Mapping[str, Dispute]) -> list[DisputedText]:
        from engine.grounding.one_text import labelled_text  # noqa: PLC0415 - all its words, and no page need wait for them

        record, cases = self._container.journal.run(run_id), []
        for read in self._texts(run_id) if record is not None else ():
            own = tuple(disputes[claim.id] for claim in read.claims if claim.id in disputes)
            if own and record is not None and (about := self._about(record, read.source)) is not None:
                sheet, path = about
                name = f"{run_id}-{read.source}-{read.number}"
                cases.append(DisputedText(labelled_text(name, read.text, read.claims, sheet, path, frozenset(disputes)), own))
        return cases

    def _about(self, record: RunRecord, source: str) -> tuple[FactSheet, str] | None:
        """Return the facts that the words of a node are about, and the path of its case; None where they are not kept any more."""
        result = record.result or {}
        said_on = (result.get("said_on") or {}).get(source)
        run_id = said_on["run_id"] if said_on else record.run_id
        return self._apis.facts_of(run_id, result)


def _dispute(row: AuditRow) -> Dispute | None:
    """Return a dispute out of its row; None for one of another version."""
    try:
        claim = Claim.model_validate(row.data.get("claim"))
    except ValidationError:
        return None
    return Dispute(run_id=row.subject.partition("/")[0], claim=claim, who=row.who, at=row.at, why=row.why)
