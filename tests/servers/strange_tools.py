"""An MCP server on stdio that somebody else might have written: answers of many shapes, calls that never end, calls that kill it.

`python -m tests.servers.strange_tools FOLDER`: each start leaves a file `start-PID` in FOLDER.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from mcp.server.fastmcp import FastMCP

FOLDER = Path(sys.argv[1])
app = FastMCP("strange", log_level="WARNING")


def _deaths() -> int:
    return len(list(FOLDER.glob("death-*")))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@app.tool()
async def strange_search(query: str) -> str:
    """JSON inside text."""
    return json.dumps({"results": [{"name": f"About {query}", "link": "https://strange.example/1", "snippet": "It is strange."}]})


@app.tool()
async def structured_search(query: str) -> list[dict[str, Any]]:
    """Structured content."""
    return [{"title": query, "url": "https://strange.example/2"}]


@app.tool()
async def plain_text(query: str) -> str:
    """A text without JSON."""
    return f"Nothing but words about {query}."


@app.tool()
async def deadly_search(query: str, times: int) -> str:
    """Kill the server in the middle of the call, as often as asked for."""
    deaths = _deaths()
    if deaths < times:
        (FOLDER / f"death-{deaths}").touch()
        _die()
    return json.dumps([{"title": f"survived {deaths}"}])


@app.tool()
async def patient_search(query: str) -> str:
    """Answer once there is a file `go`."""
    while not (FOLDER / "go").exists():  # noqa: ASYNC110 - a file of another process
        await asyncio.sleep(0.05)
    return json.dumps([{"title": query}])


@app.tool()
async def endless_search(query: str) -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return query


@app.tool()
async def failing_search(query: str) -> str:
    """Fail."""
    raise ValueError(f"no luck with {query}\nand a second line")


@app.tool()
async def environment_search(query: str) -> str:
    """Name the variables this process was given."""
    return json.dumps(sorted(os.environ))


if __name__ == "__main__":
    (FOLDER / f"start-{os.getpid()}").touch()
    print("strange tools begin", file=sys.stderr)
    app.run("stdio")
