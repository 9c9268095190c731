"""What the research agent is asked, in both languages: its loop of thought and action, and its answer out of numbered documents."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from engine.domain.research.document import Document
from engine.domain.text.language import Language
from engine.domain.text.visible import shortened
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.render import Text, quoted, render

_ABSTRACT, _EXCERPT, _SAME = 1500, 1500, 120
MOST_DOCUMENTS, _MOST_SCORED = 24, 14
_TEXTS: Final = read_paragraphs(Path(__file__).parent, "prompts")
MISSING_CITATION: Final[Text] = _TEXTS["missing_citation"]
OBSERVED: Final[Mapping[str, Text]] = _TEXTS["observed"]
"""What the agent observes of a call: `found`, `nothing` or `failed`."""


def loop_system(limit: int, sources: Sequence[str], language: Language) -> str:
    """Return the system message of the loop. sources: names of those that are searched afterwards."""
    loop = render(_TEXTS["loop"][language], limit=str(limit), sources=", ".join(sources) or "-")
    return "\n\n".join(["Role: research agent", _TEXTS["task"][language], loop, _TEXTS["hostile"][language]])


def answer_system(language: Language) -> str:
    """Return the system message of the answer."""
    return "\n\n".join(["Role: research agent", _TEXTS["task"][language], _TEXTS["write"][language], _TEXTS["hostile"][language]])


def question_text(question: str, at: datetime, language: Language) -> str:
    """Return the question with its clock."""
    return render(_TEXTS["question"][language], question=question, at=f"{at:%Y-%m-%d %H:%M}")


def documents_text(documents: Sequence[Document], language: Language) -> str:
    """Return the documents under their numbers, what is in them inside an envelope of its own each."""
    parts = [_TEXTS["documents"][language]]
    for n in shown_numbers(documents):
        document = documents[n - 1]
        published = (
            document.published_date if document.published_date and len(document.published_date) <= 40 else _TEXTS["not_said"][language]
        )
        head = render(_TEXTS["head"][language], n=str(n), source=_plain(document.source), published=_plain(published))
        parts.append(f"{head}\n{quoted(f'document {n}', shown_text(document))}")
    return "\n\n".join(parts)


def shown_numbers(documents: Sequence[Document]) -> list[int]:
    """Return the numbers (from 1) of the documents that a model reads: the nearest ones, and of each source that is not ordered by nearness
    its first ones, in turn."""
    scored = [n for n, each in enumerate(documents, 1) if each.rerank_score is not None][:_MOST_SCORED]
    waiting: dict[str, list[int]] = {}
    for n, each in enumerate(documents, 1):
        if each.rerank_score is None:
            waiting.setdefault(each.source, []).append(n)
    others: list[int] = []
    while waiting and len(others) < MOST_DOCUMENTS - len(scored):
        for source in list(waiting):
            others.append(waiting[source].pop(0))
            if not waiting[source]:
                del waiting[source]
    return sorted((*scored, *others[: MOST_DOCUMENTS - len(scored)]))


def shown_text(document: Document) -> str:
    """Return what a model reads of a document: title, the beginning of its abstract and of its file's text."""
    abstract, body = document.abstract.strip(), document.text.strip()
    if abstract and " ".join(abstract[:_SAME].split()) in " ".join(body.split()):  # the file says it all
        return "\n".join(each for each in (document.title.strip(), shortened(body, _ABSTRACT + _EXCERPT)) if each)
    return "\n".join(each for each in (document.title.strip(), shortened(abstract, _ABSTRACT), shortened(body, _EXCERPT)) if each)


def _plain(text: str) -> str:
    """Return what a stranger says of itself outside the envelope: one short line without signs that could close or open anything."""
    return "".join(char for char in text if char.isalnum() or char in " -:._+/")[:60]
