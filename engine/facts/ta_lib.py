"""TA-Lib as `talib`, imported without pandas.

Its package wraps every function for pandas and imports pandas to do so: a second before every first decision and every command of the
shell, for tables that are never handed over here. It works on plain arrays where pandas is not installed, so it is told that it is not.
Other threads, and everything that is imported afterwards, find pandas as ever; only TA-Lib itself then takes arrays alone.
"""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["talib"]

_PANDAS = "pandas"


class _NoPandas:
    """A finder of modules that hides pandas from the thread that made it, and has no say in anything else."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """See importlib.abc.MetaPathFinder."""
        if name == _PANDAS and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("TA-Lib needs no pandas here", name=_PANDAS)
        return None


@contextmanager
def _without_pandas() -> Iterator[None]:
    """For this thread; of no effect where pandas has been imported before."""
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


with _without_pandas():
    import talib
