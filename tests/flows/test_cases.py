"""Cases: frozen decisions made again by an endpoint that answers otherwise, with other prompts, and what cannot be decided again."""

import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.api import verify_bundle
from engine.domain.errors import BadInput
from tests.flows.answers import cast, executor, near, role_of
from tests.flows.desk import END, Desk
from tests.flows.equities.played import DAY, engine_at, play
from tests.flows.equities.played import told as told_of
from tests.processes import run_engine
from tests.servers.llm import system_of, user_of


@pytest.fixture
def kept(desk: Desk) -> list[str]:
    """Three longs and a wait, all cases."""
    made = [desk.decide(near("ENTRY_LONG"), at=END - timedelta(hours=hours), propose=hours == 3)["run_id"] for hours in (1, 2, 3)]
    made.append(desk.decide(executor("WAIT"), at=END, propose=False)["run_id"])
    desk.engine.cases.add(made)
    desk.server.requests.clear()
    return made


def shell(desk: Desk, *arguments: str) -> Any:
    settings = {"OPENAI_BASE_URL": desk.server.base_url, "OPENAI_API_KEY": "sk-test", "TRIBUNAL_MODEL": "loopback"}
    return run_engine("cases", *arguments, environment={**os.environ, "TRIBUNAL_HOME": str(desk.home), **settings})


def told(desk: Desk) -> Mapping[str, set[str]]:
    asked: dict[str, set[str]] = {}
    for request in desk.server.requests:
        asked.setdefault(role_of(request.body), set()).add(f"{system_of(request.body)}\n{user_of(request.body)}")
    return asked


@pytest.mark.full
def test_another_model_moves_three_of_four_on_the_same_inputs(desk: Desk, kept: list[str]) -> None:
    desk.server.answer = cast(executor=executor("WAIT"))
    done = shell(desk, "run", "--model", "another", "--json")
    found = json.loads(done.stdout)
    assert {"cases", "moved", "p_value"} <= found.keys()
    assert (found["cases"], found["p_value"], found["not_decided"]) == (4, 0.25, [])
    assert [(each["case"], each["before"], each["now"]) for each in found["moved"]] == [
        (case, "signal_entry_long", "signal_wait") for case in kept[:3]
    ]
    assert {request.body["model"] for request in desk.server.requests} == {"another"}
    for each in found["moved"]:
        before, now = desk.engine.record(each["case"]), desk.engine.record(each["run_id"])
        assert before.result is not None
        assert now.result is not None
        assert now.result["snapshot_hash"] == before.result["snapshot_hash"]
        assert now.result["prompts_hash"] == before.result["prompts_hash"]
        assert now.request.model == "another"
        assert (now.request.propose, now.result["proposal_id"]) == (False, None)  # type: ignore[attr-defined]
    newest = {each.case: each.run_id for each in desk.engine.cases.newest()}
    assert {each["case"]: each["run_id"] for each in found["moved"]}.items() <= newest.items()


@pytest.mark.full
def test_other_prompts_reach_their_role_and_have_another_hash(desk: Desk, kept: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "judge.en.txt").write_text("Rule against the crowd.", encoding="utf-8")
    (folder / "judge.zh.txt").write_text("只看事实。", encoding="utf-8")
    desk.server.answer = cast(executor=near("ENTRY_SHORT"))
    found = desk.engine.cases.run(prompts=folder)
    assert len(found.moved) == 4
    asked = told(desk)
    assert all(text.endswith("Role: judge\nRule against the crowd.") for text in asked["judge"])
    assert not any("against the crowd" in text for role in asked if role != "judge" for text in asked[role])
    case, again = desk.engine.record(kept[0]), desk.engine.record(found.moved[0].run_id)
    assert (case.result or {})["prompts_hash"] != (again.result or {})["prompts_hash"]
    versions = [desk.engine.prompts.versions(each.run_id) for each in (case, again)]
    assert {node for node in versions[0] if versions[0][node] != versions[1][node]} == {"judge"}
    bundle = json.loads(json.dumps(desk.engine.bundle(again.run_id)))
    assert verify_bundle(bundle) == []
    forked = desk.engine.wait(desk.engine.fork(kept[0], "executor"), 60)
    assert (forked.result or {})["prompts_hash"] == (case.result or {})["prompts_hash"]


@pytest.mark.full
def test_a_case_that_is_gone_or_of_no_desk_that_decides_is_said(desk: Desk, kept: list[str]) -> None:
    assert desk.engine.prune(0) == 0, "cases are kept"
    asked = desk.engine.start(desk.engine.research.request("What is RSI?", model="scripted"))
    for wrong in (asked, "20200101-000000-abcdef"):
        with pytest.raises(BadInput):
            desk.engine.cases.add([wrong, kept[0]])
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as database, database:  # as someone does who cleans up by hand
        database.execute("DELETE FROM runs WHERE run_id = ?", (kept[0],))
        database.execute("UPDATE runs SET inputs_hash = NULL WHERE run_id = ?", (kept[1],))
    assert [bool(each.problem) for each in desk.engine.cases.all()] == [True, True, False, False]
    desk.server.answer = cast(executor=executor("WAIT"))
    done = shell(desk, "run", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert [each["case"] for each in found["not_decided"]] == kept[:2]
    assert all(each["why"] for each in found["not_decided"])
    assert (found["cases"], [each["case"] for each in found["moved"]]) == (4, [kept[2]])
    assert kept[0] in done.stderr
    assert [each["run_id"] for each in json.loads(shell(desk, "list", "--json").stdout)] == kept
    assert shell(desk, "add").returncode == 2
    assert shell(desk, "run", kept[0]).returncode == 2


@pytest.mark.full
def test_a_case_remembers_what_it_remembered_then(tmp_path: Path) -> None:
    """An analyst's reports of the week before, which were written after the case, are not read."""
    with closing(engine_at(tmp_path / "home")) as engine:
        case, events = play(engine)
        engine.cases.add([str(case["run_id"])])
        play(engine, day=DAY - timedelta(days=7))
        assert engine.cases.run().not_decided == ()
        ((_, again),) = [(each.case, each.run_id) for each in engine.cases.newest()]
        read = {(each["node"], each["name"]): each["body"] for each in told_of(events, "memory.read")}
        assert {(each["node"], each["name"]): each["body"] for each in told_of(engine.events(again), "memory.read")} == read
        forked = engine.fork(str(case["run_id"]), "analysis")
        engine.wait(forked, 60)
        assert {(each["node"], each["name"]): each["body"] for each in told_of(engine.events(forked), "memory.read")} != read
