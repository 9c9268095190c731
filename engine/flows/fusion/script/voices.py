"""What the scripted model says for every role of the desk, in both languages.

A voice reads its prompt and what its tools gave, weighs it by plain rules and argues from it; it calls the tools its analyst plans. The
same inputs, node, seed and language always give the same text. At a set rate it states false values on purpose, each with its record;
with rate 0 it states nothing false. It says of itself that it is a script.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial

from engine.agents.quoting import fitting_quote
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.flows.fusion.presets.spec import EquityAnalyst
from engine.flows.fusion.script.clauses import ACCOUNT, PRICES, REPORTED
from engine.flows.fusion.script.prompt import Read, read_prompt
from engine.flows.fusion.script.speech import EquitySpeech
from engine.flows.fusion.stages import ANALYSTS
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Script, ToolCall, Voice
from engine.prompts.render import Text

_STANCE = {"bull_researcher": 1.0, "bear_researcher": -1.0}
_APPETITE = {"risky": 0.9, "safe": 0.2, "neutral": 0.5}
"""Risk debater -> the share of what code allows that it asks for at first."""
_QUOTING: Mapping[Role, tuple[str, ...]] = {
    "market": ("price", "trend"),
    "news": ("news",),
    "sentiment": ("crowd",),
    "fundamentals": ("reports",),
    "macro": ("economy",),
    "policy": ("policy",),
    "sector": ("sector",),
    "technical": ("price", "trend", "pattern"),
    "international": ("abroad",),
}
"""Analyst -> what a statement of evidence must be about that it quotes; the first of all others is quoted by `_OTHERS`."""
_OTHERS = ("news", "macro")
_LOOK: Text = {"en": "(script) I look up {tool}.", "zh": "（脚本）查询 {tool}。"}
_HEADLINES = re.compile(r"^(\d+) headlines$", re.MULTILINE)

_WORDS: Mapping[str, Text] = {
    "report": {"en": "(script) What the tools gave, read by plain rules", "zh": "（脚本）工具给出的内容，按简单规则解读"},
    "nothing": {"en": "there is no data of this kind for that day", "zh": "当日没有此类数据"},
    "no_news": {"en": "no news at all was published", "zh": "没有发布任何新闻"},
    "news": {"en": "headlines were published and were read", "zh": "已有新闻发布并已阅读"},
    "up": {"en": "taken together this speaks for the share", "zh": "综合来看对该股有利"},
    "down": {"en": "taken together this speaks against the share", "zh": "综合来看对该股不利"},
    "even": {"en": "taken together this speaks neither way", "zh": "综合来看方向不明"},
    "bull": {"en": "(script) The case for owning it rests on what was measured", "zh": "（脚本）持有的理由建立在实测数据之上"},
    "bear": {"en": "(script) The case against owning it rests on what was measured", "zh": "（脚本）不持有的理由建立在实测数据之上"},
    "answer": {"en": "what the other side says does not change these figures", "zh": "对方所言不改变这些数字"},
    "manager": {"en": "(script) Both sides were heard; the measured figures decide", "zh": "（脚本）双方均已陈述，由实测数据裁定"},
    "risky": {"en": "(script) The plan is worth most of what code allows", "zh": "（脚本）该计划值得动用程序允许的大部分额度"},
    "safe": {"en": "(script) A small part of what code allows is enough", "zh": "（脚本）程序允许额度的一小部分就够了"},
    "neutral": {"en": "(script) About half of what code allows fits the plan", "zh": "（脚本）程序允许额度的一半左右与计划相称"},
    "wants": {"en": "I ask for {n} shares", "zh": "主张委托 {n} 股"},
    "judge": {"en": "(script) The account decides how much the plan may cost", "zh": "（脚本）由账户决定该计划可以花多少"},
    "trader": {"en": "(script) The order follows the decision", "zh": "（脚本）订单依照决策"},
    "strategy": {"en": "(script) All reports were weighed against each other", "zh": "（脚本）已权衡全部报告"},
    "memory": {"en": "(script) Nothing is added to what the reports say.", "zh": "（脚本）不在报告之外添加内容。"},
}
_BLOCKS: Mapping[str, Text] = {
    "view": {"en": "[View]", "zh": "[观点]"},
    "plan": {"en": "[Investment plan]", "zh": "[投资计划]"},
    "decision": {"en": "[Final decision]", "zh": "[最终决策]"},
    "trade": {"en": "[Trade]", "zh": "[交易]"},
}


def fusion_voices(*, lies: float = 0.0, seed: int = 0) -> Mapping[Role, Voice]:
    """Return a voice for every role. lies: share (0-1) of the stated values that are false. seed: changes which values those are."""
    voices: dict[Role, Voice] = {analyst.key: partial(_analyst, analyst=analyst, lies=lies, seed=seed) for analyst in ANALYSTS}
    writers = {"research_manager": _manager, "risk_judge": _risk_judge, "trader": _trader, "memory_summarizer": _memory}
    voices |= {role: partial(write, lies=lies, seed=seed) for role, write in writers.items()}
    return voices | {
        role: partial(_debater, lies=lies, seed=seed) for role in ("bull_researcher", "bear_researcher", "risky", "safe", "neutral")
    }


def _speech(call: ModelCall, read: Read, lies: float, seed: int) -> EquitySpeech:
    spoken = call.user.count(f'<said by="{call.where},')
    return EquitySpeech(call.role, call.language, read.facts, Dice(f"{call.context}|{call.where}|{spoken}|{seed}"), lies)


def _analyst(call: ModelCall, *, analyst: EquityAnalyst, lies: float, seed: int) -> Script:
    """Ask for the first planned call, then for the others at once, then report."""
    rounds = sum(message.get("role") == "assistant" for message in call.messages)
    planned = (analyst.plan[:1], analyst.plan[1:])
    if call.tools and rounds < len(planned) and planned[rounds]:
        calls = [ToolCall(f"{call.where}-{rounds}-{n}", name, json.dumps(asked)) for n, (name, asked) in enumerate(planned[rounds])]
        tools = ", ".join(dict.fromkeys(each.name for each in calls))
        return Script(_LOOK[call.language].format(tool=tools), tool_calls=tuple(calls))
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    speech.say(_word("strategy" if analyst.advises else "report", call.language))
    of_news = _tell_news(call, speech)
    speech.facts((*PRICES, *REPORTED), 7)
    if not (speech.stated or of_news or analyst.advises or "headlines" in speech.values):
        speech.say(_word("nothing", call.language))
    if quote := fitting_quote(call.user, call.language, *_QUOTING.get(analyst.key, ()), or_first=analyst.key in _OTHERS):
        speech.say(quote)
    direction = "BULLISH" if read.lean > 0.1 else "BEARISH" if read.lean < -0.1 else "NEUTRAL"
    speech.say(_word({"BULLISH": "up", "BEARISH": "down", "NEUTRAL": "even"}[direction], call.language))
    return _closed(speech, "view", (f"direction: {direction}", f"confidence: {_confidence(read.lean)}"))


def _tell_news(call: ModelCall, speech: EquitySpeech) -> bool:
    """Say whether there was news; False where nobody looked."""
    answers = _answers(call)
    if _HEADLINES.search(answers):
        speech.say(_word("news", call.language))
    elif "no news is known" in answers or "0 headlines" in answers:
        speech.say(_word("no_news", call.language))
    else:
        return False
    return True


def _answers(call: ModelCall) -> str:
    return "\n".join(str(message.get("content") or "") for message in call.messages if message.get("role") == "tool")


def _debater(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    spoken = call.user.count(f'<said by="{call.where},')
    if call.role in _STANCE:
        speech.say(_word("bull" if _STANCE[call.role] > 0 else "bear", call.language))
        keys: Sequence[str] = (*PRICES[:7], *REPORTED) if _STANCE[call.role] > 0 else (*REPORTED, *PRICES)
    else:
        speech.say(_word(call.role, call.language))
        if shares := _wanted(call.role, spoken, read):
            speech.say(_word("wants", call.language).format(n=shares))
        keys = ACCOUNT
    turned = [*keys[spoken * 3 :], *keys[: spoken * 3]]
    speech.facts(turned, 4)
    if spoken or "<said by=" in call.user.rpartition("===")[2]:
        speech.say(_word("answer", call.language))
    return speech.finish()


def _wanted(role: Role, spoken: int, read: Read) -> int:
    """Return how many shares a risk debater asks for: whole lots within what code allows, or within what may be sold; 0 with nothing to
    order. spoken: turns it has had; with each one it comes halfway to the middle."""
    action = read.plan[0] if read.plan is not None else "HOLD"
    close, largest = float(read.facts.get("close", 0) or 0), float(read.facts.get("largest_allowed_order", 0) or 0)
    whole = {"BUY": largest / close if close > 0 else 0.0, "SELL": read.sellable}.get(action, 0.0)
    share = 0.5 + (_APPETITE[role] - 0.5) / 2**spoken
    return int(share * whole // read.lot) * read.lot


def _manager(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    speech.say(_word("manager", call.language))
    speech.facts(("close", "rsi_14", "pe_ratio", "revenue_growth_pct", "ema_200"), 4)
    action = "BUY" if read.lean > 0.12 else "SELL" if read.lean < -0.2 else "HOLD"
    return _closed(speech, "plan", (f"action: {action}", f"confidence: {_confidence(read.lean)}"))


def _risk_judge(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    speech.say(_word("judge", call.language))
    speech.facts(("largest_allowed_order", "account_cash", "close"), 3)
    action, confidence = read.plan or ("HOLD", 50.0)
    close, largest = float(read.facts.get("close", 0) or 0), float(read.facts.get("largest_allowed_order", 0) or 0)
    bought = int(0.6 * largest / close // read.lot) * read.lot if close > 0 else 0
    shares = bought if action == "BUY" else int(read.sellable) if action == "SELL" else 0
    if shares <= 0:
        return _closed(speech, "decision", _trade("HOLD", "0", "MARKET", "NONE", "NONE", confidence))
    levels = (f"{close * 0.96:.2f}", f"{close * 1.08:.2f}") if action == "BUY" else ("NONE", "NONE")
    return _closed(speech, "decision", _trade(action, str(shares), f"{close:.2f}", *levels, confidence))


def _trader(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    speech.say(_word("trader", call.language))
    speech.facts(("largest_allowed_order", "close"), 2)
    action, quantity, limit, stop, target, confidence = read.decided or ("HOLD", "0", "MARKET", "NONE", "NONE", "50")
    return _closed(speech, "trade", _trade(action, quantity, limit, stop, target, float(confidence)))


def _memory(call: ModelCall, *, lies: float, seed: int) -> Script:
    return Script(_word("memory", call.language))


def _trade(action: str, quantity: str, limit: str, stop: str, target: str, confidence: float) -> tuple[str, ...]:
    prices = (f"limit_price: {limit}", f"stop_price: {stop}", f"target_price: {target}")
    return (f"action: {action}", f"quantity: {quantity}", *prices, f"confidence: {confidence:g}")


def _closed(speech: EquitySpeech, block: str, lines: Sequence[str]) -> Script:
    speech.line("")
    for line in (_BLOCKS[block][speech.language], *lines):
        speech.line(line)
    return speech.finish()


def _confidence(lean: float) -> int:
    return round(min(85.0, 52.0 + 45.0 * abs(lean)))


def _word(name: str, language: Language) -> str:
    return _WORDS[name][language]
