"""The scripted planner, reasoner and synthesiser: they read their prompts and nothing else, in both languages.

The planner plans by the words of the question, as it would without a model. With lies a share of the symbols it writes is false: a market
that there is not, which the tool that is asked for it finds out. Planning a factor anew it writes the right one. The synthesiser answers by
rule; with lies a share of its numbers is false.
"""

import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from engine.agents.script.quoted_speech import QuotedSpeech
from engine.agents.script.words import Words
from engine.desks.plan.answering.by_rule import answer_by_rule
from engine.desks.plan.answering.measured import read_results
from engine.desks.plan.planning.by_words import plan_by_words, replanned_by_words
from engine.desks.plan.stages import PLANNER, REASONER, SYNTHESISER
from engine.domain.errors import TribunalError
from engine.domain.plan.plan import DecompositionPlan, FactorPlan
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts
from engine.grounding.cited.numbers import NumberIndex
from engine.grounding.cited.sentences import split_sentences
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Planted, Script, Voice

_SYMBOL = re.compile(r"^symbol: (\S+)$", re.MULTILINE)
_ASKER = re.compile(r'<said by="asker">\n(.*?)\n</said>', re.DOTALL)
_PLAN = re.compile(r'<said by="plan">\n(.*?)\n</said>', re.DOTALL)
_TASK = re.compile(r"(?:failed at its task|在任务) (\S+?)(?:\.| 处)")
_ALLOWED = re.compile(r"^allowed: ([a-z, ]+)$", re.MULTILINE)
_WORDS: Mapping[Language, Words] = {language: Words(read_texts(Path(__file__).parent, language, "words")) for language in LANGUAGES}


def plan_voices(*, lies: float, seed: int) -> Mapping[str, Voice]:
    """Return role -> voice. lies: share of false symbols and of false numbers, 0 to 1."""
    synthesiser = partial(_synthesiser, lies=lies, seed=seed)
    return {PLANNER: partial(_planner, lies=lies, seed=seed), REASONER: _reasoner, SYNTHESISER: synthesiser}


def _planner(call: ModelCall, *, lies: float, seed: int) -> Script:
    symbol, asked = _SYMBOL.search(call.user), _ASKER.search(call.user)
    question, about = (asked[1] if asked else "").strip(), symbol[1] if symbol else ""
    old = _PLAN.search(call.user)
    if old is not None:
        factor = _replanned(old[1], question, about, _TASK.search(call.user))
        if factor is None:
            return Script(_WORDS[call.language].text("lost"))
        return _spoken(call, "again", DecompositionPlan(question=question or "?", factors=(factor,)), lies=0.0, seed=seed)
    return _spoken(call, "plan", plan_by_words(question or "?", about), lies=lies, seed=seed)


def _replanned(written: str, question: str, symbol: str, failed: re.Match[str] | None) -> FactorPlan | None:
    try:
        factor = FactorPlan.model_validate(json.loads(written))
    except ValueError:
        return None
    tool = next((task.tool for task in factor.tasks if failed is not None and task.id == failed[1]), "")
    try:
        return replanned_by_words(factor, question, symbol, tool)
    except TribunalError:
        return None


def _spoken(call: ModelCall, word: str, plan: DecompositionPlan, *, lies: float, seed: int) -> Script:
    names = ", ".join(factor.name for factor in plan.factors)
    words = _WORDS[call.language]
    text = words.text(word).replace("{names}", names) + f"\n\n{words.text('block.plan')}\n"
    dice = Dice(f"{call.context}|{call.where}|{seed}|plan")
    plants: list[tuple[int, Planted]] = []
    body: dict[str, Any] = plan.model_dump(mode="json", exclude={"question"})
    for place, factor in enumerate(body["factors"]):
        true = factor["placeholders"].get("symbol")
        if isinstance(true, str) and dice.roll(place) < lies:
            factor["placeholders"]["symbol"] = stated = _false(true)
            key = f"factors[{place}].placeholders.symbol"
            plants.append((place, Planted(PLANNER, key, stated, true)))
    written = text + json.dumps(body, ensure_ascii=False, indent=1)
    spots = [(written.index(str(planted.stated), len(text)), planted) for _, planted in plants]
    return Script(written, tuple(spots))


def _false(symbol: str) -> str:
    """Return a symbol that there is not."""
    base, slash, rest = symbol.partition("/")
    return f"{base}X/{rest}" if slash else f"{base}ZZZ"


def _reasoner(call: ModelCall) -> Script:
    found = _ALLOWED.search(call.user)
    step = (found[1].split(", ") if found else ["skip"])[0]
    sure = {"retry": 70, "replan": 65}.get(step, 80)
    words = _WORDS[call.language]
    return Script(f"{words.text(step, words.text('skip'))}\n\n{words.text('block.decision')}\ndecision: {step}\nconfidence: {sure}\n")


def _synthesiser(call: ModelCall, *, lies: float, seed: int) -> Script:
    asked, results = _ASKER.search(call.user), read_results(call.user)
    found = answer_by_rule((asked[1] if asked else "").strip(), results)
    held = {each.n: each.text for each in results}
    speech, at = QuotedSpeech(SYNTHESISER, "result", lies, Dice(f"{call.context}|{call.where}|{seed}")), 0
    for sentence in split_sentences(found.text):
        speech.text += found.text[at : sentence.start]
        texts = [held[n] for n in sentence.citations if n in held]
        speech.say(sentence.text, next(iter(sentence.citations), 0), NumberIndex("\n".join(texts)))
        at = sentence.end
    block = [_WORDS[call.language].text("block.answer"), f"verdict: {found.verdict}", f"confidence: {found.sure * 100:.0f}"]
    named = {"headline": found.headline, "deciding": found.deciding, "against": found.against}
    closing = "\n\n" + "\n".join([*block, *(f"{key}: {value or 'none'}" for key, value in named.items())]) + "\n"
    return Script(speech.text + found.text[at:] + closing, tuple(speech.plants))
