"""Asking one role of the desk one question of the bench, by the desk's own nodes, prompts, readers and limits.

Everybody else in the decision has spoken already: the scripted model, on the same facts, so that every model is asked the same. A trial
says what of that is different: other words of someone, another order, a headline. The desk does the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, cast, get_type_hints

from engine.agents.access import Emit, ModelAccess, NothingKnown, Recorded, unheard
from engine.desks.decision.analysis import build_analysis
from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.bench.changes import Change, ChangedModel
from engine.desks.decision.bench.sheets import Sheet
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.debate import PathDebate
from engine.desks.decision.executor.brief import make_brief
from engine.desks.decision.executor.node import ROLE, decide_on
from engine.desks.decision.flow import DecisionFlow
from engine.desks.decision.graph import build_graph
from engine.desks.decision.grounding import spoken_texts
from engine.desks.decision.reading.answers import read_executor
from engine.desks.decision.reading.spans import claim_spans
from engine.desks.decision.state import DebateInput, TradingDecisionState
from engine.domain.clock import utc_now
from engine.domain.decision import ACTIONS
from engine.domain.errors import TribunalError
from engine.domain.events import EventData, ModelAnswered, NodeFinished, NodeRetried, NodeTokens
from engine.domain.opinion import Usage
from engine.domain.research.evidence import EvidenceItem
from engine.domain.risk import RiskConfig
from engine.domain.run import DecideRequest, RunRecord
from engine.domain.text.reason import Reason
from engine.flows.protocol import RunParts
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model, ModelCall
from engine.llm.values import Unreadable
from engine.script.model import ScriptedModel

Json = dict[str, Any]
FLOW: Final = DecisionFlow()
_CUT_OFF: Final = "cut off"


@dataclass(frozen=True)
class Stage:
    """A decision about a sheet in which everybody has spoken by script. texts: node -> what was said there; calls: what was asked."""

    sheet: Sheet
    context: DecisionContext
    state: Json
    texts: Mapping[str, str]
    calls: Mapping[str, ModelCall]


@dataclass(frozen=True)
class Trial:
    """One question. series: what it is asked for. said: node -> what was said there instead, put before the executor only, past the
    readers. evidence: a headline. change: of the question, last. nth: of equal ones.
    """

    series: str
    sheet: str
    node: str
    said: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
    change: Change | None = None
    nth: int = 1

    @property
    def differs_before(self) -> bool:
        """Whether something that is said before the question is not what the script said."""
        return bool(self.said or self.evidence)


@dataclass(frozen=True)
class Prepared:
    """A trial, ready to be asked. state: what is before it. question: what the role is asked."""

    trial: Trial
    stage: Stage
    state: Json
    question: ModelCall


@dataclass(frozen=True)
class TrialOutcome:
    """What came of a trial. answered: at the first attempt, or after a repair (`repairs`). vote: verdict, direction or action. false,
    checked: numbers in its words that are wrong, and all that could be checked. in_limits: of a plan that takes risk, None without one.
    lost: why there is no answer."""

    trial: Trial
    answered: bool
    repairs: int
    text: str
    texts: tuple[str, ...]
    usage: Usage
    lost: str = ""
    vote: str | None = None
    confidence: float | None = None
    false: int = 0
    checked: int = 0
    wrong_values: tuple[float, ...] = ()
    in_limits: bool | None = None
    cut_off: bool = False


class _Recalled(NothingKnown):
    """What everybody said but the one who is asked."""

    def __init__(self, texts: Mapping[str, str], asked: str) -> None:
        self._texts, self._asked = texts, asked

    def answer(self, node: str, turn: int) -> Recorded | None:
        return None if node == self._asked else Recorded(self._texts[node], Usage(model=FLOW.name, cost=0.0))


async def set_stage(sheet: Sheet, risk: RiskConfig, change: Change) -> Stage:
    """Let the script play a decision about a sheet. change: of every question, such as other prompts."""
    request = _request(sheet, risk)
    model = ChangedModel(ScriptedModel(FLOW.voices(request), pace=0), change)
    access = ModelAccess(lambda role, node: model, CallPolicy(), sheet.language, sheet.snapshot.hash, unheard)
    record = RunRecord(run_id=f"bench-{sheet.name}", created_at=utc_now(), status="running", request=request)
    context = FLOW.work().context(RunParts(record, sheet.snapshot, access, utc_now))
    state = dict(await _graph().ainvoke(FLOW.work().first_state(context, request), context=context))
    if state.get("executor_text") is None:
        raise TribunalError(Reason("bench_own_market_broke", value=state.get("halted") or state.get("errors")))
    said = {**spoken_texts(context.path, cast(TradingDecisionState, state)), ROLE: str(state["executor_text"])}
    return Stage(sheet, context, state, said, {call.where: call for call in model.asked})


def _request(sheet: Sheet, risk: RiskConfig) -> DecideRequest:
    snapshot = sheet.snapshot
    return DecideRequest(
        language=sheet.language,
        symbol=snapshot.market.symbol,
        feed="simulated",
        at=snapshot.at,
        holding=snapshot.holding,
        risk=risk,
    )


_graph: Final = cache(build_graph)
_analysis: Final = cache(lambda: build_analysis(ANALYSTS))
_debate: Final = cache(lambda path: PathDebate(path).build())


async def prepare(stage: Stage, trial: Trial, change: Change) -> Prepared | None:
    """Return a trial with what is before it and what it asks, which is not asked; None where it finds nothing to change."""
    state = _before(stage, trial)
    if not trial.differs_before:
        own = stage.calls[trial.node]
        asked = trial.change(own) if trial.change is not None else own
    else:
        model = ChangedModel(None, change, trial.change)
        await _put(stage, trial, state, _access(stage, trial, model, unheard))
        asked = model.asked[-1] if model.asked else None
    return Prepared(trial, stage, state, asked) if asked is not None else None


def _before(stage: Stage, trial: Trial) -> Json:
    """Return everything that is before the executor in a trial."""
    state, path = stage.state, stage.context.path
    said = {path.record(path.debaters[node]): text for node, text in trial.said.items()}
    if said:  # the places of speeches in a longer text are found anew
        state = {key: value for key, value in state.items() if key != "debate_speeches"}
    return {**state, **{record: {**state[record], "text": text} for record, text in said.items()}}


async def answer_of(prepared: Prepared, model: Model, access: ModelAccess, change: Change) -> TrialOutcome:
    """Ask a trial's question. access: budget, policy and temperatures; the rest of it is the trial's."""
    trial, stage = prepared.trial, prepared.stage
    heard = _Heard(trial.node)
    mine = _access(stage, trial, ChangedModel(model, change, trial.change), heard)
    mine = replace(access, model_of=mine.model_of, language=mine.language, context=mine.context, emit=heard, recall=mine.recall)
    await _put(stage, trial, prepared.state, mine)
    return heard.outcome(trial, stage)


def _access(stage: Stage, trial: Trial, model: Model, emit: Emit) -> ModelAccess:
    known = _Recalled(stage.texts, trial.node)
    return replace(stage.context.access, model_of=lambda role, node: model, emit=emit, recall=known)


async def _put(stage: Stage, trial: Trial, state: Json, access: ModelAccess) -> None:
    context = replace(stage.context, access=access)
    if trial.evidence:
        item = EvidenceItem(n=1, text=trial.evidence, dated=f"{context.snapshot.at:%Y-%m-%d}", run_id="bench")
        context = replace(context, inputs=replace(context.snapshot, evidence=(item,)))
    path, typed = context.path, cast(TradingDecisionState, state)
    if trial.node == ROLE:
        await decide_on(make_brief(path, typed, context), typed, context)
    elif trial.node in path.debaters:
        given = {key: state[key] for key in get_type_hints(DebateInput) if key in state}
        await _debate(path).ainvoke(given, context=context)
    else:
        await _analysis().ainvoke({"created_at": state["created_at"]}, context=context)


class _Heard:
    """Follows the events of one node."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._pieces: dict[int, list[str]] = {}
        self._answer: ModelAnswered | None = None
        self._end: NodeFinished | None = None
        self._reasons: list[str] = []

    def __call__(self, node: str | None, data: EventData) -> None:
        if node != self._node:
            return
        match data:
            case NodeTokens():
                self._pieces.setdefault(data.attempt or 1, []).append(data.text)
            case NodeRetried():
                self._reasons.append(data.reason)
            case ModelAnswered():
                self._answer = data
            case NodeFinished():
                self._end = data

    def outcome(self, trial: Trial, stage: Stage) -> TrialOutcome:
        texts = tuple("".join(pieces) for pieces in self._pieces.values())
        answer, text = self._answer, texts[-1] if texts else ""
        usage = answer.usage if answer is not None and answer.usage is not None else Usage(model="")
        reasons = [*self._reasons, *([answer.lost] if answer is not None and answer.lost else [])]
        outcome = TrialOutcome(
            trial=trial,
            answered=answer is not None and answer.lost is None,
            repairs=usage.repairs,
            text=text,
            texts=texts,
            usage=usage,
            lost=(answer.lost or "") if answer is not None else "",
            cut_off=any(_CUT_OFF in reason for reason in reasons),
        )
        if not outcome.answered:
            return outcome
        claims = read_claims(text, stage.context.sheet, trial.node, claim_spans(text, trial.node), table=CRYPTO)
        false = [claim for claim in claims if claim.when_said == "false"]
        return replace(
            outcome,
            false=len(false),
            checked=len(false) + sum(claim.when_said == "true" for claim in claims),
            wrong_values=tuple(claim.claimed for claim in false if isinstance(claim.claimed, float)),
            **(self._decision(outcome) if trial.node == ROLE else self._vote()),
        )

    def _vote(self) -> Json:
        result = (self._end.result if self._end is not None else None) or {}
        vote, confidence = result.get("verdict") or result.get("direction"), result.get("confidence")
        return {
            "vote": str(vote) if vote is not None else None,
            "confidence": float(confidence) if isinstance(confidence, int | float) else None,
        }

    def _decision(self, outcome: TrialOutcome) -> Json:
        try:
            block = read_executor(outcome.text)
        except Unreadable:  # repaired by its parts: the desk's own record says what was decided
            return {"answered": False}
        valid = getattr(self._end, "is_valid", None) is True
        adds = any(action.word == block.action_word and action.adds_risk for action in ACTIONS)
        return {
            "vote": block.action_word,
            "confidence": block.confidence,
            "in_limits": valid and not outcome.repairs if adds else None,
        }
