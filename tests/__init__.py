"""The tests. What they need beyond requirements.txt is looked for before anything is imported, so that its absence is one line."""

import sys
from importlib.util import find_spec

NEEDED = ("hypothesis", "psutil", "pytest_asyncio", "pytest_rerunfailures", "pytest_socket", "pytest_timeout", "xdist")
if missing := [name for name in NEEDED if find_spec(name) is None]:
    sys.exit(f"The tests need {', '.join(missing)}: pip install -r requirements-dev.txt")
