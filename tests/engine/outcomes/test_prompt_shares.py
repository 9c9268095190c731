"""Shares by version of the prompts: counted by week, tested from each version to the next."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.exact_tests import fisher
from engine.domain.prompt_shares import PromptedRun, PromptReport
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
