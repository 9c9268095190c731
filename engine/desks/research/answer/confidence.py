"""How far an answer can be relied on, out of what was measured of it. Pure.

    confidence = supported x (0.6 + 0.25 x agreement + 0.15 x freshness) x (0.7 + 0.3 x answered)

supported: share of the sentences that a source supports: those whose numbers are all held by it, and those without a number that cite one.
agreement: over the sentences that a source supports, 1 where documents of two sources or more hold it, else 0.5; their mean. The journal
is no second source: it repeats what others gave.
freshness: over the cited documents, half as much for every year between publication and the clock, 0.25 without a date; their mean.
answered: share of the sources that were asked and gave an answer, be it that they know nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.domain.research.document import Document
from engine.domain.research.dossier import DossierStatement
from engine.domain.research.publication import published_day

_BASE, _AGREEMENT, _FRESHNESS, _UNANSWERED = 0.6, 0.25, 0.15, 0.3
_ONE_SOURCE, _UNDATED, _HALF_LIFE_DAYS = 0.5, 0.25, 365.0


@dataclass(frozen=True)
class ConfidenceParts:
    """Each 0-1."""

    supported: float
    agreement: float
    freshness: float
    answered: float = 1.0

    @property
    def confidence(self) -> float:
        """0-1, by the formula above."""
        found = self.supported * (_BASE + _AGREEMENT * self.agreement + _FRESHNESS * self.freshness)
        return round(found * (1 - _UNANSWERED + _UNANSWERED * self.answered), 4)

    def to_json(self) -> dict[str, float]:
        """Return the parts."""
        return {"supported": self.supported, "agreement": self.agreement, "freshness": self.freshness, "answered": self.answered}


def measure_confidence(
    statements: Sequence[DossierStatement], documents: Sequence[Document], at: date, *, answered: float = 1.0
) -> ConfidenceParts:
    """Return the parts; supported 0 for an answer that says nothing. at: the day of the clock. answered: see above."""
    based = [each for each in statements if is_based(each, len(documents))]
    cited = sorted({number for each in based for number in each.citations if 1 <= number <= len(documents)})
    return ConfidenceParts(
        supported=_mean([float(is_based(each, len(documents))) for each in statements]),
        agreement=_mean([1.0 if len(_sources(each, documents)) > 1 else _ONE_SOURCE for each in based]),
        freshness=_mean([_freshness(documents[number - 1], at) for number in cited]),
        answered=answered,
    )


def is_based(statement: DossierStatement, count: int) -> bool:
    """Return whether a source supports a statement. count: documents there are."""
    if statement.status == "no_number":
        return any(1 <= number <= count for number in statement.citations)
    return statement.status == "supported"


def _sources(statement: DossierStatement, documents: Sequence[Document]) -> set[str]:
    """Return the sources that hold a statement: all its numbers, or, without a number, those it cites."""
    if statement.numbers:
        holders = set[int].intersection(*(set(each.found_in) for each in statement.numbers))
    else:
        holders = {number for number in statement.citations if 1 <= number <= len(documents)}
    return {name for number in holders for name in (documents[number - 1].source, *documents[number - 1].also_in)} - {"journal"}


def _freshness(document: Document, at: date) -> float:
    day = published_day(document.published_date)
    return _UNDATED if day is None else 0.5 ** (max((at - day).days, 0) / _HALF_LIFE_DAYS)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0
