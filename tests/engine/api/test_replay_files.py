"""Who plays a replay: one process at a time, of whichever machine."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.api.replay_files import is_played, owned
from engine.domain.errors import TribunalError
from tests.conftest import ROOT

HOLDS = """
import socket, sys
from pathlib import Path
socket.gethostname = lambda: "elsewhere"
from engine.api.replay_files import owned
with owned(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.full
@pytest.mark.parametrize("ends", [signal.SIGKILL, None], ids=["killed", "done"])
def test_what_a_process_of_another_machine_plays_is_free_once_that_has_ended(ends: signal.Signals | None, tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert is_played(tmp_path)
        with pytest.raises(TribunalError, match="is being played"), owned(tmp_path, "it"):
            pass
        assert is_played(tmp_path)
        if ends is not None:
            process.send_signal(ends)
        process.stdin.close()
        process.wait(20)
    assert not is_played(tmp_path)
    with owned(tmp_path, "it"):
        assert is_played(tmp_path)
    assert not is_played(tmp_path)
