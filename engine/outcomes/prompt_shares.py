"""Shares of actions, false claims and confidence under each version of the prompts. Pure.

A decision counts once: whether it holds a false claim, not how many, because the claims of one decision are not independent of each other.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from statistics import fmean, median

from engine.domain.calibration import ENOUGH
from engine.domain.exact_tests import fisher
from engine.domain.prompt_shares import PromptChange, PromptedRun, PromptGroup, PromptReport, ShareChange
from engine.domain.text.language import Language

Versions = Callable[[PromptedRun], Mapping[str, str]]
"""A decision -> node -> the version of its prompt."""


def report_of(runs: Sequence[PromptedRun], versions: Versions) -> PromptReport:
    """Return what decisions came to by version, model and week, and what changed from each version to the next one of a desk, model and
    language: prompts in another language are another text, not a change."""
    weeks: dict[tuple[str, str, Language, str, str], list[PromptedRun]] = defaultdict(list)
    models: dict[tuple[str, str, Language], dict[str, list[PromptedRun]]] = defaultdict(lambda: defaultdict(list))
    for run in sorted(runs, key=lambda run: run.created_at):
        year, week, _ = run.created_at.isocalendar()
        weeks[run.desk, run.model, run.language, run.prompts_hash, f"{year}-W{week:02d}"].append(run)
        models[run.desk, run.model, run.language][run.prompts_hash].append(run)
    groups = [_group(*key, found) for key, found in weeks.items()]
    changes = [
        _change(before, now, versions) for by_hash in models.values() for before, now in pairwise(by_hash.values())
    ]  # in the order in which each was used first
    return PromptReport(
        groups=tuple(sorted(groups, key=lambda each: (each.week, each.n), reverse=True)),
        changes=tuple(reversed(changes)),
    )


def _group(desk: str, model: str, language: Language, prompts_hash: str, week: str, runs: Sequence[PromptedRun]) -> PromptGroup:
    claims, false = sum(run.claims for run in runs), sum(run.false_claims for run in runs)
    return PromptGroup(
        desk=desk,
        model=model,
        language=language,
        prompts_hash=prompts_hash,
        week=week,
        n=len(runs),
        actions=dict(Counter(run.action for run in runs).most_common()),
        claims=claims,
        false_claims=false,
        false_share=round(false / claims, 6) if claims else None,
        confidence=_mean(runs),
    )


def _change(before: Sequence[PromptedRun], now: Sequence[PromptedRun], versions: Versions) -> PromptChange:
    enough = min(len(before), len(now)) >= ENOUGH
    first, last = versions(before[0]), versions(now[0])
    known = [run.confidence for run in (*before, *now) if run.confidence is not None]
    middle = median(known) if known else 0.0
    of_confidence = _share(before, now, lambda run: (run.confidence or 0.0) > middle, enough=enough and bool(known))
    return PromptChange(
        desk=now[0].desk,
        model=now[0].model,
        language=now[0].language,
        before=before[0].prompts_hash,
        now=now[0].prompts_hash,
        n_before=len(before),
        n_now=len(now),
        roles=tuple(node for node in dict.fromkeys([*first, *last]) if first.get(node) != last.get(node)),
        actions={
            action: _share(before, now, partial(_came_to, action), enough=enough)
            for action in sorted({run.action for run in (*before, *now)})
        },
        false_claims=_share(before, now, lambda run: run.false_claims > 0, enough=enough),
        confidence=ShareChange(before=_mean(before), now=_mean(now), p_value=of_confidence.p_value),
        enough=enough,
    )


def _came_to(action: str, run: PromptedRun) -> bool:
    return run.action == action


def _share(
    before: Sequence[PromptedRun], now: Sequence[PromptedRun], counts: Callable[[PromptedRun], bool], *, enough: bool
) -> ShareChange:
    first, last = sum(map(counts, before)), sum(map(counts, now))
    p_value = float(f"{fisher(first, len(before), last, len(now)):.4g}") if enough else None
    return ShareChange(before=round(first / len(before), 6), now=round(last / len(now), 6), p_value=p_value)


def _mean(runs: Sequence[PromptedRun]) -> float | None:
    known = [run.confidence for run in runs if run.confidence is not None]
    return round(fmean(known), 4) if known else None
