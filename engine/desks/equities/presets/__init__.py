"""The presets: who analyses, and what follows. `NAME.toml` has a table for each analyst, with the fields of `EquityAnalyst`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from engine.prompts.render import Text

PRESETS: Final = ("stock", "index")

Cadence = Literal["report", "daily", "weekly"]
"""When its long-term summary is made anew: with each report, for each close, or for the first close of a week. A close that left none is
made up for before the next open."""


@dataclass(frozen=True)
class EquityAnalyst:
    """One analyst, complete: joining the fan-out, the memory and the desk takes nothing else.

    key: its name in the state, in events and in memory. role: as the first line of its system prompt names it. task: who it is and what it
    looks at. title: for pages. tools: names of those that it may call (`tools/`). plan: (tool, arguments) that the scripted model calls, in
    order, and that are called for a model that takes no tools, or for any before it is asked (`lookups`). quotes: what the script
    quotes of attached evidence (`script/quoting.py`). advises: speaks after all others, on their reports; then there is no debate and no
    order.
    """

    key: str
    role: str
    cadence: Cadence
    task: Text
    title: Text
    tools: Sequence[str] = ()
    plan: Sequence[tuple[str, Mapping[str, Any]]] = ()
    quotes: Sequence[str] = ()
    advises: bool = False


@dataclass(frozen=True)
class Preset:
    """name: `stock` or `index`. everybody: analysts in speaking order, the advisor last."""

    name: str
    everybody: tuple[EquityAnalyst, ...]

    @property
    def analysts(self) -> tuple[EquityAnalyst, ...]:
        """Those that speak at once."""
        return tuple(each for each in self.everybody if not each.advises)

    @property
    def advisor(self) -> EquityAnalyst | None:
        """The one that speaks after them."""
        return next((each for each in self.everybody if each.advises), None)

    @property
    def debates(self) -> bool:
        """Whether reports go into debates and an order may come of them."""
        return self.advisor is None


@lru_cache(maxsize=4)
def preset_of(name: str) -> Preset:
    """Return a preset. Raises KeyError for a name that there is not."""
    if name not in PRESETS:
        raise KeyError(name)
    found = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
    return Preset(name, tuple(EquityAnalyst(key, **fields) for key, fields in found.items()))
