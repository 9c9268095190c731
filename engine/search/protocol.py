"""What flows need for searching: tools of several sources, ranking by relevance, files with their text.

Tools are MCP tools: each source answers in its own time and may fail without the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from pydantic import JsonValue

from engine.domain.research.document import Document

ToolKind = Literal["search", "download"]
BOTH: Final[frozenset[ToolKind]] = frozenset({"search", "download"})
TOP_N: Final = 20


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
        """Return the tools of a kind. A server is started when its tools are first needed.

        Returns:
            The tools. A server that could not be started has none; `missing` says why.
        """
        ...

    @property
    def missing(self) -> Mapping[str, str]:
        """Server or source -> why it has no tools, in words for a reader."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        """Call a tool.

        Returns:
            Its answer: any JSON, or text.

        Raises:
            SearchError: There is no answer; the reason is written for a reader.
        """
        ...


class Reranker(Protocol):
    """Scores documents by relevance to a question."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def threshold(self) -> float:
        """The least score that is kept."""
        ...

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        """Return a score for each document, in the same order. Raises SearchError if they cannot be scored."""
        ...


@dataclass(frozen=True)
class SearchRoom:
    """What research gets from the process. threshold: lowest score that is kept; None for the reranker's own. top_n: documents kept at
    most."""

    tools: SearchTools
    reranker: Reranker
    threshold: float | None = None
    top_n: int = TOP_N

    @property
    def least_score(self) -> float:
        """The least score that is kept."""
        return self.reranker.threshold if self.threshold is None else self.threshold
