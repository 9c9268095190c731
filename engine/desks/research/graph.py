"""The research agent, wired.

    START -> llm_decision <──────────────┐
                 ├─(calls)─> optional_tool
                 └─(none)──> search -> clean_and_rerank -> download -> summarize -> END

Behind the search there is no way back into the loop. The loop ends by itself after `max_optional_calls` executed calls, or three repeats.
"""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from engine.desks.research import downloading, loop, searching, summarizing
from engine.desks.research.context import ResearchContext
from engine.desks.research.state import ExecutorState

ResearchGraph = CompiledStateGraph[Any, Any, Any, Any]


def build_graph(checkpointer: BaseCheckpointSaver[str] | None = None) -> ResearchGraph:
    """Return the whole flow, compiled."""
    graph = StateGraph(ExecutorState, context_schema=ResearchContext)
    graph.add_node(loop.DECISION, loop.llm_decision_node)
    graph.add_node(loop.OPTIONAL_TOOL, loop.optional_tool_node)
    graph.add_node(searching.SEARCH, searching.search_node)
    graph.add_node(searching.RERANK, searching.clean_and_rerank_node)
    graph.add_node(downloading.DOWNLOAD, downloading.download_node)
    graph.add_node(summarizing.NODE, summarizing.summarize_node)
    graph.add_edge(START, loop.DECISION)
    graph.add_conditional_edges(loop.DECISION, loop.should_call_optional_tools, [loop.OPTIONAL_TOOL, searching.SEARCH])
    graph.add_edge(loop.OPTIONAL_TOOL, loop.DECISION)
    graph.add_edge(searching.SEARCH, searching.RERANK)
    graph.add_edge(searching.RERANK, downloading.DOWNLOAD)
    graph.add_edge(downloading.DOWNLOAD, summarizing.NODE)
    graph.add_edge(summarizing.NODE, END)
    return graph.compile(checkpointer=checkpointer)
