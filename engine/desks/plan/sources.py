"""Where tools read. In a run: the market and the companies of its request, the journal, and runs of the research flow. For a plan that is
worked through on its own: the market and the companies that the settings of the process name, so that the specification's example,
`ToolRegistry(enable_reasoning_llm=False)` and nothing else, reads real data.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from engine.desks.plan.request import PlanRequest
from engine.desks.plan.tools.protocol import Json, NoData
from engine.domain.account_ref import AccountRef
from engine.domain.ended import Memory
from engine.domain.errors import BadInput
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.equity.protocol import EquitySource
from engine.flows.protocol import RunDeps
from engine.market.protocol import Feed

if TYPE_CHECKING:
    from engine.bootstrap.providers import ProviderFactory

AskResearch = Callable[[str, int], Awaitable[Mapping[str, Any]]]
_LOOKED_AT: Final = 4
"""Memories that are read for each that is wanted: those of other prices are left out."""


class RunSources:
    """Implements `PlanSources`. deps: None in a run that is only verified: then nothing may be read. ask: of the research flow."""

    def __init__(self, request: PlanRequest, deps: RunDeps | None, ask: AskResearch) -> None:
        self._request, self._deps, self._ask = request, deps, ask

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
            found = [_of_company(each) for each in kept if each.feed == feed] + [_of_market(each) for each in runs]
            return sorted(found, key=lambda each: datetime.fromisoformat(str(each["at"])), reverse=True)[:limit]

        return await asyncio.to_thread(read)

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        """Return the result of a research run that was asked for."""
        return await self._ask(question, n)

    def _reading(self) -> RunDeps:
        if self._deps is None:
            raise BadInput(Reason("run_holds_no_such_reading"))
        return self._deps


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


def _of_company(memory: Memory) -> Json:
    decided = memory.body
    return {"at": memory.dated, "flow": "fusion", "is_valid": True, "action": str(decided.get("action")), "price": decided.get("price")}


def _of_market(record: RunRecord) -> Json:
    decided = record.result or {}
    return {
        "at": record.known_at.isoformat(),
        "flow": "decision",
        "is_valid": bool(decided.get("is_valid")),
        "action": str(decided.get("final_action")),
        "price": decided.get("current_price"),
    }
