"""How soon the shell answers a question about itself."""

import subprocess
import sys
import time
from collections.abc import Iterator

from tests.benchmarks.measured import Measured
from tests.conftest import ROOT

TIMES = 10


def measure() -> Iterator[Measured]:
    """A new process each time."""
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "engine", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
        taken.append(time.perf_counter() - began)
        assert "decide" in done.stdout
    yield Measured("python -m engine --help", "s", taken, 0.4, "minimum")
