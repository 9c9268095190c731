"""Viewers of a run without a browser, in a process of their own: a browser's own work would take the processor that is measured.

    python -m tests.benchmarks.viewers ADDRESS RUN KIND COUNT

Each opens the page of a run by its WebSocket. `polled` ones have its part drawn twice a second; `streamed` ones read the stream of events
and have it drawn when it tells of a stage. They say `here` in a line when all have the page, and end with the run.
"""

import asyncio
import re
import sys
import time
from urllib.parse import urlsplit

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

POLL_S, STAGES_S = 0.5, 0.2
_DATA = re.compile(rb'"address": ?"([^"]+)", ?"visit": ?"([^"]+)"')


async def watch(address: str, run: str, kind: str, here: "asyncio.Semaphore") -> None:
    """Be one viewer until the run has ended."""
    link = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    async with connect(link, origin=address, subprotocols=["streamlit"], max_size=None) as socket:
        asked = BackMsg()
        asked.rerun_script.query_string = f"run={run}"
        await socket.send(asked.SerializeToString())
        part, found = "", None
        async for sent in socket:
            assert isinstance(sent, bytes)
            said = ForwardMsg.FromString(sent)
            if found is None and (found := _DATA.search(sent)):
                part = said.delta.fragment_id
            if said.WhichOneof("type") == "script_finished" and found is not None:
                break
        here.release()
        draw = BackMsg()
        draw.rerun_script.query_string, draw.rerun_script.fragment_id = f"run={run}", part
        reading = asyncio.create_task(_read(socket))
        if kind == "polled":
            while not reading.done():
                await socket.send(draw.SerializeToString())
                await asyncio.wait([reading], timeout=POLL_S)
        else:
            assert found is not None
            await _follow(address, found[1].decode(), found[2].decode(), socket, draw.SerializeToString())
        reading.cancel()


async def _read(socket: ClientConnection) -> None:
    """Take what comes, until the whole page is drawn once more: the run has ended."""
    async for sent in socket:
        assert isinstance(sent, bytes)
        said = ForwardMsg.FromString(sent)
        if said.HasField("new_session") and not said.metadata.run.fragment_ids:
            return


async def _follow(address: str, path: str, visit: str, socket: ClientConnection, draw: bytes) -> None:
    drawn = 0.0
    async with (
        httpx.AsyncClient(timeout=None) as client,
        client.stream("GET", address + path, headers={"x-tribunal-visit": visit}) as answer,
    ):
        assert answer.status_code == 200, answer.status_code
        async for line in answer.aiter_lines():
            if line == "event: over":
                return
            if line == "event: stage":
                await asyncio.sleep(max(0.0, drawn + STAGES_S - time.monotonic()))
                drawn = time.monotonic()
                await socket.send(draw)


async def _all(address: str, run: str, kind: str, count: int) -> None:
    here = asyncio.Semaphore(0)
    watching = [asyncio.create_task(watch(address, run, kind, here)) for _ in range(count)]
    for _ in range(count):
        await here.acquire()
    print("here", flush=True)
    await asyncio.gather(*watching)


if __name__ == "__main__":
    asyncio.run(_all(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
