"""The equities desk as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`)."""

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import Final

from engine.desks.equities.request import EquitiesInputs, EquitiesRequest
from engine.desks.equities.stages import FORKING, seats
from engine.domain.chaos import ChaosKind
from engine.domain.roles import Role
from engine.domain.stability import RepeatFrom
from engine.flows.forking import Forking
from engine.flows.protocol import Flow, RunDeps, Seat, Work
from engine.llm.protocol import ModelCall, PlantedSentence, Voice

_REPEATED_FROM: Final[Mapping[RepeatFrom, str]] = {"judge": "risk_judge", "executor": "trader"}
"""Analysts call tools, whose answers are not all frozen: they are not asked again."""


class EquitiesFlow(Flow):
    """One company or index in, one order or none out."""

    name = "fusion"
    inputs = EquitiesInputs
    recursion_limit = 150

    def work(self) -> Work:
        """Import the graph, the sheet of facts (TA-Lib, which brings pandas), calendars, the ending."""
        from engine.desks.equities import graph, lone_voice, outcome, prepare, templates  # noqa: PLC0415 - pages ask for seats only
        from engine.desks.equities.orders import filing  # noqa: PLC0415 - as above

        return Work(
            build=lambda request, saver: graph.build_graph(
                prepare.preset_for(request), request.depth, together=request.openings == "together", checkpointer=saver
            ),
            prepare=prepare.prepare,
            context=prepare.context_of,
            opening=prepare.opening,
            first_state=prepare.first_state,
            conclude=outcome.ended,
            file=outcome.file,
            planned=filing.plan_order,
            review=outcome.review,
            repeated=outcome.repeated,
            alone=lone_voice.alone,
            templates=templates.templates,
        )

    def seats(self) -> Sequence[Seat]:
        return seats()

    def voices(self, request: EquitiesRequest) -> Mapping[Role, Voice]:
        from engine.desks.equities.script import equities_voices  # noqa: PLC0415 - words that no page needs

        return equities_voices(lies=request.lies, seed=request.seed)

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        from engine.script.lies import lie_about_facts  # noqa: PLC0415 - words that no page needs

        return lie_about_facts(call, kind)

    def forking(self) -> Forking:
        return FORKING

    async def clock(self, request: EquitiesRequest, deps: RunDeps) -> datetime | None:
        """Return the moment of the session that was asked for, or of the newest one that is recorded."""
        if request.trade_date is not None or request.feed != "recorded":
            return request.market_clock
        from engine.equity.snapshot import asked_moment  # noqa: PLC0415 - calendars, which no page needs

        source = deps.equities(request.feed, request.data_dir, request.seed)
        _, moment, _ = await asked_moment(source, request.symbol, None, request.session, request.timestamp)
        return moment.known_at

    def shape(self, request: EquitiesRequest) -> Hashable:
        """Return the preset, the rounds and how the research debate opens."""
        from engine.desks.equities.prepare import preset_for  # noqa: PLC0415 - only runs have graphs

        return preset_for(request).name, request.depth, request.openings

    def repeat_node(self, request: EquitiesRequest, start: RepeatFrom) -> str | None:
        """Return the node of the role; None for an index, which is not traded."""
        from engine.desks.equities.prepare import preset_for  # noqa: PLC0415 - as above

        return _REPEATED_FROM.get(start) if preset_for(request).debates else None
