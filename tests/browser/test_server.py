"""What `streamlit run app.py` opens: loopback only, no question asked, no usage statistics."""

import urllib.request
from pathlib import Path

import psutil

from tests.browser.conftest import serving
from tests.conftest import ROOT


def test_a_bare_start_listens_on_this_machine_only(tmp_path: Path) -> None:
    with serving(ROOT / "app.py", tmp_path / "home") as address:
        port = int(address.rsplit(":", 1)[1])
        listening = [link for link in psutil.net_connections("inet") if link.status == psutil.CONN_LISTEN and link.laddr.port == port]
        assert {link.laddr.ip for link in listening} == {"127.0.0.1"}
        with urllib.request.urlopen(f"{address}/_stcore/host-config", timeout=5) as answer:
            assert answer.status == 200
    said = (tmp_path / "home.log").read_text(encoding="utf-8")
    assert "email" not in said.lower()
    assert "Traceback" not in said


def test_its_configuration_says_so() -> None:
    config = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    for line in ('address = "127.0.0.1"', "gatherUsageStats = false", "headless = true", 'showErrorDetails = "none"'):
        assert line in config, line
