"""A bench: the questions put to one model, a few at once, until all are answered or its minutes are over; what was answered is measured.

It asks through the desk's own nodes with the ordinary budget, deadlines and slots. Nothing of it is a run; only its result is kept.
"""

import time
from collections.abc import Callable
from datetime import datetime
from functools import reduce
from operator import add
from typing import Final

from engine.agents.access import ModelAccess
from engine.desks.decision.bench.exam import Exam
from engine.desks.decision.bench.measures import fit_of, measures_of, settings_for
from engine.desks.decision.bench.questions import Prepared, TrialOutcome, answer_of
from engine.domain.bench import BenchEnd, BenchResult
from engine.domain.calls.at_once import AtOnce
from engine.domain.opinion import Usage
from engine.llm.protocol import Model

AT_ONCE: Final = 4
"""Questions that are open at once: as many as the analysts of one decision."""
_LOST_FROM_THE_START: Final = 8


class Bench:
    """One model at the questions. Lives on the engine's loop."""

    def __init__(self, exam: Exam, model: Model, access: ModelAccess, minutes: float, clock: Callable[[], datetime]) -> None:
        """access: the model's budget, policy and temperatures. clock: aware UTC now."""
        self._exam, self._model, self._access, self._minutes, self._clock = exam, model, access, minutes, clock
        self._outcomes: list[TrialOutcome] = []
        self._ended: BenchEnd | None = None
        self._asking = AtOnce(AT_ONCE, self._ask)

    @property
    def asked(self) -> int:
        """Questions that were answered or lost so far."""
        return len(self._outcomes)

    @property
    def questions(self) -> int:
        return len(self._exam.questions)

    def stop(self) -> None:
        """End it; what was answered is measured."""
        self._end("stopped")

    async def run(self) -> BenchResult:
        """Ask until everything is answered, the minutes are over or someone stops it, and return what that came to."""
        began = time.monotonic()
        if not await self._asking.run(self._exam.questions, 60 * self._minutes):
            self._end("minutes")
        return self._result(time.monotonic() - began)

    async def _ask(self, question: Prepared) -> None:
        if self._access.budget.refusal():
            self._end("budget")
            return
        self._outcomes.append(await answer_of(question, self._model, self._access, self._exam.prompts))
        if len(self._outcomes) >= _LOST_FROM_THE_START and not any(outcome.texts for outcome in self._outcomes):
            self._end("lost")

    def _end(self, why: BenchEnd) -> None:
        self._ended = self._ended or why
        self._asking.stop()

    def _result(self, seconds: float) -> BenchResult:
        exam, policy = self._exam, self._access.policy
        sheets = {name: stage.sheet for name, stage in exam.stages.items()}
        measures = measures_of(self._outcomes, sheets)
        fit, failed = fit_of(measures)
        spent = reduce(add, (each.usage for each in self._outcomes), Usage(model=self._model.name, cost=0.0))
        return BenchResult(
            model=self._model.name,
            prompts_hash=exam.prompts_hash,
            measures=measures,
            fit=fit,
            failed=failed,
            settings=settings_for(
                self._outcomes,
                measures["stability"],
                max_tokens=policy.max_tokens,
                deadline_s=policy.deadline_s,
                temperature=self._access.temperature,
            ),
            calls=spent.requests,
            tokens=spent.prompt_tokens + spent.completion_tokens,
            cached_tokens=spent.cached_tokens or None,
            cost=spent.cost,
            seconds=round(seconds, 2),
            asked=self.asked,
            planned=self.questions,
            ended=self._ended or "done",
            at=self._clock(),
        )
