"""Evidence out of research, attached to a run: what of it was known, how roles read it, and whether what they cite of it is what it says.

Statements are someone else's words: they are in an envelope, and a role cites them as `[n]`. A sentence that cites one is held to it and
to nothing else: it speaks of what the statement says, not of the market at the run's clock.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

from engine.agents.recording import recorded
from engine.domain.errors import BadInput
from engine.domain.events import Event
from engine.domain.research.document import Document
from engine.domain.research.dossier import Dossier, DossierStatement
from engine.domain.research.evidence import EvidenceItem
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.domain.text.word_files import read_paragraphs
from engine.grounding.cited.sentences import CITATION
from engine.grounding.cited.statements import check_answer
from engine.prompts.render import quoted

MOST_ITEMS: Final = 24
_PERIOD: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)*_(\d{1,3})\b")
EVIDENCE_FIELDS: Final = ("evidence", "evidence_cited")
MOST_CHARACTERS: Final = 8_000
"""Of the statements that one prompt shows: whole ones, in their order, as far as they fit."""
SPEAKER: Final = "evidence"
_TEXTS: Final = read_paragraphs(Path(__file__).parent, "attached")


def evidence_at(dossiers: Iterable[Dossier], at: datetime) -> tuple[EvidenceItem, ...]:
    """Return the statements that were known at an instant, numbered from 1; those that no source bears out stay out. Of more than
    `MOST_ITEMS` the last ones of the longest dossier go, so that none is shut out by another. at: aware."""
    found = [_known_statements(dossier, at) for dossier in dossiers]
    while sum(map(len, found)) > MOST_ITEMS:
        max(found, key=len).pop()
    return tuple(each.model_copy(update={"n": n}) for n, each in enumerate(chain.from_iterable(found), 1))


def _known_statements(dossier: Dossier, at: datetime) -> list[EvidenceItem]:
    known = dossier.known_at(at)
    titles = {each.n: each.title for each in known.documents}
    items: list[EvidenceItem] = []
    for each in known.statements:
        text = " ".join(CITATION.sub("", each.text).split())
        if each.status == "unsupported" or not text:
            continue
        sources = tuple(titles[n] for n in each.citations if n in titles)
        sure = each.confidence if each.confidence is not None else known.confidence
        items.append(
            EvidenceItem(n=1, text=shortened(text, 2000), dated=each.dated, confidence=sure, sources=sources, run_id=dossier.run_id)
        )
    return items


async def read_evidence(run_ids: Sequence[str], at: datetime, dossier: Callable[[str], Dossier] | None) -> tuple[EvidenceItem, ...]:
    """Return the statements of runs that were known at an instant. dossier: reads a finished run's, blocking; raises BadInput."""
    if not run_ids:
        return ()
    if dossier is None:
        raise BadInput(Reason("there_is_no_journal_that_evidence_could"))
    return evidence_at([await asyncio.to_thread(dossier, run_id) for run_id in run_ids], at)


def evidence_block(items: Sequence[EvidenceItem], language: Language) -> str:
    """Return the evidence as roles read it, at most some `MOST_CHARACTERS` of it, or ""."""
    if not items:
        return ""
    lines, room = list[str](), MOST_CHARACTERS
    for each in items:
        line = f"[{each.n}] ({_about(each, language)}) {each.text}"
        if len(line) > room:
            break
        lines.append(line)
        room -= len(line)
    more = [_TEXTS["more"][language].format(count=len(items) - len(lines))] if len(lines) < len(items) else []
    return "\n".join([_TEXTS["head"][language], quoted(SPEAKER, "\n".join(lines)), *more])


def with_evidence(user: str, items: Sequence[EvidenceItem], language: Language) -> str:
    """Return a prompt with the evidence behind it; the prompt as it is where there is none."""
    return f"{user}\n\n{evidence_block(items, language)}" if items else user


def _about(item: EvidenceItem, language: Language) -> str:
    parts = [_TEXTS["dated"][language].format(day=item.dated) if item.dated else _TEXTS["undated"][language]]
    if item.confidence is not None:
        parts.append(_TEXTS["sure"][language].format(value=item.confidence))
    return ", ".join(parts)


def evidence_fields(events: Iterable[Event], items: Sequence[EvidenceItem]) -> dict[str, Any]:
    """Return the fields of a final state: the evidence, and what was cited of it in the run."""
    said: dict[str, list[str]] = {}
    for (node, _), answer in sorted(recorded(events).answers.items()):
        said.setdefault(node, []).append(answer.text)
    texts = {node: "\n\n".join(turns) for node, turns in said.items()}
    return {"evidence": [each.model_dump(mode="json") for each in items], "evidence_cited": cited_evidence(texts, items)}


def cited_evidence(texts: Mapping[str, str], items: Sequence[EvidenceItem]) -> list[dict[str, Any]]:
    """Return every sentence that cites evidence: node, its text, what it cites, and whether each of its numbers is there.
    texts: node -> what was said there."""
    found: list[dict[str, Any]] = []
    for node, text in texts.items():
        sentences = _citing(text, items)
        found += [{"node": node, "text": each.text, "citations": list(each.citations), "status": each.status} for each in sentences]
    return found


def without_quoted(spans: Iterable[tuple[int, int]], text: str, items: Sequence[EvidenceItem]) -> list[tuple[int, int]]:
    """Return what of a text is read for claims about the market: not the sentences whose numbers all are in the evidence that they cite.
    One without a number is read: to cite something does not take words out of what is checked. spans: in order."""
    holes = [(each.start, each.end) for each in _citing(text, items) if each.status == "supported"]
    kept = []
    for start, end in spans:
        at = start
        for first, last in holes:
            if last <= at or first >= end:
                continue
            if at < first:
                kept.append((at, first))
            at = max(at, last)
        if at < end:
            kept.append((at, end))
    return kept


def _with_periods(text: str) -> str:
    """Return a text with the numbers in the names of its facts, so that the 14 of `RSI(14)` is not an uncited number."""
    return " ".join([text, *_PERIOD.findall(text)])


def _citing(text: str, items: Sequence[EvidenceItem]) -> list[DossierStatement]:
    if not items or CITATION.search(text) is None:
        return []
    documents = [Document(source=SPEAKER, title="", abstract=_with_periods(each.text), published_date=each.dated) for each in items]
    return [each for each in check_answer(text, documents) if each.citations]
