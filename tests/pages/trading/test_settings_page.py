"""The settings page: what the program runs with, without a secret; the check and its lines in the page's language."""

import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st

from engine.bench.fit import CRITERIA
from engine.bench.measures import ROLES, measures_of
from engine.domain.bench import BenchMeasure, BenchResult
from engine.domain.ended import Memory
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.trading.bench import bench_panel
from tests.conftest import ROOT
from tests.pages.started import Start, page_of

HAN = re.compile("[\u4e00-\u9fff]")


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
    for said in ("wise-1", "models.example/v1", "Judge: wiser", "120,000 tokens", "2.5 in the money", "Simulated", "English"):
        assert said in shown, said
    assert "canary" not in shown
    words = re.sub("<[^>]+>", "|", shown)
    assert re.search(r"Allowed market\|+all\|", words), "an empty list allows every market"
    assert re.search(r"Notional\|+no limit\|", words)


@pytest.mark.parametrize(("language", "said"), [("en", "the audit chain holds"), ("zh", "审计链从头到尾完整")])
def test_the_check_shows_its_lines(start: Start, language: str, said: str) -> None:
    app = start("settings", TRIBUNAL_LANGUAGE=language)
    assert said not in page_of(app), "it waits to be asked"
    app.button(key="check-run").click().run()
    assert not app.exception
    (table,) = re.findall(r'tb-check">.*?</table>', page_of(app), re.S)
    assert said in table
    cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td>(.*?)</td>", table, re.S)]
    assert len(cells) == 3 * 18
    assert all(bool(HAN.search(cell)) == (language == "zh") for cell in cells)


def found(model: str) -> BenchResult:
    """What a bench could find: every measure there is, and everything that can speak against a role."""
    measures = dict.fromkeys(measures_of([], {}, (0, 0)), BenchMeasure(value=0.5, low=0.19, high=0.81, n=6))
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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_measure_of_a_bench_has_its_words(language: str) -> None:
    result = found("wise-1")
    shown = str(bench_panel(result, Show(language=language)))  # type: ignore[arg-type]
    words = re.sub("<[^>]+>", "|", shown)
    assert shown.count("0.19 – 0.81") == len(result.measures)
    assert not re.search(r"bm_|dose_|bench_", words)
    assert bool(HAN.search(words)) == (language == "zh")


def test_a_bench_is_shown_its_settings_are_written_and_the_desk_is_quiet(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.api.benches.ENV_FILE", tmp_path / ".env")
    (tmp_path / ".env").write_text("OPENAI_API_KEY=canary\nTRIBUNAL_MAX_TOKENS=4000\n", encoding="utf-8")
    settings = {"TRIBUNAL_MODEL": "wise-1", "OPENAI_API_KEY": "canary", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    untested = "Never measured on this desk"
    desk = start("", **settings)
    assert untested in "".join(each.value for each in desk.sidebar.caption)
    assert "What the bench found" not in page_of(start("settings", **settings))
    memory = Memory(flow="bench", subject="wise-1", name="sha256:1", body=found("wise-1").model_dump(mode="json"))
    shared_engine.get_engine()._container.journal.remember(memory, "bench-1")
    app = start("settings", **settings)
    assert "What the bench found of wise-1" in page_of(app)
    app.button(key="bench-apply").click().run()
    assert not app.exception
    assert (tmp_path / ".env").read_text(encoding="utf-8") == "OPENAI_API_KEY=canary\nTRIBUNAL_MAX_TOKENS=8000\n"
    assert untested not in "".join(each.value for each in start("", **settings).sidebar.caption)


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


def test_every_folder_of_browser_files_is_served() -> None:
    from pages.server.static_files import file_routes

    served = {getattr(route, "path", "").rsplit("/", 1)[-1] for route in file_routes()}
    assert {path.parent.name for path in (ROOT / "assets").glob("*/*.js")} <= served
