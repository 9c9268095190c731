"""The questions of a bench, made before anybody is asked: the same for every model, as long as the prompts are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.desks.decision.bench.changed_model import Change
from engine.desks.decision.bench.changes import prompts_from
from engine.desks.decision.bench.questions import FLOW, Prepared, Stage, Trial, question_of, set_stage, state_for
from engine.desks.decision.bench.sheets import read_sheets
from engine.desks.decision.bench.trials import trials_of, without_what_is_equal
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language
from engine.market.protocol import Feed
from engine.prompts.instructions import Replaced, read_instructions
from engine.prompts.versions import prompts_hash, versions_of


@dataclass(frozen=True)
class Exam:
    """stages: by the name of their sheet. prompts: what becomes of the desk's prompts. prompts_hash: of them."""

    stages: Mapping[str, Stage]
    questions: Sequence[Prepared]
    prompts: Change
    prompts_hash: str


async def make_exam(feed: Feed, risk: RiskConfig, prompts: Path | None = None) -> Exam:
    """Return the questions. feed: the simulated market of the bench's seed. risk: the limits that the executor is told. prompts: a folder
    of role prompts, None = the built-in ones. Raises BadInput for prompts that cannot be used."""
    replaced = read_instructions(prompts, [seat.node for seat in FLOW.seats()]) if prompts is not None else {}
    change = prompts_from(replaced)
    stages = {sheet.name: await set_stage(sheet, risk, change) for sheet in await read_sheets(feed)}
    found = [each for trial in trials_of(stages) if (each := await _prepared(stages[trial.sheet], trial, change)) is not None]
    languages = {stage.sheet.language for stage in stages.values()}
    return Exam(stages, without_what_is_equal(found), change, hash_of(replaced, languages))


async def _prepared(stage: Stage, trial: Trial, change: Change) -> Prepared | None:
    """Return a trial with what is before it and what it asks; None where it finds nothing to change."""
    state = state_for(stage, trial)
    question = await question_of(stage, trial, state, change)
    return Prepared(trial, stage, state, question) if question is not None else None


def hash_of(replaced: Replaced, languages: Iterable[Language]) -> str:
    """Return the name of the prompts that roles are asked with in these languages."""
    found: dict[str, str] = {}
    for language in languages:
        own = {node: text for (node, written), text in replaced.items() if written == language}
        found |= {f"{language} {node}": version for node, version in versions_of(FLOW.templates(language), own).items()}
    return prompts_hash(found)
