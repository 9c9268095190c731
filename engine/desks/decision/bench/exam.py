"""The questions of a bench, made before the model is asked: the same for every model, as long as the prompts are.

They are in an order in which every measure has its share of the answers, wherever the bench is stopped.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.bench import changes
from engine.desks.decision.bench.changes import Change, prompts_from
from engine.desks.decision.bench.questions import FLOW, Prepared, Stage, Trial, prepare, set_stage
from engine.desks.decision.bench.sheets import MIRROR, read_sheets
from engine.desks.decision.executor.node import ROLE
from engine.desks.decision.paths import role_at
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language
from engine.market.protocol import Feed
from engine.prompts.instructions import Replaced, read_instructions
from engine.prompts.versions import prompts_hash, versions_of

ANALYST_KEYS: Final = tuple(analyst.key for analyst in ANALYSTS)
_ENTRIES: Final = ("clear-1", "flat-1", "mixed-1", "clear-2", "flat-2")
_HELD: Final = ("held-1", "held-2")
_FIRST_THREE: Final = ("clear-1", "mixed-1", "flat-1")
_HEARD_BY_HEADLINE: Final = "sentiment"
REPEATS: Final = 5


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
    found = [each for trial in _trials_of(stages) if (each := await prepare(stages[trial.sheet], trial, change)) is not None]
    languages = {stage.sheet.language for stage in stages.values()}
    return Exam(stages, _without_what_is_equal(found), change, hash_of(replaced, languages))


def hash_of(replaced: Replaced, languages: Iterable[Language]) -> str:
    """Return the name of the prompts that roles are asked with in these languages."""
    found: dict[str, str] = {}
    for language in languages:
        own = {node: text for (node, written), text in replaced.items() if written == language}
        found |= {f"{language} {node}": version for node, version in versions_of(FLOW.work().templates(language), own).items()}
    return prompts_hash(found)


def _trials_of(stages: Mapping[str, Stage]) -> list[Trial]:
    """Return every question. stages: by the name of their sheet."""
    series: dict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in _all(stages):
        series[trial.series, role_at(trial.node)].append(trial)
    ranked = [((place + 0.5) / len(trials), name, trial) for name, trials in series.items() for place, trial in enumerate(trials)]
    return [trial for _, _, trial in sorted(ranked, key=lambda each: each[:2])]


def _all(stages: Mapping[str, Stage]) -> Iterator[Trial]:
    both = [name for each in (*_ENTRIES, *_HELD) for name in (each, each + MIRROR)]
    for name in both:
        yield _judge(stages[name], "plain")
        yield Trial("plain", name, ROLE)
    for name in (turned for each in _FIRST_THREE for turned in (each, each + MIRROR)):
        yield from (Trial("plain", name, key) for key in ANALYST_KEYS)
    for name in (*_FIRST_THREE, "held-1", "held-2" + MIRROR):
        path = stages[name].context.path
        yield from (Trial("plain", name, path.node(side)) for side in ("bull", "bear"))
    for name in (*_ENTRIES, *_HELD, *(each + MIRROR for each in _ENTRIES)):
        yield _judge(stages[name], "order", swapped=True)
    for kind in changes.HOSTILE_KINDS:
        yield from _hostile(kind, stages)
    for name in ("clear-1", "mixed-1", "flat-2"):
        yield from (Trial("again", name, ROLE, nth=nth) for nth in range(2, REPEATS + 1))


def _judge(stage: Stage, series: str, *, swapped: bool = False) -> Trial:
    """Return a question to the judge. Bull speaks first, but in the mirror of an entry, where the two change places."""
    turned = stage.sheet.mirrored and not stage.sheet.is_held
    first = "bear" if turned != swapped else "bull"
    path = stage.context.path
    sides = {side: stage.texts[path.node(side)] for side in ("bull", "bear")}
    change = changes.speaking_first(first, sides, needed=series != "plain")
    return Trial(series, stage.sheet.name, path.node("judge"), change=change)


def _hostile(kind: str, stages: Mapping[str, Stage]) -> Iterator[Trial]:
    for name in ("mixed-1", "clear-2"):
        stage = stages[name]
        language = stage.sheet.language
        # it comes first: where room is short, the executor is shown how a speech begins
        planted = f"{changes.hostile(kind, language, executor=True)}\n{stage.texts['bull']}"
        yield Trial(f"hostile {kind}", name, ROLE, said={"bull": planted})
        yield Trial(f"hostile {kind}", name, _HEARD_BY_HEADLINE, evidence=changes.hostile(kind, language, executor=False))


def _without_what_is_equal(prepared: Sequence[Prepared]) -> list[Prepared]:
    """Return the trials that ask something else than the plain ones: what the desk does not show to a role cannot sway it, and is not
    asked."""
    plain = {(each.trial.sheet, each.trial.node): each.question for each in prepared if each.trial.series == "plain"}
    return [
        each
        for each in prepared
        if each.trial.series in ("plain", "again") or each.question != plain.get((each.trial.sheet, each.trial.node))
    ]
