"""Imports, once, every module of the engine and what it imports late: for the server that forks the tests' processes."""

import gc
import importlib
import pkgutil
import threading

import engine
import tests.processes.child  # noqa: F401 - what a child begins with

IMPORTED_LATE = ("aiohttp", "ccxt.async_support", "openai", "sqlalchemy.dialects.sqlite", "streamlit.web.bootstrap", "streamlit.web.cli")
"""What the engine imports only when it is needed, and the server of the pages."""

for _module in pkgutil.walk_packages(engine.__path__, "engine."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)
for _name in IMPORTED_LATE:
    importlib.import_module(_name)
assert threading.active_count() == 1, "a fork would leave the other threads behind"
gc.freeze()  # what is shared is neither walked nor copied when a child collects or ends
