"""One session of a benchmark: what is still to be asked, a few questions at once, until all are answered or something ends it.

Every answer is kept the moment it is there. A session that was interrupted, at whatever moment, is continued by another one.
"""

from collections.abc import Mapping
from typing import Final

from engine.agents.access import ModelAccess
from engine.benchmark.asking import answer_of
from engine.benchmark.prompts import StruckQuestion
from engine.benchmark.record import Ended, KeptAnswers, StruckSetup
from engine.benchmark.sheets import Kind
from engine.domain.calls.at_once import AtOnce
from engine.domain.opinion import Usage
from engine.llm.protocol import Model
from engine.prompts.tokens import count_tokens

AT_ONCE: Final = 4
"""Questions that are open at once, as in one decision."""
_LOST_IN_A_ROW: Final = 8
_ANSWER_TOKENS: Final = 300


class Session:
    """Lives on the engine's loop."""

    def __init__(self, setup: StruckSetup, kept: KeptAnswers, models: Mapping[Kind, Model], access: ModelAccess) -> None:
        """kept: the answers of earlier sessions, and the place for new ones. models: who answers, by kind of sheet. access: budget, policy
        and temperatures."""
        self._kept, self._models, self._access = kept, models, access
        self._questions = [asked for asked in setup.questions() if asked.name not in kept.answers]
        self.planned = len(self._questions)
        self.asked = 0
        self._lost = 0
        self._lost_before_answer = 0  # losses that were known when a question was asked that was answered
        self._ended: Ended | None = None
        self._asking = AtOnce(AT_ONCE, self._ask)

    def probable_usage(self, model: str) -> Usage:
        """Return what asking everything that is left will probably take."""
        sent = sum(count_tokens(each.system) + count_tokens(each.user) for each in self._questions)
        return Usage(model=model, requests=self.planned, prompt_tokens=sent, completion_tokens=_ANSWER_TOKENS * self.planned, cost=None)

    def stop(self) -> None:
        """End it; what was answered is kept."""
        self._end("stopped")
        self._asking.stop()

    async def run(self) -> Ended:
        """Ask until everything is answered, someone stops it, a budget is spent, or the model gives nothing any more."""
        await self._asking.run(self._questions)
        return self._ended or "done"

    async def _ask(self, question: StruckQuestion) -> None:
        if self._access.budget.refusal():
            self._end("budget")
            return
        known = self._lost
        answer = await answer_of(question, self._models, self._access)
        self._kept.add(answer)
        self.asked += 1
        if not answer.lost:  # one that was asked before the losses and came late says nothing of what the model gives now
            self._lost_before_answer = max(self._lost_before_answer, known)
            return
        self._lost += 1
        if self._lost - self._lost_before_answer >= _LOST_IN_A_ROW:
            self._end("lost")

    def _end(self, why: Ended) -> None:
        self._ended = self._ended or why
        self._asking.finish()  # what was asked is paid for: its answers are waited for
