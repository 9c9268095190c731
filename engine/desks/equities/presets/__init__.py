"""The presets: a folder of analysts each. A file with an `ANALYST` takes part by being there."""

import importlib
import pkgutil
from functools import lru_cache
from typing import Final

from engine.desks.equities.presets.preset import Preset
from engine.desks.equities.presets.spec import EquityAnalyst

PRESETS: Final = ("stock", "index")


@lru_cache(maxsize=4)
def preset_of(name: str) -> Preset:
    """Return a preset with the analysts of its folder, by `order`, then key. Raises KeyError for a name that there is not."""
    if name not in PRESETS:
        raise KeyError(name)
    folder = importlib.import_module(f"{__name__}.{name}")
    modules = (importlib.import_module(f"{folder.__name__}.{info.name}") for info in pkgutil.iter_modules(folder.__path__))
    analysts: list[EquityAnalyst] = sorted((module.ANALYST for module in modules), key=lambda each: (each.order, each.key))
    advisor = next((each for each in analysts if each.advises), None)
    return Preset(name, tuple(each for each in analysts if not each.advises), advisor)
