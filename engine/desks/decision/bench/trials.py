"""What is asked in a bench, in an order in which every measure has its share of the answers, wherever it is stopped. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.bench import changes
from engine.desks.decision.bench.questions import Prepared, Stage, Trial
from engine.desks.decision.bench.sheets import MIRROR
from engine.desks.decision.executor.node import ROLE
from engine.desks.decision.paths import role_at

ANALYST_KEYS: Final = tuple(analyst.key for analyst in ANALYSTS)
_ENTRIES: Final = ("clear-1", "flat-1", "mixed-1", "clear-2", "flat-2")
_HELD: Final = ("held-1", "held-2")
_FIRST_THREE: Final = ("clear-1", "mixed-1", "flat-1")
_HEARD_BY_HEADLINE: Final = "sentiment"
REPEATS: Final = 5


def trials_of(stages: Mapping[str, Stage]) -> list[Trial]:
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


def _sides(stage: Stage) -> dict[str, str]:
    path = stage.context.path
    return {side: stage.texts[path.node(side)] for side in ("bull", "bear")}


def _judge(stage: Stage, series: str, *, swapped: bool = False) -> Trial:
    """Return a question to the judge. Bull speaks first, but in the mirror of an entry, where the two change places."""
    turned = stage.sheet.mirrored and not stage.sheet.is_held
    first = "bear" if turned != swapped else "bull"
    change = changes.speaking_first(first, _sides(stage), needed=series != "plain")
    return Trial(series, stage.sheet.name, stage.context.path.node("judge"), change=change)


def _hostile(kind: str, stages: Mapping[str, Stage]) -> Iterator[Trial]:
    for name in ("mixed-1", "clear-2"):
        stage = stages[name]
        language = stage.sheet.language
        # it comes first: where room is short, the executor is shown how a speech begins
        planted = f"{changes.hostile(kind, language, executor=True)}\n{stage.texts['bull']}"
        yield Trial(f"hostile {kind}", name, ROLE, said={"bull": planted})
        yield Trial(f"hostile {kind}", name, _HEARD_BY_HEADLINE, evidence=changes.hostile(kind, language, executor=False))


def without_what_is_equal(prepared: Sequence[Prepared]) -> list[Prepared]:
    """Return the trials that ask something else than the plain ones: what the desk does not show to a role cannot sway it, and is not
    asked."""
    plain = {(each.trial.sheet, each.trial.node): each.question for each in prepared if each.trial.series == "plain"}
    return [
        each
        for each in prepared
        if each.trial.series in ("plain", "again") or each.question != plain.get((each.trial.sheet, each.trial.node))
    ]
