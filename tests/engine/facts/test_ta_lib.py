"""TA-Lib comes in without pandas, and nobody else misses it."""

import subprocess
import sys

ALONE = """
import sys
import engine.runs.runner, engine.facts.series
print("pandas" in sys.modules, "pyarrow" in sys.modules, "talib" in sys.modules)
import pandas
print(pandas.Series([1.0]).sum())
"""

MEANWHILE = """
import sys, threading
from engine.facts import ta_lib
begun, seen = threading.Event(), []
def other():
    begun.wait()
    import pandas
    seen.append(pandas.__name__)
thread = threading.Thread(target=other)
thread.start()
with ta_lib._without_pandas():
    begun.set()
    thread.join()
    del sys.modules["pandas"]
    try:
        import pandas
    except ModuleNotFoundError as missing:
        seen.append(missing.name)
print(seen, [finder for finder in sys.meta_path if isinstance(finder, ta_lib._NoPandas)])
"""


def _printed(script: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()


def test_a_decision_needs_no_pandas_and_whoever_does_finds_it_afterwards() -> None:
    assert _printed(ALONE) == ["False False True", "1.0"]


def test_another_thread_finds_pandas_meanwhile() -> None:
    """It is missing for the importing thread alone, and only so long."""
    assert _printed(MEANWHILE) == ["['pandas', 'pandas'] []"]
