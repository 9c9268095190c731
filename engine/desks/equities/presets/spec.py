"""What an analyst of the desk is: one file says all of it."""

from dataclasses import dataclass
from typing import Literal

from engine.desks.equities.tools.protocol import DataTool
from engine.prompts.render import Text

Cadence = Literal["report", "daily", "weekly"]
"""When its long-term summary is made anew: with each report, for each close, or for the first close of a week. A close that left none is
made up for before the next open."""


@dataclass(frozen=True)
class EquityAnalyst:
    """One analyst, complete: joining the fan-out, the memory and the desk takes nothing else.

    key: its name in the state, in events and in memory. role: as the first line of its system prompt names it. task: who it is and what it
    looks at. title: for pages. plan: (tool, arguments) that the scripted model calls, in order, and that are called for a model that takes
    no tools, or for any before it is asked (`lookups`). advises: speaks after all others, on their reports.
    """

    key: str
    role: str
    cadence: Cadence
    tools: tuple[DataTool, ...]
    task: Text
    title: Text
    plan: tuple[tuple[str, dict[str, object]], ...] = ()
    order: int = 100
    advises: bool = False
