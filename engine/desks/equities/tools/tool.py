"""What a tool of the desk is: a function of what is known, with typed arguments. Their JSON schema and their check are pydantic's.

Failure contract of `DataTool.call`: BadInput for arguments that cannot be used; the message says which, and what would be right. A layer
that is missing is an answer, not a failure: the text says what is missing and why. What a tool writes is measured (`key = value` lines,
tables) or quoted; strangers' words are inside an envelope.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model
from pydantic.json_schema import SkipJsonSchema

from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.equity.listings import canonical_symbol

_Symbol = Annotated[str | SkipJsonSchema[None], Field(description="the ticker this run is about; may be left out")]
_LONGEST = 200  # characters of a text among the arguments
_NO_NAME = re.compile(r"[^\w &/-]+")


@dataclass(frozen=True)
class Known:
    """What tools look into. sheet: every measured fact. decisions: reads the past decisions about a symbol by this moment, newest first.
    language: of the run, for the words that scale a large amount."""

    snapshot: EquitySnapshot
    sheet: FactSheet
    decisions: Callable[[int], Awaitable[list[Mapping[str, JsonValue]]]]
    language: Language


@dataclass(frozen=True)
class DataTool:
    """One tool. arguments: all may be left out; `symbol` is taken by every tool. run: (what is known, arguments by name) -> its answer."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[..., Awaitable[str]]

    def parameters(self) -> dict[str, JsonValue]:
        """Return the JSON schema of its arguments."""
        found: dict[str, dict[str, JsonValue]] = self.arguments.model_json_schema()["properties"]
        named: dict[str, JsonValue] = {
            name: {key: value for key, value in each.items() if key != "title" and value is not None} for name, each in found.items()
        }
        return {"type": "object", "properties": named, "required": [], "additionalProperties": False}

    async def call(self, known: Known, arguments: Mapping[str, Any]) -> str:
        """Return its answer. Raises BadInput for a symbol that the run is not about, and for arguments that cannot be used."""
        if long := [name for name, value in arguments.items() if isinstance(value, str) and len(value) > _LONGEST]:
            raise self._refusal(f"{long[0]:.40}: at most {_LONGEST} characters")
        try:
            read = dict(self.arguments.model_validate({name: value for name, value in arguments.items() if value is not None}))
        except ValidationError as error:
            problem = "; ".join(f"{each['loc'][0]!s:.40}: {each['msg']}" for each in error.errors(include_url=False))
            raise self._refusal(problem) from None
        symbol, own = read.pop("symbol"), known.snapshot.listing.symbol
        if symbol is not None and canonical_symbol(symbol) != own:
            raise BadInput(Reason("only_can_be_looked_up_here", own=own, symbol=f"{symbol[:40]!r}"))
        return await self.run(known, **read)

    def _refusal(self, problem: str) -> BadInput:
        offered = ", ".join(self.arguments.model_fields)
        return BadInput(Reason("arguments_cannot_be_used", problem=problem, name=self.name, offered=offered))


def tool(description: str) -> Callable[[Callable[..., Awaitable[str]]], DataTool]:
    """Make a function a tool of its name: its first parameter is what is known, the others are arguments."""

    def made(run: Callable[..., Awaitable[str]]) -> DataTool:
        _, *own = signature(run).parameters.values()
        fields: dict[str, Any] = {"symbol": (_Symbol, None)} | {each.name: (each.annotation, each.default) for each in own}
        return DataTool(run.__name__, description, create_model(run.__name__, __config__=ConfigDict(extra="forbid"), **fields), run)

    return made


def plain_name(name: str) -> str:
    """Return a stranger's short name, such as a sector's, as it may be outside an envelope: words and nothing else."""
    return _NO_NAME.sub(" ", name)[:40].strip()
