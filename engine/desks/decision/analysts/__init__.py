"""The analysts, one file each. A file with an `ANALYST` joins the fan-out, the consensus and the desk by being here."""

import importlib
import pkgutil

from engine.desks.decision.analyst import Analyst


def find_analysts() -> tuple[Analyst, ...]:
    """Return every analyst of this folder, by `order`, then key."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(sorted((module.ANALYST for module in modules), key=lambda analyst: (analyst.order, analyst.key)))


ANALYSTS = find_analysts()
