"""Attack 15: a foreign origin, another site's frame, a foreign host name; and what the server says of itself when something breaks."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import aiohttp
import pytest

from tests.browser.conftest import serving
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("home")) as running:
        yield running.rstrip("/")


async def opens(address: str, **headers: str) -> bool:
    """Whether a socket of the page opens with these headers."""
    async with aiohttp.ClientSession() as session:
        try:
            async with session.ws_connect(f"{address}/_stcore/stream", headers=headers, protocols=["streamlit"]):
                return True
        except aiohttp.WSServerHandshakeError as refused:
            return refused.status != 403


async def test_only_its_own_page_talks_to_it(address: str) -> None:
    port = address.rsplit(":", 1)[1]
    assert await opens(address, Origin=address, Host=f"127.0.0.1:{port}")
    assert await opens(address, Origin=f"http://localhost:{port}", Host=f"localhost:{port}")
    for origin, host in (
        ("http://evil.example", f"127.0.0.1:{port}"),
        ("null", f"127.0.0.1:{port}"),
        (f"http://127.0.0.1.evil.example:{port}", f"127.0.0.1:{port}"),
        (f"http://evil.example:{port}", f"evil.example:{port}"),  # a name that somebody has pointed here
    ):
        assert not await opens(address, Origin=origin, Host=host), (origin, host)


async def test_nobody_may_frame_it(address: str) -> None:
    async with aiohttp.ClientSession() as session:
        for path in ("/", "/approvals", "/?run=../../x", "/component/none/x.js", "/no/such/page"):
            async with session.get(address + path) as answer:
                assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
                assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                text = await answer.text()
                assert "Traceback" not in text
                assert str(Path.home()) not in text


async def test_no_path_leads_out_of_its_folders(address: str) -> None:
    async with aiohttp.ClientSession() as session:
        for path in (
            "/component/chart/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
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
