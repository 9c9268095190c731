"""The scripted planner and reasoner: they read their prompts and nothing else, in both languages.

The planner plans by the words of the question, as it would without a model. With lies a share of the symbols it writes is false: a market
that there is not, which the tool that is asked for it finds out. Planning a factor anew it writes the right one.
"""

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from engine.domain.errors import TribunalError
from engine.domain.plan.plan import DecompositionPlan, FactorPlan
from engine.domain.text.language import Language
from engine.flows.plan.planning.by_words import plan_by_words, replanned_by_words
from engine.flows.plan.stages import PLANNER, REASONER
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Planted, Script, Voice

_SYMBOL = re.compile(r"^symbol: (\S+)$", re.MULTILINE)
_ASKER = re.compile(r'<said by="asker">\n(.*?)\n</said>', re.DOTALL)
_PLAN = re.compile(r'<said by="plan">\n(.*?)\n</said>', re.DOTALL)
_TASK = re.compile(r"(?:failed at its task|在任务) (\S+?)(?:\.| 处)")
_ALLOWED = re.compile(r"^allowed: ([a-z, ]+)$", re.MULTILINE)
_WORDS: Mapping[str, Mapping[Language, str]] = {
    "plan": {
        "en": "The question comes down to {names}. These can be looked into at the same time.",
        "zh": "这个问题可以分解为：{names}。它们可以同时研究。",
    },
    "again": {
        "en": "The factor {names} is planned anew, so that what failed is not asked again.",
        "zh": "重新规划因子 {names}，不再重复失败的请求。",
    },
    "lost": {"en": "There is no other way to look into this.", "zh": "没有其他途径可以研究这一点。"},
    "retry": {"en": "This may have been a passing fault, so it is worth another attempt.", "zh": "这可能是暂时性故障，值得再试一次。"},
    "replan": {
        "en": "Another attempt would give the same, but the factor can be looked into in another way.",
        "zh": "再试也会得到同样的结果，但可以换一种方式研究这个因子。",
    },
    "skip": {"en": "This cannot be known here, so the plan goes on without it.", "zh": "此处无法得知，计划跳过它继续。"},
}
_HEADINGS: Mapping[str, Mapping[Language, str]] = {
    "plan": {"en": "[Plan]", "zh": "[计划]"},
    "decision": {"en": "[Decision]", "zh": "[决定]"},
}


def plan_voices(*, lies: float, seed: int) -> Mapping[str, Voice]:
    """Return role -> voice. lies: share of false symbols, 0 to 1."""
    return {PLANNER: partial(_planner, lies=lies, seed=seed), REASONER: _reasoner}


def _planner(call: ModelCall, *, lies: float, seed: int) -> Script:
    symbol, asked = _SYMBOL.search(call.user), _ASKER.search(call.user)
    question, about = (asked[1] if asked else "").strip(), symbol[1] if symbol else ""
    old = _PLAN.search(call.user)
    if old is not None:
        factor = _replanned(old[1], question, about, _TASK.search(call.user))
        if factor is None:
            return Script(_WORDS["lost"][call.language])
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
    text = _WORDS[word][call.language].replace("{names}", names) + f"\n\n{_HEADINGS['plan'][call.language]}\n"
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
    words, heading = _WORDS.get(step, _WORDS["skip"])[call.language], _HEADINGS["decision"][call.language]
    return Script(f"{words}\n\n{heading}\ndecision: {step}\nconfidence: {sure}\n")
