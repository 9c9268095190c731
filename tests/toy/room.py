"""A room of search in memory: a few sources whose answers are known, and what was asked of them, in this process."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.protocol import SearchRoom, SearchTool, ToolKind

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
Answer = Any
"""JSON that a tool answers; an exception that it raises; or a function of its arguments that gives either, awaited where it must be."""


@dataclass
class ToyTools:
    """Implements `SearchTools`. answers: tool -> answer. optional: sources that are asked only when the agent calls them. called: (tool,
    arguments), in order. listed: kinds, in order."""

    answers: Mapping[str, Answer]
    optional: frozenset[str] = frozenset({"sec_edgar", "akshare"})
    missing: Mapping[str, str] = field(default_factory=dict)
    called: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)

    async def tools(self, kind: ToolKind) -> Sequence[SearchTool]:
        self.listed.append(kind)
        return [
            SearchTool(name, source, kind, f"Ask {source}.", QUERY, kind == "search" and source not in self.optional)
            for name in self.answers
            if name.endswith(f"_{kind}")
            for source in [name.removesuffix(f"_{kind}")]
        ]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        self.called.append((name, arguments))
        answer = self.answers[name]
        if isinstance(answer, Callable):
            answer = answer(arguments)
            if isinstance(answer, Awaitable):
                answer = await answer
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class ToyReranker:
    """Implements `Reranker`: documents that hold more of the question's words are nearer."""

    name: str = "words"
    threshold: float = 0.05

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        await asyncio.sleep(0)
        wanted = set(question.lower().split())
        return [len(wanted & set(f"{each.title} {each.abstract}".lower().split())) / len(wanted) for each in documents]


FUNDING = {
    "title": "Funding rates of perpetual futures",
    "url": "https://example.org/funding",
    "abstract": "The funding rate of BTC was 0.0125 % per eight hours in May. Long positions pay it when it is above zero.",
    "published_date": "2026-05-10",
    "doi": "10.1234/funding",
}
SAME = {**FUNDING, "url": "https://other.example.org/7", "doi": "https://doi.org/10.1234/FUNDING", "authors": ["A. Writer"]}
INTEREST = {
    "title": "Open interest and funding",
    "url": "https://example.org/interest",
    "abstract": "Open interest of BTC rose by 12.5 percent to $1.2 billion while the funding rate moved up.",
    "published_date": "2026-04-02",
}
LATER = {**INTEREST, "title": "What came next", "url": "https://example.org/next", "published_date": "2026-06-30"}
TESLA = {
    "title": "Tesla, Inc.",
    "url": "https://www.sec.gov/cgi-bin/browse-edgar?CIK=1318605",
    "abstract": "Tesla, Inc. designs, develops, manufactures and sells electric vehicles. It reported revenue of 25.5 billion USD. "
    + "x" * 300,
    "published_date": "2026-04-23",
}


def saved(arguments: Mapping[str, Any]) -> Answer:
    """A download: the document with its file."""
    document = dict(arguments["document"])
    return [{**document, "saved_path": "ab/abcd.html", "text": f"{document.get('abstract', '')} More of it."}]


ANSWERS: Mapping[str, Answer] = {
    "wikipedia_search": [{"title": "Funding", "url": "https://en.wikipedia.org/wiki/Funding", "abstract": "Funding is paid."}],
    "openalex_search": {"results": [FUNDING, LATER]},
    "semantic_scholar_search": [SAME, INTEREST],
    "tavily_search": SearchError("the service answered 500"),
    "sec_edgar_search": [TESLA],
    "wikipedia_download": saved,
    "openalex_download": saved,
    "semantic_scholar_download": SearchError("the file is too large"),
    "sec_edgar_download": saved,
}


def toy_room(answers: Mapping[str, Answer] | None = None) -> SearchRoom:
    return SearchRoom(ToyTools(ANSWERS if answers is None else answers), ToyReranker())
