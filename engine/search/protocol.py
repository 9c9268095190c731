"""What flows ask of the room that searches: tools of several sources, an order by relevance, files with their text.

A flow names this and never an implementation. Tools are MCP tools: each source answers at its own pace and may fail alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import JsonValue

from engine.domain.research.document import Document

ToolKind = Literal["search", "download"]


@dataclass(frozen=True)
class SearchTool:
    """A tool as its server describes it. source: whose (`openalex` of `openalex_search`). parameters: JSON schema of its arguments.
    required: asked in every search; the others a model may call first."""

    name: str
    source: str
    kind: ToolKind
    description: str
    parameters: Mapping[str, JsonValue]
    required: bool


class SearchTools(Protocol):
    """The tools of every configured server."""

    async def tools(self, kind: ToolKind) -> Sequence[SearchTool]:
        """Return the tools of a kind; a server is begun when the first of its tools is asked for, download tools are not listed before.
        A server that cannot be begun has none: `missing` says why."""
        ...

    @property
    def missing(self) -> Mapping[str, str]:
        """Server or source -> why it has no tools, in words for a reader."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        """Return what a tool answers: any JSON, or text. Raises SearchError when it has no answer: its reason is for a reader."""
        ...


class Reranker(Protocol):
    """Orders documents by how near they are to a question. name: of the model. threshold: scores below it are left out."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def threshold(self) -> float:
        """The least score that is kept."""
        ...

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        """Return a score for each document, in their order. Raises SearchError when it cannot."""
        ...


@dataclass(frozen=True)
class SearchRoom:
    """What research gets from the process. tools: of every server. reranker: the configured one."""

    tools: SearchTools
    reranker: Reranker
