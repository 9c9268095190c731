"""Plans: a question decomposed into factors, each worked through with real tools and repaired where a task fails.

The names of the specification (`public.py`) can be imported from here. They are looked up on demand: what they need takes long to import.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.desks.plan.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Return a public name. Raises AttributeError."""
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is not None:  # a module of this folder is imported as every other
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine.desks.plan import public  # noqa: PLC0415 - takes long to import, and pages ask for seats only

    return getattr(public, name)
