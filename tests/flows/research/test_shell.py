"""`research` in the shell, over loopback sources and our own MCP server: one result, exit codes, failed sources named."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Completed, run_engine
from tests.servers.sources import PAPER, LoopbackSources

SPECIFIED = {"query", "total_papers", "papers_by_source", "top_papers", "statistics"}
FURTHER = {
    "answer",
    "confidence",
    "failed_sources",
    "observations",
    "searches",
    "flow",
    "is_valid",
    "errors",
    "warnings",
    "metrics",
    "run_id",
}
ADDRESSES = ("WIKIPEDIA", "OPENALEX", "SEMANTIC_SCHOLAR", "TAVILY", "SEC_EDGAR")


@pytest.fixture
def sources() -> Iterator[LoopbackSources]:
    with LoopbackSources() as running:
        yield running


def shell(home: Path, sources: LoopbackSources, *arguments: str) -> Completed:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TRIBUNAL_", "OPENAI_"))}
    addresses = {f"TRIBUNAL_{name}_URL": sources.url for name in ADDRESSES}
    settings = {
        "TRIBUNAL_HOME": str(home / "home"),
        "TRIBUNAL_PACE": "0",
        "TAVILY_API_KEY": "tvly-loopback-key",
    }
    return run_engine(*arguments, environment={**clean, **addresses, **settings}, folder=home)


@pytest.mark.full
def test_a_question_over_every_source(tmp_path: Path, sources: LoopbackSources) -> None:
    sources.fail("/graph/v1/paper/search", "html")
    events = tmp_path / "events.jsonl"
    done = shell(
        tmp_path, sources, "research", "Why do crowded longs pay funding, and what does Apple report?", "--events", str(events), "--json"
    )
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout, parse_constant=pytest.fail)
    assert done.stderr.splitlines()[0] == f"run {state['run_id']}"
    assert set(state) >= SPECIFIED | FURTHER
    assert state["is_valid"], state["errors"]
    assert set(state["searches"]) >= {"wikipedia", "openalex", "semantic_scholar", "tavily", "library", "sec_edgar"}
    assert "semantic_scholar" in state["failed_sources"]
    assert {"openalex", "wikipedia", "library"} <= set(state["papers_by_source"])
    assert sum(state["papers_by_source"].values()) == state["total_papers"] == len(state["top_papers"])
    paper = next(each for each in state["top_papers"] if each["title"] == PAPER["title"])
    assert (paper["doi"], paper["published_date"]) == (PAPER["doi"], PAPER["published"])
    assert (tmp_path / "home").is_dir()
    saved = [each["saved_path"] for each in state["top_papers"] if each["saved_path"]]
    assert len(saved) == state["statistics"]["downloaded"] > 0
    assert any(each.startswith("✓") for each in state["observations"]), "it looked the company up first"
    assert [each["text"] for each in state["statements"] if each["status"] == "unsupported"] == []
    kinds = [json.loads(line)["kind"] for line in events.read_text(encoding="utf-8").splitlines()]
    assert kinds.count("research.searched") == len(state["searches"]) - 1, "all at once but the optional one"
    calls = len(sources.requests)
    again = shell(tmp_path, sources, "resume", state["run_id"], "--json")
    assert json.loads(again.stdout) == state
    assert len(sources.requests) == calls, "a finished run calls nothing"


@pytest.mark.full
def test_only_what_gave_nothing_at_all_exits_1(tmp_path: Path, sources: LoopbackSources) -> None:
    sources.fail("/", "500")
    nothing = shell(tmp_path, sources, "research", "What is funding?", "--sources", "openalex,wikipedia", "--no-download", "--json")
    assert nothing.returncode == 1
    last = nothing.stderr.splitlines()[-1]
    assert last.startswith("error: no source, library or journal gave anything (")
    assert "openalex" in last
    assert json.loads(nothing.stdout)["is_valid"] is False
    library = tmp_path / "own"
    library.mkdir()
    (library / "note.md").write_text("# 资金费率\n\n资金费率为正时，多头向空头支付 0.01%。\n", encoding="utf-8")
    found = shell(tmp_path, sources, "research", "资金费率由谁支付？", "--library", str(library), "--language", "zh", "--no-download")
    assert found.returncode == 0, found.stderr
    assert "0.01%" in found.stdout
    assert "library" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("What?", "--at", "yesterday"), "cannot be read"),
        (("What?", "--sources", "Open Alex!"), "sources"),
        (("What?", "--tool-calls", "99"), "max_optional_calls"),
        (("  ",), "question"),
        (("What?", "--at", "2999-01-01"), "in the future"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_line(tmp_path: Path, sources: LoopbackSources, arguments: tuple[str, ...], said: str) -> None:
    done = shell(tmp_path, sources, "research", *arguments)
    assert done.returncode in {1, 2}
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
