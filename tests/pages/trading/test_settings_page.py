"""The settings page: what the program runs with, without a secret."""

import re
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import streamlit as st

from engine.desks.decision.bench.measures import CRITERIA, ROLES, measures_of
from engine.domain.bench import BenchMeasure, BenchResult
from engine.domain.ended import Memory
from pages.frame import shared_engine
from tests.pages.started import Start, page_of

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.full
def test_it_names_what_the_program_runs_with(start: Start) -> None:
    shown = page_of(
        start(
            "settings",
            TRIBUNAL_MODEL="wise-1",
            OPENAI_API_KEY="canary-1",
            OPENAI_BASE_URL="https://user:canary-2@models.example/v1",
            TRIBUNAL_RUN_TOKENS="120000",
            TRIBUNAL_DAY_COST="2.5",
            TRIBUNAL_PRICES='{"wise-1": [1, 2]}',
            TRIBUNAL_ROLE_MODELS='{"judge": "wiser"}',
        )
    )
    for said in ("wise-1", "Judge: wiser", "120,000 tokens", "2.5 in the money", "English"):
        assert said in shown, said
    assert "canary" not in shown
    words = re.sub("<[^>]+>", "|", shown)
    assert re.search(r"Allowed market\|+all\|", words), "an empty list allows every market"
    assert re.search(r"Notional\|+no limit\|", words)


def found(model: str) -> BenchResult:
    """What a bench could find: every measure there is, and everything that can speak against a role."""
    measures = dict.fromkeys(measures_of([], {}), BenchMeasure(value=0.5, low=0.19, high=0.81, n=6))
    failed = {role: [each.measure.format(role=role) for each in CRITERIA if role in each.roles] for role in ROLES}
    return BenchResult(
        model=model,
        prompts_hash="sha256:1",
        measures=measures,
        fit={**dict.fromkeys(ROLES, "yes"), "judge": "no", "bear": "unsure"},
        failed=failed,
        settings={"TRIBUNAL_MAX_TOKENS": 8000},
        calls=143,
        tokens=246_000,
        cost=None,
        seconds=100.0,
        asked=143,
        planned=143,
        ended="done",
        at=datetime(2026, 11, 1, tzinfo=UTC),
    )


@pytest.mark.full
def test_the_newest_bench_is_shown_with_its_settings_and_the_desk_is_quiet(start: Start) -> None:
    settings = {
        "TRIBUNAL_MODEL": "wise-1",
        "OPENAI_API_KEY": "canary",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }
    untested = "Not measured with the prompts of this version"
    desk = start("", **settings)
    assert untested in "".join(each.value for each in desk.sidebar.caption)
    before = page_of(start("settings", **settings))
    assert "What the bench found" not in before
    assert "what wise-1 is worth in each role" in before
    engine = shared_engine.get_engine()
    sound = found("wise-1")
    silent = sound.model_copy(update={"measures": {**sound.measures, "refused": BenchMeasure(value=None, low=None, high=None, n=0)}})
    for n, (prompts, result) in enumerate((("sha256:other", sound), (engine.benches.prompts_hash, silent))):
        memory = Memory(flow="bench", subject="wise-1", name=prompts, body=result.model_dump(mode="json"))
        engine._container.journal.remember(memory, f"bench-{n}")
        assert "What the bench found" not in page_of(start("settings", **settings)), "of other prompts, or without an answer"
        assert untested in "".join(each.value for each in start("", **settings).sidebar.caption)
    memory = Memory(flow="bench", subject="wise-1", name=engine.benches.prompts_hash, body=sound.model_dump(mode="json"))
    engine._container.journal.remember(memory, "bench-9")
    app = start("settings", **settings)
    assert "What the bench found of wise-1" in page_of(app)
    assert f"prompts {sound.prompts_hash[:19]}" in page_of(app)
    assert [each.value for each in app.code] == ["python -m engine bench", "TRIBUNAL_MAX_TOKENS=8000"]
    assert untested not in "".join(each.value for each in start("", **settings).sidebar.caption)


@pytest.mark.full
def test_what_a_browser_keeps_counts_before_the_settings(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    cookies = {"tribunal-language": "zh", "tribunal-up-down": "blue-up"}
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies, headers={}))
    shown = page_of(start("settings", TRIBUNAL_UP_DOWN="red-up"))
    assert "本程序" in shown
    assert 'class="tb-set blue-up"' in shown
    cookies.update({"tribunal-language": "../etc", "tribunal-up-down": "<b>"})
    shown = page_of(start("settings", TRIBUNAL_UP_DOWN="red-up"))
    assert "This program" in shown
    assert 'class="tb-set red-up"' in shown
