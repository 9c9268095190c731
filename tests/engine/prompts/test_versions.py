"""Versions of prompts: the same in every process, another one with every word, and about everything that is asked.

That nothing is missing in a desk's templates is measured: every paragraph in two languages that the process holds is marked, a run is
played, and each mark in what a node is asked has to be in the node's templates, too.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

from engine.desks.decision import debate
from engine.desks.decision import templates as decision_templates
from engine.desks.decision.flow import DecisionFlow
from engine.desks.equities import templates as equities_templates
from engine.desks.equities.flow import EquitiesFlow
from engine.domain.text.language import LANGUAGES, Language
from engine.llm.protocol import ModelCall, Script
from engine.prompts import paragraphs
from engine.prompts.versions import TABLES, prompts_hash, versions_of
from tests.flows.answers import SOUND
from tests.flows.conftest import HOLDING

if TYPE_CHECKING:
    from engine.api import Engine

FLOWS = (DecisionFlow(), EquitiesFlow())
MARK = re.compile(r"⟦\d+⟧")
CACHES = (decision_templates.templates, equities_templates.templates)
HELD = HOLDING | {"stop": 90.0, "target": 120.0, "first_stop": 95.0}
FALSE, TRUE = "RSI(14) is 3.1, so it must turn. ", "RSI(14) is above 1. RSI(14) is below 99. "


def hashes() -> dict[str, str]:
    return {
        f"{flow.name} {language}": prompts_hash(versions_of(flow.work().templates(language))) for flow in FLOWS for language in LANGUAGES
    }


@pytest.fixture(autouse=True)
def _made_anew() -> None:
    """Templates may have been kept while another test had words of its own in them."""
    for each in CACHES:
        each.cache_clear()


@contextmanager
def changed(text: dict[str, str], language: Language, words: str) -> Iterator[None]:
    kept = text[language]
    text[language] = words
    for each in CACHES:
        each.cache_clear()
    try:
        yield
    finally:
        text[language] = kept
        for each in CACHES:
            each.cache_clear()


@pytest.mark.full
def test_they_are_the_same_in_every_process() -> None:
    code = (
        "import json; from tests.engine.prompts.test_versions import hashes; print(json.dumps(hashes()))"  # where sets have another order
    )
    for seed in ("1", "77"):
        made = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True)
        assert json.loads(made.stdout) == hashes()


def test_a_word_changes_the_version_of_its_roles_and_of_no_other() -> None:
    before = {language: FLOWS[0].work().templates(language) for language in LANGUAGES}
    versions, names = {language: versions_of(before[language]) for language in LANGUAGES}, hashes()
    judge: Any = debate._TEXTS["task"]["judge"]
    with changed(judge, "en", judge["en"].replace("Weigh reasons", "Weigh arguments")):
        now = {language: versions_of(FLOWS[0].work().templates(language)) for language in LANGUAGES}
        moved = hashes()
    assert {node for node in now["en"] if now["en"][node] != versions["en"][node]} == {"judge"}
    assert now["zh"] == versions["zh"]
    assert {name for name in names if moved[name] != names[name]} == {"decision en"}
    closing: Any = paragraphs.CLOSING
    with changed(closing, "zh", closing["zh"] + "。"):
        now = {language: versions_of(FLOWS[0].work().templates(language)) for language in LANGUAGES}
    voters = {node for node in now["zh"] if now["zh"][node] != versions["zh"][node]}
    assert voters == {node for node in versions["zh"] if node not in {"executor", TABLES} and "reader" not in node}
    assert hashes() == names


def test_other_instructions_are_another_version_of_their_node() -> None:
    templates = FLOWS[0].work().templates("en")
    own, replaced = versions_of(templates), versions_of(templates, {"judge": "Rule by the facts.", "nobody": "?"})
    assert {node for node in own if own[node] != replaced[node]} == {"judge"}
    assert replaced.keys() == own.keys()


def inside(value: Any) -> list[Any]:
    """What a constant holds."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(value)
    named = is_dataclass(value) and not isinstance(value, type)
    return [getattr(value, field.name) for field in fields(value)] if named else []


def bilingual() -> list[dict[str, str]]:
    """Every paragraph that a module of the engine holds, whatever it is inside of: a text in each language, or several by name."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("engine.") and ".script" not in name]
    left, seen, found = [each for module in modules for each in list(vars(module).values())], set[int](), []
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict) and value.keys() == {"en", "zh"}:
            texts = [value] if isinstance(value["en"], str) else value.values()
            found += [each for each in texts if isinstance(each, dict) and each and all(isinstance(text, str) for text in each.values())]
        else:
            left += inside(value)
    return found


@contextmanager
def marked() -> Iterator[None]:
    """Every paragraph ends with a mark of its own; one that others are made of has its mark in those only if they are made anew."""
    kept = [(text, dict(text)) for text in bilingual()]
    for number, (text, words) in enumerate(kept):
        text.update({name: f"{each}⟦{number}⟧" for name, each in words.items()})
    for each in CACHES:
        each.cache_clear()
    try:
        yield
    finally:
        for text, words in kept:
            text.update(words)
        for each in CACHES:
            each.cache_clear()


def calls_of(flow: Any, monkeypatch: pytest.MonkeyPatch, say: Callable[[ModelCall], Script], play: Callable[[], None]) -> list[ModelCall]:
    """What a run asks in which every role says what the test has it say."""
    calls: list[ModelCall] = []

    def speak(call: ModelCall) -> Script:
        calls.append(call)
        return say(call)

    class Request:
        lies, seed = 0.0, 0

    roles = type(flow).voices(flow, Request())
    monkeypatch.setattr(type(flow), "voices", lambda _flow, _request: dict.fromkeys(roles, speak))
    play()
    return calls


def missing_in(calls: list[ModelCall], templates: Mapping[str, Any]) -> dict[str, set[str]]:
    """Node -> the marks in what it was asked that its templates lack."""
    found: dict[str, set[str]] = {}
    for call in calls:
        tools = json.dumps([[tool.name, tool.description, tool.parameters] for tool in call.tools], ensure_ascii=False)
        history = json.dumps([message for message in call.messages if message["role"] == "user"], ensure_ascii=False)
        asked = set(MARK.findall("\n".join((call.system, call.user, tools, history))))
        assert asked, f"nothing is marked in what {call.where} is asked"
        found.setdefault(call.where, set()).update(asked - set(MARK.findall("\n".join(templates[call.where]))))
    return found


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("symbol", ["BTC/USDT:USDT", "BTC/USDT"], ids=["perpetual", "spot"])
@pytest.mark.parametrize("holding", [None, HELD], ids=["entry", "position"])
def test_nothing_that_a_decision_asks_is_missing(
    make_engine: "Callable[..., Engine]", monkeypatch: pytest.MonkeyPatch, language: Language, holding: Any, symbol: str
) -> None:
    def say(call: ModelCall) -> Script:
        if call.where == "sentiment" and not call.repair:
            return Script("Without a block.")
        lies = call.where in {"trend", "bull", "position_bull"}
        return Script((FALSE if lies else TRUE) + SOUND.get(call.where, "{}"))

    engine = make_engine(tags=True)
    asked = {"symbol": symbol, "feed": "simulated", "holding": holding, "depth": 2, "reader": "confirmed", "language": language}
    engine.wait(engine.start(engine.decisions.request(**asked)), 60)  # everything is imported before anything is marked

    def play() -> None:
        engine.wait(engine.start(engine.decisions.request(**asked, correct="each_turn")), 60)

    with marked():
        calls = calls_of(FLOWS[0], monkeypatch, say, play)
        missing = missing_in(calls, FLOWS[0].work().templates(language))
    assert {"trend", "judge", "executor"} <= {node.removeprefix("position_") for node in missing}
    assert {node: marks for node, marks in missing.items() if marks} == {}
