"""The scripted planner, reasoner and synthesiser: they read their prompts and nothing else, in both languages.

The planner plans by the words of the question, as it would without a model. With lies a share of the symbols it writes is false: a market
that does not exist, which the tool that is asked for it finds out. Planning a factor anew it writes the right one. The synthesiser answers
by rule; with lies a share of its numbers is false.
"""

import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from engine.desks.plan.answering.by_rule import answer_by_rule
from engine.desks.plan.answering.measured import read_results
from engine.desks.plan.by_words import plan_by_words, replanned_by_words
from engine.desks.plan.stages import PLANNER, REASONER, SYNTHESISER
from engine.domain.errors import TribunalError
from engine.domain.plan.plan import DecompositionPlan, FactorPlan
from engine.grounding.cited.numbers import NumberIndex
from engine.grounding.cited.sentences import split_sentences
from engine.llm.protocol import ModelCall, Planted, Script, Voice
from engine.script.dice import Dice
from engine.script.quoting import QuotedSpeech
from engine.script.speech import read_words

_SYMBOL: Final = re.compile(r"^symbol: (\S+)$", re.MULTILINE)
_ASKER: Final = re.compile(r'<said by="asker">\n(.*?)\n</said>', re.DOTALL)
_PLAN: Final = re.compile(r'<said by="plan">\n(.*?)\n</said>', re.DOTALL)
_TASK: Final = re.compile(r"(?:failed at its task|在任务) (\S+?)(?:\.| 处)")
_ALLOWED: Final = re.compile(r"^allowed: ([a-z, ]+)$", re.MULTILINE)
_SURE: Final = {"retry": 70, "replan": 65, "skip": 80}
_WORDS: Final = read_words(Path(__file__).parent, "script")


def plan_voices(*, lies: float, seed: int) -> Mapping[str, Voice]:
    """Return role -> voice. lies: share of false symbols and of false numbers, 0 to 1."""
    synthesiser = partial(_synthesiser, lies=lies, seed=seed)
    return {PLANNER: partial(_planner, lies=lies, seed=seed), REASONER: _reasoner, SYNTHESISER: synthesiser}


def _found(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1].strip() if found else ""


def _planner(call: ModelCall, *, lies: float, seed: int) -> Script:
    symbol, question = _found(_SYMBOL, call.user), _found(_ASKER, call.user)
    if not (old := _found(_PLAN, call.user)):
        return _planned(call, "plan", plan_by_words(question or "?", symbol), lies, seed)
    factor = _replanned(old, question, symbol, _found(_TASK, call.user))
    if factor is None:
        return Script(_WORDS[call.language].text("lost"))
    return _planned(call, "again", DecompositionPlan(question=question or "?", factors=(factor,)), 0.0, seed)


def _replanned(written: str, question: str, symbol: str, failed: str) -> FactorPlan | None:
    """Return another plan for a factor; None where there is no other. failed: the task that failed."""
    try:
        factor = FactorPlan.model_validate(json.loads(written))
        tool = next((task.tool for task in factor.tasks if task.id == failed), "")
        return replanned_by_words(factor, question, symbol, tool)
    except (ValueError, TribunalError):
        return None


def _planned(call: ModelCall, word: str, plan: DecompositionPlan, lies: float, seed: int) -> Script:
    words, dice = _WORDS[call.language], Dice(f"{call.context}|{call.where}|{seed}|plan")
    names = words.text("mark").join(factor.name for factor in plan.factors)
    text = words.text(word).replace("{names}", names) + f"\n\n{words.text('block.plan')}\n"
    planted: list[Planted] = []
    body: dict[str, Any] = plan.model_dump(mode="json", exclude={"question"})
    for place, factor in enumerate(body["factors"]):
        true = factor["placeholders"].get("symbol")
        if isinstance(true, str) and dice.roll(place) < lies:
            base, slash, rest = true.partition("/")
            factor["placeholders"]["symbol"] = stated = f"{base}X/{rest}" if slash else f"{base}ZZZ"
            planted.append(Planted(PLANNER, f"factors[{place}].placeholders.symbol", stated, true))
    written = text + json.dumps(body, ensure_ascii=False, indent=1)
    return Script(written, tuple((written.index(str(each.stated), len(text)), each) for each in planted))


def _reasoner(call: ModelCall) -> Script:
    step, words = (_found(_ALLOWED, call.user) or "skip").split(", ")[0], _WORDS[call.language]
    block = f"{words.text('block.decision')}\ndecision: {step}\nconfidence: {_SURE.get(step, 80)}\n"
    return Script(f"{words.text(step, words.text('skip'))}\n\n{block}")


def _synthesiser(call: ModelCall, *, lies: float, seed: int) -> Script:
    results = read_results(call.user)
    found, held = answer_by_rule(_found(_ASKER, call.user), results), {each.n: each.text for each in results}
    speech, at = QuotedSpeech(SYNTHESISER, "result", lies, Dice(f"{call.context}|{call.where}|{seed}")), 0
    for sentence in split_sentences(found.text):
        speech.text += found.text[at : sentence.start]
        texts = [held[n] for n in sentence.citations if n in held]
        speech.say(sentence.text, next(iter(sentence.citations), 0), NumberIndex("\n".join(texts)))
        at = sentence.end
    named = {"headline": found.headline, "deciding": found.deciding, "against": found.against}
    closing = {"verdict": found.verdict, "confidence": f"{found.sure * 100:.0f}", **{key: value or "none" for key, value in named.items()}}
    block = [_WORDS[call.language].text("block.answer"), *(f"{key}: {value}" for key, value in closing.items())]
    return Script(speech.text + found.text[at:] + "\n\n" + "\n".join(block) + "\n", tuple(speech.plants))
