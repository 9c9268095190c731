"""The equities desk as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, the indicators, calendars) comes in when a run needs it: pages ask for seats and forks only.
"""

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from engine.desks.equities.forking import fork_of
from engine.desks.equities.request import EquitiesRequest
from engine.desks.equities.stages import HEARD, STAGES, seats
from engine.domain.chaos import ChaosKind
from engine.domain.ended import Ended
from engine.domain.errors import TribunalError
from engine.domain.events import Event, NodeFinished, RunStarted
from engine.domain.proposal import Planned
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRecord
from engine.domain.stability import LoneAnswer, RepeatedAnswer, RepeatFrom
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.flows.protocol import Approvals, Failure, Flow, Fork, Json, Review, RunDeps, RunParts, Seat
from engine.llm.protocol import ModelCall, PlantedSentence, Voice
from engine.prompts.versions import Templates

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.desks.equities.context import EquitiesContext
    from engine.desks.equities.inputs import EquitiesInputs


_REPEATED_FROM: Final[Mapping[RepeatFrom, str]] = {"judge": "risk_judge", "executor": "trader"}
"""Analysts call tools, whose answers are not all frozen: they are not asked again."""


def _features(inputs: "EquitiesInputs") -> Mapping[str, float]:
    from engine.desks.equities.sheet import build_desk_sheet  # noqa: PLC0415 - see above
    from engine.facts.likeness import features_of  # noqa: PLC0415 - see above

    return features_of(build_desk_sheet(inputs.snapshot, inputs.account, 0.0))


class EquitiesFlow(Flow):
    """One company or index in, one order or none out."""

    name = "fusion"
    recursion_limit = 150

    def seats(self) -> Sequence[Seat]:
        """Analysts of both presets, their memories, debaters, judges, trader."""
        return seats()

    def voices(self, request: EquitiesRequest) -> Mapping[Role, Voice]:
        """Return a script for every role."""
        from engine.desks.equities.script import equities_voices  # noqa: PLC0415 - words that no page needs

        return equities_voices(lies=request.lies, seed=request.seed)

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a lie about the measured facts of a prompt."""
        from engine.script.lies import lie_about_facts  # noqa: PLC0415 - see above

        return lie_about_facts(call, kind)

    def load(self) -> None:
        """Import the graph, the sheet of facts (TA-Lib, which brings pandas), the ending."""
        from engine.desks.equities import graph, outcome, prepare  # noqa: F401, PLC0415 - see above

    def templates(self, language: Language) -> Templates:
        """Return the templates of every role, and the table of claims."""
        from engine.desks.equities.templates import templates  # noqa: PLC0415 - see above

        return templates(language)

    async def clock(self, request: EquitiesRequest, deps: RunDeps) -> datetime | None:
        """Return the moment of the session that was asked for, or of the newest one that is recorded."""
        if request.trade_date is not None or request.feed != "recorded":
            return request.market_clock
        from engine.equity.snapshot import asked_moment  # noqa: PLC0415 - see above

        source = deps.equities(request.feed, request.data_dir, request.seed)
        _, moment, _ = await asked_moment(source, request.symbol, None, request.session, request.timestamp)
        return moment.known_at

    async def prepare(self, request: EquitiesRequest, deps: RunDeps) -> "EquitiesInputs":
        """Return the company as it was known, and the account."""
        from engine.desks.equities.prepare import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> "EquitiesInputs":
        """Return inputs out of the journal."""
        from engine.desks.equities.inputs import EquitiesInputs  # noqa: PLC0415 - see above

        return EquitiesInputs.from_json(data)

    def context(self, parts: RunParts) -> "EquitiesContext":
        """Measure the company and the account."""
        from engine.desks.equities.prepare import context_of  # noqa: PLC0415 - see above

        return context_of(parts)

    def opening(self, context: "EquitiesContext", request: EquitiesRequest) -> RunStarted:
        """Return the request, the company in figures, who takes part."""
        from engine.desks.equities.prepare import opening  # noqa: PLC0415 - see above

        return opening(context, request)

    def first_state(self, context: "EquitiesContext", request: EquitiesRequest) -> Json:
        """Return whom it is about, when, and the state of the account."""
        from engine.desks.equities.outcome import first_state  # noqa: PLC0415 - see above

        return first_state(context, request.symbol)

    def shape(self, request: EquitiesRequest) -> Hashable:
        """Return the preset, the rounds and how the research debate opens."""
        from engine.desks.equities.prepare import preset_for  # noqa: PLC0415 - see above

        return preset_for(request).name, request.depth, request.openings

    def build(self, request: EquitiesRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph of a preset."""
        from engine.desks.equities.graph import build_graph  # noqa: PLC0415 - see above
        from engine.desks.equities.prepare import preset_for  # noqa: PLC0415 - see above

        return build_graph(preset_for(request), request.depth, together=request.openings == "together", checkpointer=saver)

    def conclude(self, state: Mapping[str, Any], context: "EquitiesContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return an order or none, or the safe outcome."""
        from engine.desks.equities.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    async def file(self, ended: Ended, context: "EquitiesContext", request: EquitiesRequest, deps: RunDeps) -> Ended:
        """Return the end after its order was filed as a proposal, when that was asked for. What cannot be filed is said."""
        if not request.propose or ended.state["order"] is None:
            return ended
        from engine.desks.equities.orders.filing import file_order  # noqa: PLC0415 - see above

        try:
            return await file_order(ended, context, request, deps)
        except (TribunalError, ArithmeticError) as problem:
            warnings = [*ended.state["warnings"], Reason("no_proposal_could_be_filed", problem=problem).said_in(request.language)]
            return replace(ended, state={**ended.state, "warnings": warnings}, shown={**ended.shown, "warnings": warnings})

    async def planned(self, record: RunRecord, inputs: "EquitiesInputs", approvals: Approvals) -> Planned:
        """Return the order as it would be placed, out of what was known."""
        from engine.desks.equities.orders.filing import plan_order  # noqa: PLC0415 - see above

        return await plan_order(record, inputs, approvals)

    async def review(
        self, record: RunRecord, inputs: "EquitiesInputs", events: Sequence[Event], ended_at: datetime, deps: RunDeps
    ) -> Review:
        """Return what the trader and the risk judge stated."""
        ends = [event for event in events if isinstance(event.data, NodeFinished) and event.node in {"trader", "risk_judge"}]
        claims = tuple(claim for event in ends if isinstance(event.data, NodeFinished) for claim in event.data.claims)
        words = str((record.result or {}).get("final_trade_decision") or "")
        return Review(claims=claims, words=words, features=await asyncio.to_thread(_features, inputs))

    def repeat_node(self, request: EquitiesRequest, start: RepeatFrom) -> str | None:
        """Return the node of the role; None for an index, which is not traded."""
        from engine.desks.equities.prepare import preset_for  # noqa: PLC0415 - see above

        return _REPEATED_FROM.get(start) if preset_for(request).debates else None

    def repeated(self, state: Mapping[str, Any], context: "EquitiesContext") -> RepeatedAnswer:
        """Return the action, and the levels of an order."""
        from engine.desks.equities.outcome import repeated  # noqa: PLC0415 - see above

        return repeated(state, context)

    async def alone(self, final: Mapping[str, Any], context: "EquitiesContext") -> LoneAnswer:
        """Ask the trader with the facts alone."""
        from engine.desks.equities.lone_voice import alone  # noqa: PLC0415 - see above

        return await alone(final, context)

    def fork(self, origin: Origin) -> Fork:
        """Return the node and everybody behind it."""
        return fork_of(origin, STAGES, HEARD)
