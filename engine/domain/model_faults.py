"""What was wrong with the model in a run, out of its events: its key was refused, or it did not keep to the form of answers. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Final

from engine.domain.events import Event, ModelAnswered, NodeRetried

KEY: Final = "key"
FORMAT: Final = "format"
REFUSAL: Final = "refusal"
TOOLS: Final = "tools"
"""Why an answer is lost or asked for again (`ModelAnswered.cause`, `NodeRetried.cause`), where that may be so in every role: the key was
refused, the form was not kept, the model declined to answer, it takes no tools."""
MANY: Final = 2
"""From how many roles on the form of answers is the model's trouble, and not one answer's."""


@dataclass(frozen=True, slots=True)
class ModelFaults:
    """roles: node -> the role that was asked there. refused: why the key was refused, in one line, "" where it was not. unformatted: the
    nodes whose answers did not keep to the form. answered: whether any role has answered."""

    roles: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    unformatted: frozenset[str] = frozenset()
    answered: bool = False

    def after(self, event: Event) -> "ModelFaults":
        """Return what is known after one more event."""
        node, data = event.node or "", event.data
        if isinstance(data, NodeRetried) and data.cause == FORMAT:
            return replace(self, unformatted=self.unformatted | {node})
        if not isinstance(data, ModelAnswered):
            return self
        known = replace(self, roles={**self.roles, node: data.role or node}, answered=self.answered or data.lost is None)
        if data.cause == KEY:
            return replace(known, refused=data.lost or "")
        return replace(known, unformatted=self.unformatted | {node}) if data.cause == FORMAT else known

    @property
    def asked(self) -> int:
        """How many roles were asked."""
        return len(set(self.roles.values()))

    @property
    def ignored(self) -> int:
        """How many of them did not keep to the form, at first or at all; 0 where it was a single one."""
        count = len({self.roles.get(node, node) for node in self.unformatted})
        return count if count >= MANY else 0


def model_faults(events: Iterable[Event]) -> ModelFaults:
    """Return what was wrong with the model in the log of a run."""
    return reduce(ModelFaults.after, events, ModelFaults())
