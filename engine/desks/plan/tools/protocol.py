"""What a tool of a plan is: a name, a schema of its arguments, a function that reads, and the sentence that its result comes to.

`plan_tool` makes one of a function.

Failure contract of `PlanTool.run`: a TribunalError, TimeoutError or ValueError with one clear line; a tool without data raises `NoData` and
never fills in anything. Nothing it returns was known after `ToolScope.at`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import signature
from typing import Annotated, Any, Protocol

from pydantic import Field, JsonValue, ValidationError, create_model

from engine.desks.plan.words import say
from engine.domain.errors import TribunalError
from engine.domain.frozen_model import FrozenModel
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.equity.protocol import EquitySource
from engine.market.protocol import Feed

Json = dict[str, JsonValue]
Market = Annotated[str, Field(min_length=1, max_length=40, description="market as ccxt names it, BTC/USDT:USDT")]
Length = Annotated[str, Field(max_length=6, description="length of a candle: 15m, 1h, 4h, 1d")]
Ticker = Annotated[str, Field(min_length=1, max_length=40, description="ticker: AAPL, 600519.SH, 0700.HK")]


class NoData(TribunalError):
    """A source has nothing of what a tool was asked for. The message says what, and of when."""


class PlanSources(Protocol):
    """Where tools read."""

    def feed(self) -> Feed:
        """Return the market. Raises BadInput if the request has none."""
        ...

    def equities(self) -> EquitySource:
        """Return the listed companies. Raises BadInput where there are none."""
        ...

    async def decisions(self, subject: str, until: datetime, limit: int) -> Sequence[Json]:
        """Return past decisions about a symbol that knew nothing after `until`, newest first: `at`, `flow`, `is_valid`, `action`, `price`.
        Raises NoData where no journal is connected, StoreError."""
        ...

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        """Return the result of a research run. n: which of its factor's readings asks for it. Raises NoData where none can be asked,
        SearchError where it failed."""
        ...


@dataclass(frozen=True)
class ToolScope:
    """What one call may look into. at: nothing later is known, aware UTC. inputs: confidence of the earlier results that it is made of. n:
    which of its factor's readings it is, from 1."""

    sources: PlanSources
    at: datetime
    inputs: tuple[float, ...] = ()
    n: int = 1

    @property
    def at_ms(self) -> int:
        """UTC milliseconds of the instant."""
        return int(self.at.timestamp() * 1000)


@dataclass(frozen=True)
class ToolResult:
    """What a tool gave. output: JSON. checks: how far it can be relied on. as_of: the instant up to which the data
    go. source: who gave them."""

    output: Json
    checks: tuple[QualityCheck, ...]
    as_of: datetime
    source: str

    @property
    def confidence(self) -> float:
        """The least of the checks, 0 to 1: what fails one of them is not made good by the others."""
        return min((check.score for check in self.checks), default=1.0)


Sentence = Callable[[Mapping[str, Any], Language], str]


@dataclass(frozen=True)
class PlanTool:
    """One tool. arguments: the model of its arguments. run: (scope, arguments that were checked) -> its result. sentence: (output,
    language) -> what it comes to, in one sentence; "" for nothing."""

    name: str
    description: str
    arguments: type[FrozenModel]
    run: Callable[[ToolScope, Any], Awaitable[ToolResult]]
    sentence: Sentence

    def parameters(self) -> Json:
        """Return the JSON schema of its arguments."""
        schema: Json = _plain(self.arguments.model_json_schema())
        return schema


def plan_tool(description: str, sentence: Sentence | None = None) -> Callable[[Callable[..., Awaitable[ToolResult]]], PlanTool]:
    """Make a tool of a function. Its name is the tool's; its parameters behind the scope are the arguments, and its docstring tells a
    planner more of them. sentence: None = the text of the tool's name, filled in with its output."""

    def made(read: Callable[..., Awaitable[ToolResult]]) -> PlanTool:
        name, (_, *parameters) = read.__name__, signature(read).parameters.values()
        fields: dict[str, Any] = {each.name: (each.annotation, ... if each.default is each.empty else each.default) for each in parameters}
        arguments = create_model(name, __base__=FrozenModel, __doc__=read.__doc__, **fields)

        async def run(scope: ToolScope, asked: Any) -> ToolResult:
            return await read(scope, **{field: getattr(asked, field) for field in fields})

        return PlanTool(name, description, arguments, run, sentence or (lambda output, language: say(name, language, **output)))

    return made


def _plain(schema: Any) -> Any:
    """Return a schema without the titles that pydantic makes of field names."""
    if isinstance(schema, dict):
        kept = {key: item for key, item in schema.items() if key != "title" or not isinstance(item, str)}
        return {key: _plain(item) for key, item in kept.items()}
    return [_plain(item) for item in schema] if isinstance(schema, list) else schema


def problem_in_words(problem: Exception) -> str:
    """Return an exception on one line: its words where it is one of ours, or of a kind whose words say enough; else with its kind."""
    if isinstance(problem, ValidationError):  # arguments, or an output, that are none
        first = problem.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'][:4]))}: {first['msg'][0].lower()}{first['msg'][1:]}"
    if isinstance(words := str(problem), Reason):
        return words
    words = " ".join(words.split())
    if isinstance(problem, TribunalError | ValueError | TimeoutError | ArithmeticError | OSError) and words:
        return words
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__
