"""What is done about a task that failed, or whose result cannot be relied on: tried again, its factor planned anew, or given up.

By rule, or by a model whose word is held to what is still allowed. Never raises: without a usable answer the rule decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.watch import watch
from engine.desks.plan.stages import REASONER
from engine.desks.plan.words import say
from engine.domain.events import NodeFinished
from engine.domain.plan.results import DecidedBy, NextStep
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.llm.blocks import closing_block, read_block
from engine.llm.values import Unreadable
from engine.prompts.render import quoted

_STEPS: Final[Mapping[str, NextStep]] = {
    "retry": "retry", "replan": "replan", "skip": "skip", "重试": "retry", "重新规划": "replan", "重规划": "replan", "跳过": "skip",
}  # fmt: skip
_KEYS: Final = ("decision", "confidence")


@dataclass(frozen=True)
class FailedTask:
    """A task without a usable result. confidence: of a result below the threshold, or None. retries: made so far.
    is_final: another attempt cannot do better. can_replan: the factor may still be planned anew."""

    factor: str
    task: str
    tool: str
    error: str
    confidence: float | None
    retries: int
    max_retries: int
    is_final: bool
    can_replan: bool

    @property
    def allowed(self) -> tuple[NextStep, ...]:
        """What may be done, in the order in which the rule tries it."""
        steps: tuple[tuple[NextStep, bool], ...] = (
            ("retry", self.retries < self.max_retries and not self.is_final),
            ("replan", self.can_replan),
            ("skip", True),
        )
        return tuple(step for step, may in steps if may)


@dataclass(frozen=True)
class ReasonedStep:
    """What is to be done. confidence: 0 to 1, how sure that is. by: who decided. ms: what it took. text: all that a model said."""

    decision: NextStep
    reason: str
    confidence: float
    by: DecidedBy
    ms: float = 0.0
    text: str = ""


def decide_by_rule(case: FailedTask) -> ReasonedStep:
    """Return the first step that is allowed: try again, then plan anew, then give up."""
    step = case.allowed[0]
    why = {
        "retry": Reason("attempt_of", n=case.retries + 2, of=case.max_retries + 1),
        "replan": Reason("another_attempt_gives_the_same" if case.is_final else "no_attempts_left_may_replan"),
        "skip": Reason("another_attempt_gives_the_same" if case.is_final else "no_attempts_left"),
    }[step]
    return ReasonedStep(step, why, {"retry": 0.7, "replan": 0.6, "skip": 0.9}[step], "heuristic")


class ReasoningTool:
    """Decides about failed tasks. Override `decide` for another way of doing it."""

    def __init__(self, access: ModelAccess | None = None) -> None:
        """access: the models of the run, role `reasoner`; None = by rule."""
        self._access = access
        self._said: dict[str, tuple[str, int]] = {}
        self._lost: set[str] = set()

    @property
    def has_model(self) -> bool:
        """Whether a model, or another way of deciding, is asked."""
        return self._access is not None or type(self).decide is not ReasoningTool.decide

    async def decide(self, case: FailedTask, node: str = REASONER, turn: int = 1) -> ReasonedStep:
        """Return what is to be done. node, turn: under which a model's answer is recorded. A model without a usable answer is not asked in
        that node again."""
        if self._access is None or node in self._lost:
            return decide_by_rule(case)
        language = self._access.language
        said, attempt = self._said.get(node, ("", 1))
        system, text = say("reasoner.system", language), _case_text(case, language)
        question = Question(REASONER, system, text, node=node, turn=turn, said=said, attempt=attempt)
        with watch(self._access.emit, node, "factors") as watched:
            try:
                spoken = await ask(self._access, question, partial(_read, case=case))
            except NoAnswer as lost:
                self._lost.add(node)
                watched.failed(str(lost), "safe_action")
                step = decide_by_rule(case)
                why = Reason("reasoner_gave_no_answer", reason=lost)
                return replace(step, reason=Reason("decided_instead", reason=step.reason, why=why))
            found = spoken.read
            result = {"decision": found.decision, "reason": found.reason}
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result=result)
        self._said[node] = spoken.text, spoken.attempt
        return replace(found, ms=spoken.usage.duration_ms)


def _case_text(case: FailedTask, language: Language) -> str:
    """Return a failed task as the reasoner reads it; the error is quoted."""
    return say(
        "reasoner.case",
        language,
        factor=_flat(case.factor),
        task=_flat(case.task),
        tool=_flat(case.tool),
        retries=case.retries,
        max_retries=case.max_retries,
        allowed=", ".join(case.allowed),
        confidence="-" if case.confidence is None else f"{case.confidence:.2f}",
        error=quoted("tool", case.error),
    )


def _flat(text: str) -> str:
    return " ".join(text.split())[:120]


def _read(text: str, case: FailedTask) -> ReasonedStep:
    """Return what a model decided, held to what is allowed. Raises Unreadable."""
    block = read_block(text, _KEYS)
    word = block.get("decision", "").strip(" *`'\"。.").lower()
    if word not in _STEPS:
        raise Unreadable(Reason("decision_must_be_retry"))
    try:
        sure = float(block.get("confidence", "").strip(" *`%"))
    except ValueError:
        raise Unreadable(Reason("confidence_must_be_number_from_0")) from None
    if not 0 <= sure <= 100:
        raise Unreadable(Reason("confidence_must_be_number_from_0"))
    found = closing_block(text, _KEYS)
    words = text[: found[0]] if found is not None else text
    wanted, reason = _STEPS[word], (" ".join(words.split()) or " ".join(text.split()))[:1000]
    if wanted not in case.allowed:
        step = decide_by_rule(case)
        why = Reason("step_is_not_possible", step=wanted, reason=step.reason)
        wanted, reason = step.decision, Reason("decided_instead", reason=reason, why=why)
    return ReasonedStep(wanted, reason, sure / 100, "model", text=text)
