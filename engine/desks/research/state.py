"""The channels of the research agent, named as the specification names them. Plain JSON only.

`executor_messages` grows by what is returned; everything else is replaced. What a run ends in is put together in `outcome.py`.
"""

import operator
from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from engine.domain.research.document import Document

Json = dict[str, Any]


class ExecutorState(TypedDict, total=False):
    """executor_messages: the chat of the agent with its optional tools, as the chat protocol writes it. optional_search_results,
    search_results, reranked_results, downloaded_papers: documents (`domain/research/document.py`) as JSON; search_results are merged
    across sources. executor_result: the answer and its statements.

    Beside the specification: observations: what the agent read of each optional call. tools: what the servers offered. calls_made: by the
    loop (`CallsMade`); optional_calls: how many of them were executed; breaker: whether it ended the loop. searches: source ->
    `{"ms","found"}`. failed_sources: source -> why. counts: documents on the way. notes: sentences for `warnings`.
    """

    executor_messages: Annotated[list[Json], operator.add]
    current_query: str
    optional_search_results: list[Json]
    search_results: list[Json]
    reranked_results: list[Json]
    downloaded_papers: list[Json]
    executor_result: Json

    created_at: str
    observations: Annotated[list[str], operator.add]
    tools: list[Json]
    said: str
    attempt: int
    optional_calls: int
    calls_made: Json
    breaker: bool
    searches: dict[str, Json]
    failed_sources: dict[str, str]
    counts: dict[str, int]
    notes: Annotated[list[str], operator.add]


def as_rows(documents: Iterable[Document]) -> list[Json]:
    """Return documents as a state or an event holds them."""
    return [each.model_dump(mode="json", exclude_defaults=True) for each in documents]
