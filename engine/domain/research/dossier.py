"""What a finished run of research or of a plan hands to other desks: statements, each with its sources and its date, and the documents.

Every word of documents is someone else's: shown escaped, quoted to models as data. `Dossier.known_at` is the only door for a desk that
decides at an instant: what it gives was known by then.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, Field

from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.research.publication import is_dated_after, is_known
from engine.domain.text.reason import Reason

StatementStatus = Literal["supported", "unsupported", "no_number"]
LeftOut = Literal["later", "undated", "unsupported"]
"""Why a statement is no evidence at an instant: it, or a document it rests on, is or may be dated later; is undated, and was fetched
later; or no source bears it out."""
Share = Annotated[float, Field(ge=0, le=1)]
_Row = TypeVar("_Row", bound=FrozenModel)


class StatedNumber(FrozenModel):
    """A number in a statement. text: as it is there. start, end: its offsets in the answer. value: scale words applied. unit: `%`, `x`,
    `$` or "". found_in: documents that hold it, of those that were looked into."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    value: float
    unit: str = ""
    found_in: tuple[int, ...] = ()


class DossierStatement(FrozenModel):
    """One sentence of an answer, checked. start, end: its offsets there. citations: numbers of documents. status: `supported`: every number
    is in a document it cites (or, of a sentence that cites none, in one document); `unsupported`: one does not, a cited document
    does not exist, or, of a sentence without numbers, hardly a word of it is there; `no_number`: it states none. dated: the day by
    which all it rests on was published, YYYY-MM-DD; None = not known.
    origin: the factor and task of a plan it comes from, "" of research. confidence: 0-1, of its own where it has one."""

    text: str
    start: int = Field(default=0, ge=0)
    end: int = Field(default=0, ge=0)
    citations: tuple[int, ...] = ()
    numbers: tuple[StatedNumber, ...] = ()
    status: StatementStatus = "no_number"
    dated: str | None = None
    origin: str = ""
    confidence: Share | None = None


class DossierDocument(FrozenModel):
    """A document that statements cite. n: the number they cite it by. published_date: as its source writes it; None = not said."""

    n: int = Field(ge=1)
    source: str
    title: str
    url: str = ""
    published_date: str | None = None
    abstract: str = ""


class Dossier(FrozenModel):
    """at: the clock of the run, after which nothing was used. fetched_at: when its documents were read. confidence: 0-1."""

    run_id: str
    flow: str
    question: str
    language: str = "en"
    at: AwareDatetime
    fetched_at: AwareDatetime
    confidence: Share = 0.0
    statements: tuple[DossierStatement, ...] = ()
    documents: tuple[DossierDocument, ...] = ()

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> "Dossier":
        """Return the dossier of a finished run: its final state. Raises BadInput for the state of a flow that leaves no statements."""
        if "statements" not in state or "at" not in state:
            raise BadInput(Reason("run_of_has_no_statements_that_could", value=str(state.get("flow"))[:40]))
        try:
            return cls(
                run_id=state["run_id"],
                flow=state["flow"],
                question=state.get("question") or state["query"],
                language=state.get("language", "en"),
                at=datetime.fromisoformat(state["at"]),
                fetched_at=datetime.fromisoformat(state.get("fetched_at") or state["created_at"]),
                confidence=state.get("confidence") or 0.0,
                statements=tuple(_read(DossierStatement, each) for each in state["statements"]),
                documents=tuple(_read(DossierDocument, {"n": n, **each}) for n, each in enumerate(state.get("top_papers") or (), 1)),
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise BadInput(Reason("statements_of_run_cannot_be_read", value=str(state.get("run_id"))[:40], problem=problem)) from None

    def known_at(self, at: datetime) -> "Dossier":
        """Return what of it was known at an instant: without documents that are dated later, or undated and fetched later, and without
        statements that rest on such a document or on none that is dated. at: aware."""
        documents = tuple(each for each in self.documents if is_known(each.published_date, self.fetched_at, at))
        numbers = {each.n for each in documents}
        statements = tuple(each for each in self.statements if self._is_known(each, numbers, at))
        return self.model_copy(update={"documents": documents, "statements": statements})

    def left_out_at(self, at: datetime) -> dict[LeftOut, int]:
        """Return how many statements are no evidence at an instant, by why; a statement counts once, for the first of these that is so.
        at: aware."""
        counts: dict[LeftOut, int] = {"later": 0, "undated": 0, "unsupported": 0}
        dates = {each.n: each.published_date for each in self.documents}
        numbers = {n for n, published in dates.items() if is_known(published, self.fetched_at, at)}
        for each in self.statements:
            if not self._is_known(each, numbers, at):
                days = [each.dated, *(dates.get(n) for n in each.citations)]
                counts["later" if any(is_dated_after(day, self.fetched_at, at) for day in days) else "undated"] += 1
            elif each.status == "unsupported":
                counts["unsupported"] += 1
        return counts

    def _is_known(self, statement: DossierStatement, numbers: set[int], at: datetime) -> bool:
        """Return whether a statement was known at an instant. numbers: of the documents that were."""
        return numbers.issuperset(statement.citations) and is_known(statement.dated, self.fetched_at, at)


def _read(kind: type[_Row], given: Mapping[str, Any]) -> _Row:
    """Return a row of a final state, whose further fields are the state's own."""
    return kind.model_validate({name: given[name] for name in kind.model_fields if name in given})
