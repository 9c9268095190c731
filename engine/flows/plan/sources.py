"""Where a run's tools read: the market and the companies of its request, the journal, and runs of the research flow."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from engine.domain.errors import BadInput
from engine.equity.protocol import EquitySource
from engine.flows.plan.request import PlanRequest
from engine.flows.plan.tools.protocol import Json
from engine.flows.protocol import RunDeps
from engine.market.protocol import Feed

AskResearch = Callable[[str, int], Awaitable[Mapping[str, Any]]]


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
        """Return what runs of the decision flow and of the equities desk decided, newest first."""
        deps = self._reading()

        def read() -> list[Json]:
            kept = deps.memories("fusion", subject, "decision", until=until.isoformat(), limit=limit)
            desk = [{"at": memory.dated, "flow": "fusion", "is_valid": True, **_of_desk(memory.body)} for memory in kept]
            runs = deps.past_runs("decision", subject, limit) if deps.past_runs is not None else []
            found: list[Json] = [*desk]
            for record in runs:
                known = (record.request.market_clock or record.created_at).isoformat()
                if record.result is not None and datetime.fromisoformat(known) <= until:
                    state = record.result
                    reason = str(state.get("executor_reasoning") or "")[:400]
                    found.append(
                        {
                            "at": known,
                            "flow": "decision",
                            "is_valid": bool(state.get("is_valid")),
                            "action": str(state.get("final_action")),
                            "reason": reason,
                        }
                    )
            return sorted(found, key=lambda each: datetime.fromisoformat(str(each["at"])), reverse=True)[:limit]

        return await asyncio.to_thread(read)

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        """Return the result of a research run that was asked for."""
        return await self._ask(question, n)

    def _reading(self) -> RunDeps:
        if self._deps is None:
            raise BadInput("the run holds no such reading")
        return self._deps


def _of_desk(body: Mapping[str, Any]) -> Json:
    return {"action": str(body.get("action")), "reason": str(body.get("reason") or "")[:400]}
