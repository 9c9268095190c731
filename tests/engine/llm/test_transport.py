"""The transport below the model's client: connections kept, proxies, what is raised, and a socket that is left alone for a moment."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from engine.llm.transport import Packets, Transport, proxy_of
from tests.servers.llm import HANG, LLMServer, refused_url

WORDS = " ".join(f"word{place}" for place in range(60))
ASKED = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    transport = Transport()
    yield transport
    await transport.aclose()


@pytest.fixture
def client(transport: Transport) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=transport, timeout=httpx2.Timeout(5))


async def body(transport: Transport, server: LLMServer) -> Packets:
    response = await transport.handle_async_request(httpx2.Request("POST", f"{server.base_url}/chat/completions", json=ASKED))
    assert isinstance(response.stream, Packets)
    return response.stream


async def test_what_comes_while_the_socket_is_left_alone_is_read_at_once(transport: Transport) -> None:
    with LLMServer(WORDS, tokens_per_s=200) as server:
        packets = await body(transport, server)
        one_by_one, together = [], b""
        async for data in packets:
            if len(one_by_one) < 5:
                one_by_one.append(data.count(b"data: "))
                if len(one_by_one) == 5:
                    await packets.leave(0.2)
            else:
                together = together or data
        await packets.aclose()
    assert max(one_by_one) <= 3  # each as it came
    assert together.count(b"data: ") >= 10  # the 40 of 0.2 s, on a slow machine a part of them


async def test_left_alone_for_ever_it_can_still_be_given_up(transport: Transport) -> None:
    with LLMServer(WORDS, tokens_per_s=200) as server:
        packets = await body(transport, server)
        await anext(aiter(packets))
        leaving = asyncio.create_task(packets.leave(60))
        await asyncio.sleep(0.05)
        leaving.cancel()
        await packets.aclose()
        assert await asyncio.to_thread(server.requests[0].left.wait, 1)
        assert server.closed_early == 1
        await packets.leave(60)  # there is nothing left to leave: it does not wait


async def test_errors_are_the_clients_own(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.ConnectError):
        await client.post(refused_url())
    with LLMServer(HANG) as server, pytest.raises(httpx2.TimeoutException):
        await client.post(f"{server.base_url}/chat/completions", json=ASKED, timeout=0.2)
    with pytest.raises(httpx2.UnsupportedProtocol):
        await client.get("ftp://127.0.0.1/")


async def test_a_proxy_is_asked_for_what_lies_behind_it(client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert proxy_of("http", "model.invalid") is None
    with LLMServer("said") as server:
        address = server.base_url.removeprefix("http://").removesuffix("/v1")
        monkeypatch.setenv("http_proxy", address)  # without a scheme, as curl takes it too
        answer = await client.post("http://model.invalid/v1/chat/completions", json=ASKED | {"stream": False})
        assert answer.json()["choices"][0]["message"]["content"] == "said"
        assert server.requests[0].path == "http://model.invalid/v1/chat/completions"
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        await client.post(f"{server.base_url}/chat/completions", json=ASKED | {"stream": False})
        assert server.requests[1].path == "/v1/chat/completions"
