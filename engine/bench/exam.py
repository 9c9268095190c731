"""The questions of a bench, made before anybody is asked: the same for every model, as long as the prompts are."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.bench.changed_model import Change
from engine.bench.changes import instructions, prompts_from
from engine.bench.questions import FLOW, Played, Prepared, Stage, Trial, question_of, set_stage, state_for
from engine.bench.sheets import read_sheets
from engine.bench.trials import trials_of, without_what_is_equal
from engine.domain.claims import GroundingResult
from engine.domain.opinion import Usage
from engine.domain.risk import RiskConfig
from engine.flows.decision.paths import GROUNDING_RESULT
from engine.market.protocol import Feed
from engine.prompts.tokens import count_tokens

_ANSWER_TOKENS: Final = 260


@dataclass(frozen=True)
class Exam:
    """stages: by the name of their sheet. prompts: what becomes of the desk's prompts. prompts_hash: of them."""

    stages: Mapping[str, Stage]
    questions: Sequence[Prepared]
    prompts: Change
    prompts_hash: str

    def probable_usage(self, model: str) -> Usage:
        """Return what asking everything will probably take."""
        sent = sum(count_tokens(each.question.system) + count_tokens(each.question.user) for each in self.questions)
        count = len(self.questions)
        return Usage(model=model, requests=count, prompt_tokens=sent, completion_tokens=_ANSWER_TOKENS * count)

    def reader_false_alarms(self) -> tuple[int, int]:
        """Return how many numbers of the script the reader takes for false, of how many it checks: the script states none that is."""
        claims = [claim for stage in self.stages.values() for claim in _claims(stage).claims]
        false = sum(claim.when_said == "false" for claim in claims)
        return false, false + sum(claim.when_said == "true" for claim in claims)


async def make_exam(feed: Feed, risk: RiskConfig, prompts: Path | None = None) -> Exam:
    """Return the questions. feed: the simulated market of the bench's seed. risk: the limits that the executor is told. prompts: a folder
    of role prompts, None = the built-in ones. Raises BadInput for prompts that cannot be used."""
    change = prompts_from(prompts, [seat.node for seat in FLOW.seats()])
    stages = {sheet.name: await set_stage(sheet, risk, change) for sheet in await read_sheets(feed)}
    played: Played = {}
    found = [each for trial in trials_of(stages) if (each := await _prepared(stages[trial.sheet], trial, played, change)) is not None]
    return Exam(stages, without_what_is_equal(found), change, prompts_hash(stages.values()))


async def _prepared(stage: Stage, trial: Trial, played: Played, change: Change) -> Prepared | None:
    """Return a trial with what stands before it and what it asks; None where it finds nothing to change."""
    state = await state_for(stage, trial, played)
    question = await question_of(stage, trial, state, change)
    return Prepared(trial, stage, state, question) if question is not None else None


def prompts_hash(stages: Iterable[Stage]) -> str:
    """Name every system message and all instructions that roles are asked with."""
    systems = {(node, stage.sheet.language, call.system, instructions(call)) for stage in stages for node, call in stage.calls.items()}
    return "sha256:" + hashlib.sha256(json.dumps(sorted(systems), ensure_ascii=False).encode()).hexdigest()


def _claims(stage: Stage) -> GroundingResult:
    return GroundingResult.model_validate(stage.state[stage.context.path.key(GROUNDING_RESULT)])
