"""`ToolRegistry`: the tools of plans by name, where they read, and who reasons about their errors."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError

from engine.desks.plan.reasoning import ReasoningTool
from engine.desks.plan.sources import OwnSources, sources_of_settings
from engine.desks.plan.tools.calculate import calculate
from engine.desks.plan.tools.companies import company_fundamentals, company_news
from engine.desks.plan.tools.correlation import correlation
from engine.desks.plan.tools.earlier_runs import past_decisions, research_question
from engine.desks.plan.tools.market import market_facts, market_snapshot
from engine.desks.plan.tools.protocol import Json, PlanSources, PlanTool, ToolResult, ToolScope, problem_in_words
from engine.desks.plan.tools.series import funding_history, indicator_series, open_interest_history
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason

STANDARD_TOOLS: Final[tuple[PlanTool, ...]] = (
    market_snapshot,
    market_facts,
    indicator_series,
    correlation,
    funding_history,
    open_interest_history,
    company_fundamentals,
    company_news,
    past_decisions,
    calculate,
    research_question,
)


class ToolRegistry:
    """The tools that a plan may use."""

    def __init__(
        self,
        enable_reasoning_llm: bool = False,
        *,
        sources: PlanSources | None = None,
        tools: Iterable[PlanTool] = STANDARD_TOOLS,
        reasoning_tool: ReasoningTool | None = None,
        outage: str | None = None,
    ) -> None:
        """enable_reasoning_llm: errors are judged by the model of `reasoning_tool`; else by rule. sources: where tools read; None = as the
        settings of the process say (`TRIBUNAL_FEED`, ...), without a journal. outage: the tool whose source fails at first (`PlanRequest`).

        Raises BadInput where `enable_reasoning_llm` is set and `reasoning_tool` has no model.
        """
        if enable_reasoning_llm and (reasoning_tool is None or not reasoning_tool.has_model):
            raise BadInput("enable_reasoning_llm needs a ReasoningTool with a model: pass reasoning_tool=ReasoningTool(access)")
        self._tools = {tool.name: tool for tool in tools}
        self._sources, self.outage = sources, outage
        self.reasoning = reasoning_tool if enable_reasoning_llm and reasoning_tool is not None else ReasoningTool()

    @property
    def names(self) -> Sequence[str]:
        """The names of the tools."""
        return tuple(self._tools)

    def register(self, tool: PlanTool) -> None:
        """Add a tool, in the place of one of the same name."""
        self._tools[tool.name] = tool

    def get(self, name: str) -> PlanTool | None:
        """Return a tool, or None if it is unknown."""
        return self._tools.get(name)

    def describe(self) -> list[Json]:
        """Return `name`, `description` and `parameters` (JSON schema) of every tool."""
        return [{"name": tool.name, "description": tool.description, "parameters": tool.parameters()} for tool in self._tools.values()]

    async def run(self, name: str, arguments: Mapping[str, Any], at: datetime, inputs: tuple[float, ...] = (), n: int = 1) -> ToolResult:
        """Return what a tool gives. at: nothing later is known. inputs, n: as in `ToolScope`.

        Raises BadInput for a tool or arguments that there are not, and whatever the tool raises where it has no result.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise BadInput(Reason("there_is_no_tool", name=f"{name[:60]!r}", tools=", ".join(self._tools)))
        try:
            asked = tool.arguments.model_validate(dict(arguments))
        except ValidationError as problem:
            raise BadInput(Reason("about", who=name, what=problem_in_words(problem))) from None
        if self._sources is None:
            self._sources = sources_of_settings()
        return await tool.run(ToolScope(self._sources, at, inputs, n), asked)

    async def close(self) -> None:
        """Release what a plan on its own has opened."""
        if isinstance(self._sources, OwnSources):
            await self._sources.close()
            self._sources = None
