"""TA-Lib brings pandas, half a second of imports: it comes with the runner, in the background, and never with a page or a quick command."""

import subprocess
import sys

AT_START = """
import sys
import app
from engine.api import Engine
from engine.settings import Settings
from pathlib import Path
engine = Engine(Settings(_env_file=None, home=Path(sys.argv[1])))
engine.runs(), engine.trading.proposals()
heavy = ("talib", "pandas", "langgraph", "ccxt")
print([name for name in heavy if name in sys.modules])
engine._container.runner
print([name for name in heavy if name in sys.modules])
print([type(finder).__module__ for finder in sys.meta_path if type(finder).__module__.startswith(("engine", "pages"))])
engine.close()
"""


def test_what_is_heavy_comes_with_the_runner_and_by_the_usual_import(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", AT_START, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["[]", "['talib', 'pandas', 'langgraph']", "[]"]
