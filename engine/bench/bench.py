"""A bench: the questions put to one model, a few at once, until all are answered or its minutes are over; what was answered is measured.

It asks through the desk's own nodes with the ordinary budget, deadlines and slots. Nothing of it is a run; only its result is kept.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from pathlib import Path
from typing import Any, Final

from engine.agents.access import ModelAccess
from engine.bench.changed_model import Change
from engine.bench.changes import prompts_from
from engine.bench.fit import fit_of, settings_for
from engine.bench.measures import measures_of
from engine.bench.questions import FLOW, Outcome, Stage, Trial, answer_of, question_of, set_stage, state_for
from engine.bench.sheets import read_sheets
from engine.bench.trials import trials_of, without_what_is_equal
from engine.domain.bench import BenchEnd, BenchEstimate, BenchResult
from engine.domain.opinion import Usage
from engine.domain.risk import RiskConfig
from engine.flows.decision.grounding import spoken_texts
from engine.flows.decision.reading.spans import claim_spans
from engine.grounding.reading import read_claims
from engine.grounding.tables.crypto import CRYPTO
from engine.llm.protocol import Model, ModelCall
from engine.market.protocol import Feed
from engine.prompts.tokens import count_tokens

AT_ONCE: Final = 4
"""Questions that are open at once: as many as the analysts of one decision."""
_LOST_FROM_THE_START: Final = 8
_ANSWER_TOKENS: Final = 260


@dataclass(frozen=True)
class Terms:
    """What a bench is made with. model: is measured. access: its budget, policy and temperatures. feed: the simulated market. risk: the
    limits of the process. folder: role prompts from files, None = the built-in ones."""

    model: Model
    access: ModelAccess
    feed: Feed
    risk: RiskConfig
    folder: Path | None
    minutes: float
    clock: Callable[[], datetime]


@dataclass(frozen=True)
class _Prepared:
    trial: Trial
    stage: Stage
    state: dict[str, Any]
    question: ModelCall


class Bench:
    """One bench, from its preparation to its result. Lives on the engine's loop."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._change: Change = prompts_from(terms.folder, _nodes())
        self._stages: dict[str, Stage] = {}
        self._prepared: list[_Prepared] = []
        self._outcomes: list[Outcome] = []
        self._ended: BenchEnd | None = None
        self._stopped = asyncio.Event()

    @property
    def progress(self) -> tuple[int, int]:
        """Questions that were answered or lost, and all that are asked; (0, 0) while they are prepared."""
        return len(self._outcomes), len(self._prepared)

    def stop(self) -> None:
        """End it; what was answered is measured."""
        self._ended = self._ended or "stopped"
        self._stopped.set()

    async def prepare(self) -> BenchEstimate:
        """Make the questions, without the model, and return what they will probably take. Raises ModelUnavailable when no call could
        succeed, and BadInput for prompts that cannot be used."""
        await self._terms.model.ready()
        for sheet in await read_sheets(self._terms.feed):
            self._stages[sheet.name] = await set_stage(sheet, self._terms.risk, self._change)
        trials = trials_of(self._stages)
        states = {id(trial): await state_for(self._stages[trial.sheet], trial) for trial in trials}
        asked: dict[int, ModelCall] = {}
        for place, trial in enumerate(trials):
            question = await question_of(self._stages[trial.sheet], trial, states[id(trial)], self._change)
            if question is not None:
                asked[place] = question
        places = {id(trial): place for place, trial in enumerate(trials)}
        self._prepared = [
            _Prepared(trial, self._stages[trial.sheet], states[id(trial)], asked[places[id(trial)]])
            for trial in without_what_is_equal(trials, asked)
        ]
        sent = sum(count_tokens(each.question.system) + count_tokens(each.question.user) for each in self._prepared)
        received = _ANSWER_TOKENS * len(self._prepared)
        cost = self._terms.access.budget.cost(
            Usage(model=self._terms.model.name, requests=len(self._prepared), prompt_tokens=sent, completion_tokens=received)
        )
        return BenchEstimate(questions=len(self._prepared), prompt_tokens=sent, completion_tokens=received, cost=cost)

    async def run(self) -> BenchResult:
        """Ask until everything is answered, the minutes are over or somebody stops it, and return what that came to."""
        began = time.monotonic()
        waiting = iter(self._prepared)
        workers = [asyncio.create_task(self._work(waiting)) for _ in range(AT_ONCE)]
        stopping = asyncio.create_task(self._stopped.wait())
        try:
            everything = asyncio.gather(*workers)
            await asyncio.wait((everything, stopping), timeout=60 * self._terms.minutes, return_when=asyncio.FIRST_COMPLETED)
            if everything.done():
                everything.result()
            elif self._ended is None:
                self._ended = "minutes"
        finally:
            for task in (*workers, stopping):
                task.cancel()
            await asyncio.gather(*workers, stopping, return_exceptions=True)
        return self._result(time.monotonic() - began)

    async def _work(self, waiting: Iterable[_Prepared]) -> None:
        for each in waiting:
            if self._stopped.is_set():
                return
            if self._terms.access.budget.refusal():
                self._end("budget")
                return
            outcome = await answer_of(each.stage, each.trial, each.state, self._terms.model, self._terms.access, self._change)
            self._outcomes.append(outcome)
            if len(self._outcomes) >= _LOST_FROM_THE_START and not any(each.texts for each in self._outcomes):
                self._end("lost")

    def _end(self, why: BenchEnd) -> None:
        self._ended = why
        self._stopped.set()

    def _result(self, seconds: float) -> BenchResult:
        terms = self._terms
        sheets = {name: stage.sheet for name, stage in self._stages.items()}
        measures = measures_of(self._outcomes, sheets, _false_alarms(self._stages.values()))
        fit, failed = fit_of(measures)
        usages = [each.usage for each in self._outcomes if each.usage.requests]
        spent = reduce(lambda before, later: before + later, usages) if usages else Usage(model=terms.model.name, cost=0.0)
        cached = spent.model_dump().get("cached_tokens")
        return BenchResult(
            model=terms.model.name,
            prompts_hash=self.prompts_hash,
            measures=measures,
            fit=fit,
            failed=failed,
            settings=settings_for(
                measures, max_tokens=terms.access.policy.max_tokens, deadline_s=terms.access.policy.deadline_s, temperature=terms.access.temperature
            ),
            calls=spent.requests,
            tokens=spent.prompt_tokens + spent.completion_tokens,
            cached_tokens=cached,
            cost=terms.access.budget.cost(spent) if spent.cost is None else spent.cost,
            seconds=round(seconds, 2),
            asked=len(self._outcomes),
            planned=len(self._prepared),
            ended=self._ended or "done",
            at=terms.clock(),
        )

    @property
    def prompts_hash(self) -> str:
        """Name every system text that the desk's roles are asked with."""
        systems = {(node, stage.sheet.language, call.system) for stage in self._stages.values() for node, call in stage.calls.items()}
        return "sha256:" + hashlib.sha256(json.dumps(sorted(systems), ensure_ascii=False).encode()).hexdigest()


def _nodes() -> Sequence[str]:
    return [seat.node for seat in FLOW.seats()]


def _false_alarms(stages: Iterable[Stage]) -> tuple[int, int]:
    """Return how many numbers of the script the reader takes for false, of how many it checks: the script states none that is."""
    false = checked = 0
    for stage in stages:
        for node, text in stage.texts.items():
            for claim in read_claims(text, stage.context.sheet, node, claim_spans(text, node), table=CRYPTO):
                false += claim.when_said == "false"
                checked += claim.when_said in ("true", "false")
    return false, checked
