"""TA-Lib brings pandas, half a second of imports: it comes with the first run of a flow that needs it, or in the background,
and never with a page or a quick command."""

import subprocess
import sys

import pytest

AT_START = """
import sys
import app
from engine.api import Engine
from engine.settings import Settings
from pathlib import Path
engine = Engine(Settings(_env_file=None, home=Path(sys.argv[1]), pace=0))
engine.runs(), engine.trading.proposals()
heavy = ("talib", "pandas", "langgraph", "ccxt")
print([name for name in heavy if name in sys.modules])
engine._container.runner
print([name for name in heavy if name in sys.modules])
run = engine.start(engine.decisions.request("BTC/USDT:USDT"))
print([name for name in heavy if name in sys.modules])
print([name for name in sys.modules if name.endswith(".graph") and name.startswith("engine.desks.")])
engine.wait(run, 120)
print([type(finder).__module__ for finder in sys.meta_path if type(finder).__module__.startswith(("engine", "pages"))])
engine.close()
"""


@pytest.mark.full
@pytest.mark.timeout(240)  # a fresh interpreter and its first run take ten seconds of a processor
def test_what_is_heavy_comes_with_the_first_run_of_its_flow_and_by_the_usual_import(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", AT_START, str(tmp_path)], capture_output=True, text=True, check=True, timeout=200)
    assert done.stdout.splitlines() == [
        "[]",
        "['langgraph']",
        "['talib', 'pandas', 'langgraph']",
        "['engine.desks.decision.graph']",
        "[]",
    ]
