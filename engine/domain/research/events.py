"""Events of the research agent beside those of every flow: its thoughts, its searches, what was kept, what was fetched.

The optional tools, which its model calls, are `tool.called` and `tool.answered`. Observations are recalled like answers.
"""

from typing import ClassVar

from pydantic import Field, JsonValue

from engine.domain.events import EventData, Observation
from engine.domain.text.reason import Said
from engine.domain.text.wire import Number, Texts

_Documents = tuple[dict[str, JsonValue], ...]


class ResearchThought(EventData):
    """What the agent thought in a turn of its loop (from 1), and the tools it asks for; none = it goes on to the search."""

    kind: ClassVar[str] = "research.thought"
    turn: int = 1
    text: str = ""
    actions: _Documents = ()


class ResearchObserved(EventData):
    """What the agent reads of an optional call. text: the observation, beginning with ✓ or ✗."""

    kind: ClassVar[str] = "research.observed"
    n: int = 1
    tool: str = ""
    text: str = ""


class ToolsListed(Observation):
    """The tools of the servers. tools: name, source, description, parameters, required. missing: source or server -> why it has none."""

    kind: ClassVar[str] = "research.tools"
    tools: _Documents = ()
    missing: dict[str, Said] = Field(default_factory=dict)


class SourceSearched(Observation):
    """What a source answered. documents: what it found (`document.py` beside this). skipped: answers that were no documents, and why.
    error: why there is nothing. ms: milliseconds."""

    kind: ClassVar[str] = "research.searched"
    source: str = ""
    tool: str = ""
    query: str = ""
    found: int = 0
    documents: _Documents = ()
    skipped: Texts = ()
    error: Said | None = None
    ms: Number | None = None


class DocumentsReranked(Observation):
    """kept: documents in their new order, with scores. dropped: how many were left out; dropped_scores: their scores, the highest first.
    threshold: below which documents are left out, on the model's own scale. note: why the order
    is the sources' own, "" when it was made. model: that scored them. ms: milliseconds."""

    kind: ClassVar[str] = "research.reranked"
    kept: _Documents = ()
    dropped: int = 0
    dropped_scores: tuple[Number, ...] = ()
    threshold: Number | None = None
    note: Said = ""
    model: str = ""
    ms: Number | None = None


class DocumentDownloaded(Observation):
    """One document after its download: with `saved_path` and `text`, or with `not_saved`. ms: milliseconds."""

    kind: ClassVar[str] = "research.downloaded"
    source: str = ""
    title: str = ""
    document: dict[str, JsonValue] = Field(default_factory=dict)
    ms: Number | None = None


class AnswerChecked(EventData):
    """The answer's statements (`domain/research/dossier.py`), and the parts of its confidence, 0-1."""

    kind: ClassVar[str] = "research.checked"
    statements: _Documents = ()
    confidence: Number = 0.0
    confidence_parts: dict[str, float] = Field(default_factory=dict)
