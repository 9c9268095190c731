"""What `streamlit run app.py` opens: loopback only, no question asked, no usage statistics."""

import time
import urllib.request
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest

from tests.browser.conftest import Visit, serving
from tests.conftest import ROOT


@pytest.mark.browser
def test_a_bare_start_listens_on_this_machine_only_and_the_first_visitor_sees_the_page(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    """Nothing is reported anywhere."""
    asked: list[str] = []
    visitor = visit()
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.page.on("websocket", lambda link: asked.append(link.url))
    began = time.monotonic()
    with serving(ROOT / "app.py", tmp_path / "home", fresh=True) as address:
        port = int(address.rsplit(":", 1)[1])
        listening = [link for link in psutil.net_connections("inet") if link.status == psutil.CONN_LISTEN and link.laddr.port == port]
        assert {link.laddr.ip for link in listening} == {"127.0.0.1"}
        with urllib.request.urlopen(f"{address}/_stcore/host-config", timeout=30) as answer:
            assert answer.status == 200
        assert abroad(listening[0].pid) == []
        visitor.open(address)
        print(f"painted {time.monotonic() - began:.2f} s after the start of the server")
        visitor.page.wait_for_timeout(1_000)  # statistics would be sent about now
        assert abroad(listening[0].pid) == []
        visitor.close()
    assert any(url.startswith("ws") for url in asked)
    assert [url for url in asked if f"127.0.0.1:{port}/" not in url and not url.startswith(("data:", "blob:"))] == []
    said = (tmp_path / "home.log").read_text(encoding="utf-8")
    assert "email" not in said.lower()
    assert "Traceback" not in said
    assert not (tmp_path / ".streamlit").exists(), "nothing was asked, so there is nothing to remember"


def test_its_configuration_says_so() -> None:
    config = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    for line in ('address = "127.0.0.1"', "gatherUsageStats = false", "showEmailPrompt = false", 'showErrorDetails = "none"'):
        assert line in config, line


def abroad(pid: int | None) -> list[str]:
    """Addresses beyond this machine to which the process holds a connection."""
    assert pid is not None
    return [
        link.raddr.ip for link in psutil.Process(pid).net_connections("inet") if link.raddr and not ip_address(link.raddr.ip).is_loopback
    ]
