"""Shares by version of the prompts: counted by week, tested from each version to the next, and called too few where they are."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.exact_tests import fisher
from engine.domain.prompt_shares import INVALID, PromptedRun, PromptReport
from engine.outcomes.prompt_shares import report_of

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
VERSIONS = {"a": {"bull": "1", "judge": "1"}, "b": {"bull": "1", "judge": "2"}, "c": {"bull": "1", "judge": "2", "bear": "3"}}


def runs(name: str, day: int, waits: int, enters: int, false: int = 0, confidence: float = 60.0, **more: Any) -> list[PromptedRun]:
    made = []
    for n in range(waits + enters):
        action = "signal_wait" if n < waits else "signal_entry_long"
        at = MONDAY + timedelta(days=day, minutes=n)
        fields: dict[str, Any] = {"desk": "decision", "model": "m", "language": "en", "action": action, "confidence": confidence, **more}
        made.append(PromptedRun(f"{name}{n}", prompts_hash=name, created_at=at, claims=10, false_claims=int(n < false), **fields))
    return made


def report(found: list[PromptedRun]) -> PromptReport:
    return report_of(found, lambda run: VERSIONS[run.prompts_hash])


def test_a_change_is_tested_and_names_its_roles() -> None:
    found = report([*runs("a", 0, 10, 30, false=4), *runs("b", 8, 30, 10, false=4, confidence=70.0)])
    assert [(each.prompts_hash, each.week, each.n) for each in found.groups] == [("b", "2026-W46", 40), ("a", "2026-W45", 40)]
    assert found.groups[1].actions == {"signal_entry_long": 30, "signal_wait": 10}
    assert (found.groups[1].false_share, found.groups[1].confidence) == (0.01, 60.0)
    (change,) = found.changes
    assert (change.before, change.now, change.roles, change.enough) == ("a", "b", ("judge",), True)
    waits = change.actions["signal_wait"]
    assert (waits.before, waits.now) == (0.25, 0.75)
    assert waits.p_value == pytest.approx(fisher(10, 40, 30, 40), rel=1e-3)
    assert (waits.p_value or 1) < 0.001
    assert (change.false_claims.before, change.false_claims.p_value) == (0.1, 1.0)
    assert (change.confidence.before, change.confidence.now) == (60.0, 70.0)
    assert (change.confidence.p_value or 1) < 1e-6


def test_too_few_are_called_so_and_models_are_kept_apart() -> None:
    found = report([*runs("a", 0, 10, 30), *runs("b", 1, 20, 9), *runs("c", 2, 20, 20), *runs("a", 0, 40, 0, model="other")])
    later, earlier = found.changes
    assert [(each.before, each.now, each.enough) for each in (earlier, later)] == [("a", "b", False), ("b", "c", False)]
    assert later.roles == ("bear",)
    assert {each.p_value for each in earlier.actions.values()} == {None}
    assert {each.model for each in found.groups} == {"m", "other"}


def test_prompts_in_another_language_are_no_change_of_prompts() -> None:
    found = report(
        [*runs("a", 0, 10, 30), *runs("b", 1, 10, 30, language="zh"), *runs("a", 2, 10, 30), *runs("c", 3, 10, 30, language="zh")]
    )
    (change,) = found.changes
    assert (change.language, change.before, change.now) == ("zh", "b", "c")
    assert {(each.language, each.prompts_hash, each.n) for each in found.groups} == {("en", "a", 80), ("zh", "b", 40), ("zh", "c", 40)}


def test_what_ended_in_a_fault_is_no_action_and_has_no_confidence() -> None:
    broken = [run._replace(action=INVALID, confidence=None) for run in runs("a", 0, 5, 0)]
    (group,) = report(broken).groups
    assert (group.actions, group.confidence) == ({INVALID: 5}, None)
    assert report([]).groups == ()
