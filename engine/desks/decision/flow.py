"""The decision as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`)."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.paths import PATHS, Path
from engine.domain.chaos import ChaosKind
from engine.domain.decision import DEBATE_SIDES
from engine.domain.inputs import Inputs
from engine.domain.market.snapshot import Snapshot
from engine.domain.roles import Role
from engine.domain.run import DecideRequest, Origin, RunRequest
from engine.domain.stability import RepeatFrom
from engine.domain.text.language import Language
from engine.flows.forking import Forking
from engine.flows.protocol import Flow, Json, RunDeps, Seat, Work, with_readers
from engine.llm.protocol import ModelCall, PlantedSentence, Voice

_TITLES: Mapping[str, Mapping[Language, str]] = {
    "bull": {"en": "Bull", "zh": "多头"},
    "bear": {"en": "Bear", "zh": "空头"},
    "judge": {"en": "Judge", "zh": "裁判"},
    "executor": {"en": "Executor", "zh": "交易执行"},
}
_KEYS: Final = tuple(analyst.key for analyst in ANALYSTS)
_FORKING: Final = Forking(
    stages=(_KEYS, *((side,) for side in DEBATE_SIDES), ("executor",)),
    nodes={side: tuple(path.node(side) for path in PATHS) for side in DEBATE_SIDES},
    aliases={
        "analysis": _KEYS[0],
        "aggregator": "bull",
        "debate": "bull",
        "entry_debate": "bull",
        "grounding": "executor",
        "entry_grounding": "executor",
    },
    turns=(("bull", "bear"),),
    heard={path.node("judge"): (*_KEYS, path.node("bull"), path.node("bear")) for path in PATHS},
)
"""A fork on a fresh market may decide on the other path, so that a side speaks anew on both."""
_REPEATED_FROM: Final[Mapping[RepeatFrom, str]] = {"judge": "judge", "executor": "executor", "analysts": "analysis"}


class DecisionFlow(Flow):
    """One market in, one decision out."""

    name = "decision"
    inputs = Snapshot
    recursion_limit = 20

    def work(self) -> Work:
        """Import the graph, the sheet of facts (TA-Lib, which brings pandas) and the ending."""
        from engine.desks.decision import ablation, graph, outcome, prepare, templates  # noqa: PLC0415 - pages ask for seats and forks only

        return Work(
            build=lambda request, saver: graph.build_graph(ANALYSTS, request.depth, saver, together=request.openings == "together"),
            prepare=prepare.prepare,
            context=prepare.context_of,
            opening=prepare.opening,
            first_state=prepare.first_state,
            conclude=outcome.ended,
            file=outcome.file,
            planned=outcome.planned,
            review=outcome.review,
            repeated=outcome.repeated,
            alone=ablation.alone,
            templates=templates.templates,
        )

    def seats(self) -> Sequence[Seat]:
        """Return analysts, debaters of either path with the reader of their claims, executor."""
        analysts = [Seat(analyst.key, analyst.key, "analysis", analyst.title) for analyst in ANALYSTS]
        debaters = [seat for path in PATHS for seat in _debaters(path)]
        return (*analysts, *debaters, Seat("executor", "executor", "executor", _TITLES["executor"]))

    def voices(self, request: DecideRequest) -> Mapping[Role, Voice]:
        from engine.desks.decision.script.voices import decision_voices  # noqa: PLC0415 - words that no page needs

        return decision_voices(_KEYS, lies=request.lies, seed=request.seed)

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        from engine.script.lies import lie_about_facts  # noqa: PLC0415 - words that no page needs

        return lie_about_facts(call, kind)

    def forking(self) -> Forking:
        return _FORKING

    async def clock(self, request: DecideRequest, deps: RunDeps) -> datetime | None:
        """Return what `at` says, or the end of a recorded market."""
        return await deps.approvals.instant(request)

    def shape(self, request: DecideRequest) -> Hashable:
        """Return the rounds of the debate and how it opens."""
        return request.depth, request.openings

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return that only what is decided on a fresh market is proposed again."""
        return {**super().forked(parent, origin), "propose": origin.fresh}

    def repeat_node(self, request: DecideRequest, start: RepeatFrom) -> str:
        return _REPEATED_FROM[start]

    def pack(self, inputs: Inputs, earlier: Mapping[str, Inputs]) -> Json:
        """Return `snapshot`, and `said_on` where there is anything in it."""
        said_on = {name: each.to_json() for name, each in earlier.items()}
        return {"snapshot": inputs.to_json(), **({"said_on": said_on} if said_on else {})}

    def unpack(self, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
        earlier = {str(name): Snapshot.from_json(each) for name, each in (bundle.get("said_on") or {}).items()}
        return Snapshot.from_json(bundle["snapshot"]), earlier

    def inputs_hash(self, written: Mapping[str, Any]) -> str:
        """Return what the specification calls the snapshot's."""
        return str(written.get("snapshot_hash", ""))


def _debaters(path: Path) -> Iterator[Seat]:
    for side in DEBATE_SIDES:
        seat = Seat(side, path.node(side), "debate", _TITLES[side])
        yield from with_readers(seat) if side == "judge" else (seat,)
