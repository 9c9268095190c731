"""`mcp`: our sources as tools of an MCP server on stdin and stdout, for our own research and for any other MCP client."""

import argparse
from typing import Any


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = (
        "Serve {source}_search and {source}_download on stdin and stdout (Model Context Protocol) until stdin ends: Wikipedia, OpenAlex, "
        "Semantic Scholar, Tavily, SEC EDGAR, akshare, a local library. A source that lacks its key or its package is left out."
    )
    mcp = commands.add_parser("mcp", help="serve the sources of research as MCP tools", description=about)
    mcp.add_argument("--kind", choices=("search", "download", "both"), default="both", help="which tools (default: both)")
    mcp.add_argument("--environment-only", action="store_true", help="take settings from the environment only, not from .env")
    mcp.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    import asyncio

    from engine.bootstrap.search import serve_tools
    from engine.search.client.server_spec import BOTH
    from engine.settings import load_settings

    settings = load_settings(_env_file=None) if options.environment_only else load_settings()
    asyncio.run(serve_tools(settings, BOTH if options.kind == "both" else frozenset({options.kind})))
    return 0
