"""Tribunal's engine: a market in, an argued, fact-checked and limited decision out. See engine/README.md for the map."""

import os

for _switch in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_GATEWAY"):
    os.environ.pop(_switch, None)  # LangChain and LangGraph would send every prompt and state to a third party
