"""What a plan's run is decided on, and what its nodes get beside its state."""

from dataclasses import dataclass
from datetime import UTC, datetime

from engine.agents.child_run import Children
from engine.desks.plan.by_words import is_company, symbols_in
from engine.desks.plan.decompose_agent import DecomposeAgent
from engine.desks.plan.executor import LangGraphPlanExecutor
from engine.desks.plan.reasoning import ReasoningTool
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.request import PlanInputs, PlanRequest
from engine.desks.plan.sources import RunSources
from engine.desks.plan.stages import factor_node
from engine.domain.errors import BadInput
from engine.domain.events import RunStarted
from engine.domain.market.instants import from_ms, instant_ms, refuse_future
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.flows.protocol import Json, RunContext, RunDeps, RunParts

_CLOCK = Timeframe.parse("1h")


@dataclass(frozen=True)
class PlanContext(RunContext[PlanRequest, PlanInputs]):
    """What nodes work in. deps, children: None where a run is only verified."""

    deps: RunDeps | None
    children: Children | None

    def agent(self) -> DecomposeAgent:
        """Return who plans."""
        return DecomposeAgent(ToolRegistry(), access=self.access, symbol=self.inputs.symbol, at=self.inputs.at)

    def executor(self, place: int) -> LangGraphPlanExecutor:
        """Return who works a factor through. place: of the factor, from 0; its readings are recorded under its node."""
        sources = RunSources(self, factor_node(place))
        registry = ToolRegistry(True, sources=sources, reasoning_tool=ReasoningTool(self.access), outage=self.request.outage)
        return LangGraphPlanExecutor(
            registry,
            self.agent(),
            threshold=self.inputs.threshold,
            max_retries=self.inputs.max_retries,
            at=self.inputs.at,
            access=self.access,
        )


async def prepare(request: PlanRequest, deps: RunDeps) -> PlanInputs:
    """Return the inputs: the question, and the instant that counts as now. Raises BadInput and the errors of the feed."""
    question = request.subject.strip()
    symbol = symbols_in(question, request.symbol)[0] if request.plan is None else request.symbol
    at = request.at if request.at is not None else await _clock(request, symbol, deps)
    at_ms = instant_ms(at)
    refuse_future(at_ms, instant_ms(deps.clock()))
    return PlanInputs(
        question=question,
        symbol=request.symbol,
        feed=request.feed,
        at=from_ms(at_ms).astimezone(UTC),
        threshold=request.threshold,
        max_retries=request.max_retries,
        plan=request.plan,
        factor=request.factor,
    )


async def _clock(request: PlanRequest, symbol: str, deps: RunDeps) -> datetime:
    """Return now; of a recording its end for the symbol that the question is about."""
    if request.feed != "recorded":
        return deps.clock()
    if is_company(symbol):
        source = deps.equities(request.feed, request.data_dir, request.seed)
        return (await source.latest(await source.listing(symbol))).known_at
    feed = deps.feed(request)
    return await feed.clock(await feed.market(symbol), _CLOCK, None)


def context_of(parts: RunParts) -> PlanContext:
    """Return what the nodes of a run get beside its state."""
    request = parts.record.request
    if not isinstance(request, PlanRequest) or not isinstance(parts.inputs, PlanInputs):
        raise BadInput(Reason("run_is_of_another_flow", flow=request.flow, wanted="plan"))
    return PlanContext(parts.record.run_id, request, parts.inputs, parts.access, parts.clock, parts.deps, parts.children)


def opening(context: PlanContext, request: PlanRequest) -> RunStarted:
    """Return the data of `run.started`: the request and its instant."""
    inputs = context.inputs
    about: Json = {"question": inputs.question, "symbol": inputs.symbol, "at": inputs.at.isoformat(), "feed": inputs.feed}
    asked = {"model": request.model, "language": request.language, "threshold": inputs.threshold, "max_retries": inputs.max_retries}
    return RunStarted(request=request.model_dump(mode="json"), inputs_hash=inputs.hash, **about, **asked)


def first_state(context: PlanContext, request: PlanRequest) -> Json:
    """Return what is asked, and when."""
    return {"question": context.inputs.question, "created_at": context.now(), "results": []}
