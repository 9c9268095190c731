"""Attack 15: a foreign origin, another site's frame, a foreign host name; and what the server says of itself when something breaks."""

import socket
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from pages.server.headers import inline_scripts, streamlit_html
from tests.browser.conftest import serving
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("home")) as running:
        yield running.rstrip("/")


async def opens(address: str, **headers: str) -> bool:
    """Whether a socket of the page opens with these headers. Without `Origin` none is sent."""
    async with aiohttp.ClientSession() as session:
        try:
            async with session.ws_connect(f"{address}/_stcore/stream", headers=headers, protocols=["streamlit"]):
                return True
        except aiohttp.WSServerHandshakeError as refused:
            return refused.status != 403


async def answers(address: str, path: str, method: str = "GET", **headers: str) -> int:
    """The status of one request."""
    async with aiohttp.ClientSession() as session, session.request(method, address + path, headers=headers) as answer:
        await answer.read()
        return answer.status


async def test_only_its_own_page_talks_to_it(address: str) -> None:
    port = address.rsplit(":", 1)[1]
    other = int(port) - 1
    assert await opens(address, Origin=address, Host=f"127.0.0.1:{port}")
    assert await opens(address, Origin=f"http://localhost:{port}", Host=f"localhost:{port}")
    for origin, host in (
        ("http://evil.example", f"127.0.0.1:{port}"),
        ("null", f"127.0.0.1:{port}"),
        (f"http://127.0.0.1.evil.example:{port}", f"127.0.0.1:{port}"),
        (f"http://evil.example:{port}", f"evil.example:{port}"),  # a name that somebody has pointed here
        (f"http://localhost:{other}", f"localhost:{port}"),  # a page of another program of this machine
        (f"http://127.0.0.1:{other}", f"127.0.0.1:{port}"),
        ("http://127.0.0.1", f"127.0.0.1:{port}"),
        (f"https://127.0.0.1:{port}", f"127.0.0.1:{port}"),
        (f"http://localhost:{port}", f"127.0.0.1:{port}"),
        (f"http://localhost:{other}", f"localhost:{other}"),  # whatever a tunnel says the port is
        (f"http://127.0.0.1:{port}@evil.example", f"127.0.0.1:{port}"),
        (f"http://127.0.0.1:{port}/", f"127.0.0.1:{port}"),
        ("", f"127.0.0.1:{port}"),
    ):
        assert not await opens(address, Origin=origin, Host=host), (origin, host)


async def test_without_an_origin_there_is_no_session(address: str) -> None:
    assert not await opens(address)


def test_an_origin_that_stands_twice_is_none(address: str) -> None:
    """Written by hand: no client would send it."""
    where = urlsplit(address)
    for doubled in ("Origin", "Host"):
        lines = ["GET /_stcore/stream HTTP/1.1", f"Host: {where.netloc}", f"Origin: {address}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: streamlit"]
        lines.append({"Origin": "Origin: http://evil.example", "Host": "Host: evil.example"}[doubled])
        with socket.create_connection((str(where.hostname), int(where.port or 0)), timeout=10) as link:
            link.sendall("\r\n".join([*lines, "", ""]).encode())
            said = link.recv(200).decode("latin-1")
        assert said.split()[1] in {"400", "403"}, (doubled, said)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize(
    "path", ["/_stcore/upload_file/a/b", "/_stcore/agent/interact", "/_stcore/agent/mcp", "/", "/approvals", "/connect"]
)
async def test_nothing_is_changed_for_anybody_else(address: str, method: str, path: str) -> None:
    for origin in ({}, {"Origin": "null"}, {"Origin": "http://localhost:9998"}, {"Origin": f"https{address[4:]}"}):
        assert await answers(address, path, method, **origin) == 403, (method, path, origin)


async def test_its_own_page_may_change_something(address: str) -> None:
    assert await answers(address, "/_stcore/upload_file/a/b", "OPTIONS", Origin=address) == 204
    assert await answers(address, "/approvals", "PUT", Origin=address) == 405, "it has come through to Streamlit"
    assert await answers(address, "/_stcore/agent/interact", "POST", Origin=address) == 403, "nobody drives the pages but a person"


async def test_nothing_is_told_to_anybody_else(address: str) -> None:
    port = address.rsplit(":", 1)[1]
    paths = ("/", "/approvals", "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/bidi-components/a/b")
    files = ("/component/a.b/c.js", "/media/x.html", "/files/chart/chart.js", "/static/js/x.js")
    for path in (*paths, *files, "/runs/20261126-120000-abcdef/events"):
        for foreign in (
            {"Host": f"evil.example:{port}"},  # a name that somebody has pointed here
            {"Host": "127.0.0.1"},
            {"Origin": "http://localhost:9998"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        ):
            assert await answers(address, path, **foreign) == 403, (path, foreign)
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert await answers(address, "/approvals", **followed) == 200, "a link from elsewhere, or a login that leads back"
    assert await answers(address, "/_stcore/health") == 200
    assert await answers(address, "/_stcore/metrics") == 403, "nobody can tell who asks"
    assert await answers(address, "/runs/20261126-120000-abcdef/events") == 403, "and no page of a visit asks here"
    assert await answers(address, "/_stcore/metrics", **followed) == 403
    assert await answers(address, "/_stcore/metrics", **{"Sec-Fetch-Site": "same-origin"}) == 200


async def test_behind_a_proxy_its_public_address_is_its_own(tmp_path: Path) -> None:
    public = "https://desk.example"
    with serving(ROOT / "app.py", tmp_path / "home", TRIBUNAL_PUBLIC_URL=f"{public}/") as running:
        port = running.rsplit(":", 1)[1]
        inside = f"127.0.0.1:{port}"
        assert await opens(running, Origin=public, Host="desk.example")
        assert await opens(running, Origin=public, Host=inside), "a proxy that does not pass the name on"
        assert await opens(running, Origin=running, Host=inside), "this machine"
        assert await answers(running, "/", Host="desk.example") == 200
        for origin, host in (
            ("http://desk.example", "desk.example"),
            ("https://desk.example:8443", "desk.example"),
            ("https://www.desk.example", "desk.example"),
            (running, "desk.example"),
            (public, "evil.example"),
            ("http://evil.example", inside),
        ):
            assert not await opens(running, Origin=origin, Host=host), (origin, host)
        assert not await opens(running, Host="desk.example")
        assert await answers(running, "/", Host=f"desk.example:{port}") == 403


async def test_nobody_may_frame_it(address: str) -> None:
    async with aiohttp.ClientSession() as session:
        for path in ("/", "/approvals", "/?run=../../x", "/component/none/x.js", "/files/chart/chart.js", "/no/such/page"):
            async with session.get(address + path) as answer:
                assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
                assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                text = await answer.text()
                assert "Traceback" not in text
                assert str(Path.home()) not in text


async def test_pages_run_no_script_and_load_nothing_but_their_own_servers(address: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(address + "/") as answer:
        page, headers = await answer.text(), answer.headers
    rules = {name: allowed.split() for name, _, allowed in (rule.partition(" ") for rule in headers["Content-Security-Policy"].split("; "))}
    assert rules["default-src"] == ["'none'"]
    async with aiohttp.ClientSession() as session, session.get(address + "/equities") as answer:
        below = await answer.text()
    inline = inline_scripts(streamlit_html())
    assert inline_scripts(page) == inline_scripts(below) == inline, "no script of our own"
    assert rules["script-src"] == ["'self'", "blob:", *inline], "neither text nor an attribute becomes a script"
    assert rules["connect-src"] == ["'self'", f"ws{address[4:]}", f"wss{address[4:]}"]
    assert rules["img-src"] == ["'self'", "data:", "blob:"]
    assert rules["frame-src"] == rules["object-src"] == rules["worker-src"] == ["'none'"]
    assert not [word for allowed in rules.values() for word in allowed if word in {"*", "http:", "https:", "'unsafe-eval'"}]
    assert headers["Cross-Origin-Resource-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"


async def test_no_path_leads_out_of_its_folders(address: str) -> None:
    async with aiohttp.ClientSession() as session:
        for path in (
            "/component/chart/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
            "/files/chart/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
            "/files/notifications/..%2f..%2f..%2f..%2fetc/passwd",
            "/files/chart//etc/passwd",
            "/app/static/%2e%2e/%2e%2e/.env",
            "/media/%2e%2e/%2e%2e/etc/passwd",
        ):
            async with session.get(address + path) as answer:
                assert "root:" not in await answer.text()


def test_versions_are_at_or_above_the_fixed_ones() -> None:
    """Loaders of checkpoints and messages that could be made to run code or leak secrets were fixed in these."""
    fixed = {
        "langgraph-checkpoint": (3, 0, 0),
        "langchain-core": (1, 2, 5),
        "aiohttp": (3, 12, 14),
        "starlette": (0, 49, 1),
        "streamlit": (1, 54, 0),
    }
    for name, least in fixed.items():
        found = tuple(int(part) for part in version(name).split(".")[:3] if part.isdigit())
        assert found >= least[: len(found)], (name, found)
