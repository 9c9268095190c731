"""What a tool of the desk is: a name, a JSON schema, and a function of what is known.

Failure contract of `DataTool.run`: ToolRefused for arguments that cannot be used. A layer that is missing is an answer, not a failure: the
text says what is missing and why. What a tool writes is measured (`key = value` lines, tables) or quoted; strangers' words are inside an
envelope.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.equity.listings import canonical_symbol


class ToolRefused(BadInput):
    """The arguments of a call cannot be used. The message says which, and what would be right."""


@dataclass(frozen=True)
class Argument:
    """One argument of a tool. kind: JSON type. default: what it is when it is left out, None = nothing. least, most: of an integer.
    choices: of a string."""

    name: str
    kind: str
    meaning: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    default: int | str | None = None

    def schema(self) -> dict[str, JsonValue]:
        """Return the JSON schema of its value."""
        bounds: dict[str, JsonValue] = {"minimum": self.least, "maximum": self.most} if self.least is not None else {}
        listed: dict[str, JsonValue] = {"enum": list(self.choices)} if self.choices else {}
        if self.default is None:
            return {"type": self.kind, "description": self.meaning, **bounds, **listed}
        return {
            "type": self.kind,
            "description": f"{self.meaning}; {self.default} if left out",
            **bounds,
            **listed,
            "default": self.default,
        }

    def read(self, value: Any) -> Any:
        """Return the value of a call. Raises ToolRefused."""
        if self.kind == "integer":
            whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
            if not whole or not (self.least or 0) <= value <= (self.most or value):
                raise ToolRefused(
                    Reason("must_be_whole_number_from_to", name=self.name, least=self.least, most=self.most, value=f"{str(value)[:40]!r}")
                )
            return int(value)
        if not isinstance(value, str) or len(value) > 200:
            raise ToolRefused(Reason("must_be_text", name=self.name))
        if self.choices and value not in self.choices:
            raise ToolRefused(Reason("must_be_one_of", name=self.name, choices=", ".join(self.choices), value=f"{value[:40]!r}"))
        return value


@dataclass(frozen=True)
class Known:
    """What tools look into. sheet: every measured fact. decisions: reads the past decisions about a symbol by this moment, newest first.
    language: of the run, for the words that scale a large amount."""

    snapshot: EquitySnapshot
    sheet: FactSheet
    decisions: Callable[[int], Awaitable[list[Mapping[str, JsonValue]]]]
    language: Language


Run = Callable[[Known, Mapping[str, Any]], Awaitable[str]]


@dataclass(frozen=True)
class DataTool:
    """One tool. run: (what is known, arguments that were checked) -> its answer as text. arguments: all may be left out; `symbol` is taken
    by every tool."""

    name: str
    description: str
    run: Run
    arguments: tuple[Argument, ...] = field(default=())

    def parameters(self) -> dict[str, JsonValue]:
        """Return the JSON schema of its arguments."""
        named: dict[str, JsonValue] = {each.name: each.schema() for each in (_SYMBOL, *self.arguments)}
        return {"type": "object", "properties": named, "required": [], "additionalProperties": False}

    async def call(self, known: Known, arguments: Mapping[str, Any]) -> str:
        """Return its answer. Raises ToolRefused for a symbol that the run is not about, and for arguments that cannot be used."""
        offered = {each.name: each for each in (_SYMBOL, *self.arguments)}
        if unknown := sorted(set(arguments) - set(offered)):
            raise ToolRefused(Reason("takes_no_argument", name=self.name, unknown=f"{unknown[0][:40]!r}", offered=", ".join(offered)))
        defaults = {name: each.default for name, each in offered.items() if each.default is not None}
        read = defaults | {name: offered[name].read(value) for name, value in arguments.items() if value is not None}
        symbol, own = read.pop("symbol", None), known.snapshot.listing.symbol
        if symbol is not None and canonical_symbol(symbol) != own:
            raise ToolRefused(Reason("only_can_be_looked_up_here", own=own, symbol=f"{symbol[:40]!r}"))
        return await self.run(known, read)


def plain_name(name: str) -> str:
    """Return a stranger's short name, such as a sector's, as it may be outside an envelope: words and nothing else."""
    return _NO_NAME.sub(" ", name)[:40].strip()


_NO_NAME = re.compile(r"[^\w &/-]+")
_SYMBOL = Argument("symbol", "string", "the ticker this run is about; may be left out")
