"""Every sentence of an answer, held to the documents it cites. Pure: the same answer and documents give the same statements."""

from collections.abc import Sequence
from typing import Final

from engine.domain.research.document import Document
from engine.domain.research.dossier import DossierStatement, StatedNumber, StatementStatus
from engine.domain.research.publication import published_day
from engine.grounding.cited.numbers import FoundNumber, NumberIndex, numbers_of
from engine.grounding.cited.sentences import Sentence, split_sentences, terms, without_citations

_FEWEST_TERMS: Final = 3
_SHORTEST_DOCUMENT: Final = 12  # terms: of a bare title nothing can be said
_LEAST_SHARE: Final = 0.2
"""Of the terms of a sentence without numbers that its documents hold; a paraphrase keeps more than that of its subject."""


def evidence_text(document: Document) -> str:
    """Return everything a document says: title, abstract, the text of its file, its date."""
    return "\n".join((document.title, document.abstract, document.text, document.published_date or ""))


def check_answer(answer: str, documents: Sequence[Document]) -> list[DossierStatement]:
    """Return the statements of an answer, in order. documents: as they were numbered for it, from 1."""
    texts = [evidence_text(each) for each in documents]
    held, subjects = [NumberIndex(text) for text in texts], [terms(text) for text in texts]
    return [_statement(sentence, held, subjects, documents) for sentence in split_sentences(answer)]


def _statement(
    sentence: Sentence, held: Sequence[NumberIndex], subjects: Sequence[frozenset[str]], documents: Sequence[Document]
) -> DossierStatement:
    found = numbers_of(sentence.text)
    numbers = tuple(_stated(each, sentence, held) for each in found)
    is_strange = not numbers and _speaks_of_something_else(sentence, subjects)
    return DossierStatement(
        text=sentence.text,
        start=sentence.start,
        end=sentence.end,
        citations=sentence.citations,
        numbers=numbers,
        status="unsupported" if is_strange else _status(sentence.citations, numbers, len(documents)),
        dated=_dated(sentence.citations or _common(numbers), documents),
    )


def _stated(found: FoundNumber, sentence: Sentence, held: Sequence[NumberIndex]) -> StatedNumber:
    holders = tuple(place for place, index in enumerate(held, 1) if index.holds(found.number))
    return StatedNumber(
        text=sentence.text[found.start : found.end],
        start=sentence.start + found.start,
        end=sentence.start + found.end,
        value=found.number.value,
        unit=found.number.unit if found.number.unit in {"%", "x", "$"} else "",
        found_in=holders,
    )


def _speaks_of_something_else(sentence: Sentence, subjects: Sequence[frozenset[str]]) -> bool:
    """Return whether hardly a word of a sentence without numbers is in what it cites: `Pandas eat bamboo [2]`. A sentence of a few
    words, and one in a script that its documents do not use, cannot be held to them this way."""
    said = terms(without_citations(sentence.text))
    cited_terms = [subjects[each - 1] for each in sentence.citations if 1 <= each <= len(subjects)]
    if len(said) < _FEWEST_TERMS or not cited_terms or any(len(each) < _SHORTEST_DOCUMENT for each in cited_terms):
        return False
    known = frozenset[str]().union(*cited_terms)
    comparable = {term for term in said if term.isascii()} if sum(term.isascii() for term in known) * 2 > len(known) else set()
    comparable |= {term for term in said if not term.isascii()} if sum(not term.isascii() for term in known) * 2 > len(known) else set()
    return len(comparable) >= _FEWEST_TERMS and len(comparable & known) < _LEAST_SHARE * len(comparable)


def _status(citations: Sequence[int], numbers: Sequence[StatedNumber], count: int) -> StatementStatus:
    if any(not 1 <= each <= count for each in citations):
        return "unsupported"
    if not numbers:
        return "no_number"
    if not citations:
        return "supported" if _common(numbers) else "unsupported"
    return "supported" if all(set(each.found_in) & set(citations) for each in numbers) else "unsupported"


def _common(numbers: Sequence[StatedNumber]) -> tuple[int, ...]:
    """Return the documents that hold every number."""
    if not numbers:
        return ()
    return tuple(sorted(set[int].intersection(*(set(each.found_in) for each in numbers))))


def _dated(citations: Sequence[int], documents: Sequence[Document]) -> str | None:
    """Return the day by which all documents were published; None where one does not say, or there is none."""
    days = [published_day(documents[each - 1].published_date) for each in citations if 1 <= each <= len(documents)]
    known = [day for day in days if day is not None]
    return max(known).isoformat() if known and len(known) == len(citations) else None
