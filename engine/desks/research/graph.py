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

from engine.desks.research import calling, deciding, downloading, ranking, searching, summarizing
from engine.desks.research.context import ResearchContext
from engine.desks.research.state import ExecutorState

ResearchGraph = CompiledStateGraph[Any, Any, Any, Any]


def build_graph(checkpointer: BaseCheckpointSaver[str] | None = None) -> ResearchGraph:
    """Return the whole flow, compiled."""
    graph = StateGraph(ExecutorState, context_schema=ResearchContext)
    graph.add_node(deciding.NODE, deciding.llm_decision_node)
    graph.add_node(calling.NODE, calling.optional_tool_node)
    graph.add_node(searching.NODE, searching.search_node)
    graph.add_node(ranking.NODE, ranking.clean_and_rerank_node)
    graph.add_node(downloading.NODE, downloading.download_node)
    graph.add_node(summarizing.NODE, summarizing.summarize_node)
    graph.add_edge(START, deciding.NODE)
    graph.add_conditional_edges(deciding.NODE, deciding.should_call_optional_tools, [calling.NODE, searching.NODE])
    graph.add_edge(calling.NODE, deciding.NODE)
    graph.add_edge(searching.NODE, ranking.NODE)
    graph.add_edge(ranking.NODE, downloading.NODE)
    graph.add_edge(downloading.NODE, summarizing.NODE)
    graph.add_edge(summarizing.NODE, END)
    return graph.compile(checkpointer=checkpointer)
