"""The first command of the README: where there is a display the browser is opened at the printed address, and nobody is asked for an e-mail
address; without one nothing is opened."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

_OPENER = '#!/bin/sh\necho "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n'


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere no variable says whether there is a display")
@pytest.mark.parametrize("display", ["", ":7"])
def test_it_says_its_address_and_opens_it_where_it_can(tmp_path: Path, display: str) -> None:
    from tests.browser.conftest import free_port

    opener, opened, port = tmp_path / "bin" / "xdg-open", tmp_path / "opened", free_port()
    opener.parent.mkdir()
    opener.write_text(_OPENER, encoding="utf-8")
    opener.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRIBUNAL_", "STREAMLIT_", "WAYLAND_"))}
    own = {
        "HOME": str(tmp_path),
        "TRIBUNAL_HOME": str(tmp_path / "home"),
        "OPENED": str(opened),
        "DISPLAY": display,
        "BROWSER": str(opener),
    }
    environment = {**kept, **own, "PATH": f"{opener.parent}{os.pathsep}{kept['PATH']}"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = f"http://127.0.0.1:{port}/"
            assert server.stdout.readline().strip() == f"Tribunal: {address}"
            if display:
                while not opened.exists():
                    assert server.poll() is None
                    os.sched_yield()
                assert opened.read_text(encoding="utf-8").strip() == address
        finally:
            server.terminate()
            rest, _ = server.communicate(timeout=30)
    assert "Email" not in rest
    assert display or not opened.exists()
