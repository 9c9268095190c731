"""Where tools read. In a run: the market and the companies of its request, the journal, and runs of the research flow. For a plan that is
worked through on its own: the market and the companies that the settings of the process name, so that the specification's example,
`ToolRegistry(enable_reasoning_llm=False)` and nothing else, reads real data.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from engine.agents.child_run import run_child
from engine.desks.plan.tools.protocol import Json, NoData
from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput, SearchError
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.equity.protocol import EquitySource
from engine.flows.protocol import RunDeps
from engine.market.protocol import Feed

if TYPE_CHECKING:
    from engine.bootstrap.providers import ProviderFactory
    from engine.desks.plan.context import PlanContext

_RESEARCH: Final = "research"
_LOOKED_AT: Final = 4
"""Memories that are read for each that is wanted: those of other prices are left out."""


class RunSources:
    """Implements `PlanSources`. In a run that is only verified nothing may be read. node: under which research runs are recorded."""

    def __init__(self, context: "PlanContext", node: str) -> None:
        self._context, self._request, self._node = context, context.request, node

    def feed(self) -> Feed:
        """Return the request's market."""
        return self._reading().feed(self._request)

    def equities(self) -> EquitySource:
        """Return the request's companies."""
        return self._reading().equities(self._request.feed, self._request.data_dir, self._request.seed)

    async def decisions(self, subject: str, until: datetime, limit: int) -> Sequence[Json]:
        """Return what runs of the decision flow and of the equities desk decided on prices of the same kind, newest first. Their reasons
        are left out: whatever is in a result counts as measured."""
        deps, feed = self._reading(), self._request.feed

        def read() -> list[Json]:
            kept = deps.memories("fusion", subject, "decision", until=until.isoformat(), limit=_LOOKED_AT * limit)
            runs = deps.past_runs("decision", subject, feed, until, limit) if deps.past_runs is not None else []
            found = [_decision("fusion", each.dated, True, each.body, "action", "price") for each in kept if each.feed == feed]
            for run in runs:
                made = run.result or {}
                sound = bool(made.get("is_valid"))
                found.append(_decision("decision", run.known_at.isoformat(), sound, made, "final_action", "current_price"))
            return sorted(found, key=lambda each: datetime.fromisoformat(str(each["at"])), reverse=True)[:limit]

        return await asyncio.to_thread(read)

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        """Return the result of a research run about the run's symbol and instant, made as the run itself is."""
        own, inputs = self._request, self._context.inputs
        fields = {"flow": _RESEARCH, "question": question, "symbol": inputs.symbol, "at": inputs.at}
        alike = ("feed", "data_dir", "exchange", "model", "language", "seed", "lies", "chaos")
        try:
            request = RunRequest.read(fields | {name: getattr(own, name) for name in alike})
        except ValueError:  # its words are a schema's
            asked = f"{shortened(question, 120)!r}"
            raise NoData(Reason("research_agent_cannot_be_asked_about", symbol=inputs.symbol, question=asked)) from None
        child = await run_child(self._context.access, self._node, n, request, self._context.children)
        if child.result is None:
            ended = Reason("research_run", status=child.status)
            raise SearchError(Reason("about", who=ended, what=child.error) if child.error else ended)
        return {"run_id": child.run_id, **child.result}

    def _reading(self) -> RunDeps:
        if self._context.deps is None:
            raise BadInput(Reason("run_holds_no_such_reading"))
        return self._context.deps


class OwnSources:
    """Implements `PlanSources`, without a journal."""

    def __init__(self, providers: "ProviderFactory", ref: AccountRef) -> None:
        self._providers, self._ref = providers, ref

    def feed(self) -> Feed:
        """Return the market that the settings name."""
        return self._providers.feed(self._ref)

    def equities(self) -> EquitySource:
        """Return the companies that the settings name."""
        return self._providers.equities(self._ref.feed, self._ref.data_dir, self._ref.seed)

    async def decisions(self, subject: str, until: datetime, limit: int) -> Sequence[Json]:
        """Raise NoData: there is no journal."""
        raise NoData("past decisions need a run: a plan on its own reads no journal")

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        """Raise NoData: there is no run to ask for another."""
        raise NoData("research needs a run: a plan on its own cannot ask for one")

    async def close(self) -> None:
        """Release the connections."""
        await self._providers.close()


def sources_of_settings() -> OwnSources:
    """Return the sources that the environment and `.env` name. Raises BadInput for settings that cannot be used."""
    from engine.bootstrap.providers import providers_of  # noqa: PLC0415 - only here
    from engine.settings import load_settings  # noqa: PLC0415 - only here

    settings = load_settings()
    feed = settings.default_feed
    folder = str(settings.data_dir) if settings.data_dir is not None and feed == "recorded" else None
    return OwnSources(providers_of(settings), AccountRef(feed=feed, data_dir=folder))


def _decision(flow: str, at: str, is_valid: bool, made: Mapping[str, Any], action: str, price: str) -> Json:
    """Return a decision as a plan reads it. made: what was decided. action, price: their names in it."""
    return {"at": at, "flow": flow, "is_valid": is_valid, "action": str(made.get(action)), "price": made.get(price)}
