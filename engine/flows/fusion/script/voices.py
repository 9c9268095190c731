"""What the scripted model says for every role of the desk, in both languages.

A voice reads its prompt and what its tools gave, weighs it by plain rules and argues from it; it calls the tools its analyst plans. The
same inputs, node, seed and language always give the same text. At a set rate it states false values on purpose, each with its record;
with rate 0 it states nothing false. No sentence is said twice in a run.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from engine.agents.quoting import fitting_quote
from engine.domain.roles import Role
from engine.flows.fusion.presets import PRESETS, preset_of
from engine.flows.fusion.presets.spec import EquityAnalyst
from engine.flows.fusion.script.clauses import ACCOUNT, PRICES, REPORTED
from engine.flows.fusion.script.phrases import MEMORIES, REPORTS, TOPICS, Wordings
from engine.flows.fusion.script.prompt import Read, read_prompt
from engine.flows.fusion.script.speech import EquitySpeech
from engine.flows.fusion.script.turns import ANSWERS, OPENINGS, WANTS
from engine.flows.fusion.stages import ANALYSTS
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Script, ToolCall, Voice
from engine.prompts.paragraphs import LOOKED_UP
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
_HEADLINES = re.compile(r"^(\d+) headlines$", re.MULTILINE)

_TURNS = 5  # of a debater, at most
_ONCE = ("research_manager", "risk_judge", "trader")
_MOST_ANALYSTS = max(len(preset_of(name).everybody) for name in PRESETS)
_PLACES: Mapping[Role, int] = {
    **{analyst.key: n for name in PRESETS for n, analyst in enumerate(preset_of(name).everybody)},
    **{role: _MOST_ANALYSTS + _TURNS * n for n, role in enumerate(ANSWERS)},
    **{role: _MOST_ANALYSTS + _TURNS * len(ANSWERS) + n for n, role in enumerate(_ONCE)},
}
"""Role -> the place of its first turn among all turns of a run."""
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
    spoken = _spoken(call)
    place, dice = _PLACES[call.role] + spoken % _TURNS, Dice(f"{call.context}|{call.where}|{spoken}|{seed}")
    return EquitySpeech(call.role, call.language, read.facts, dice, lies, Dice(f"{call.context}|{seed}"), place)


def _spoken(call: ModelCall) -> int:
    """Return how many turns a speaker has had."""
    return call.user.count(f'<said by="{call.where},')


def _analyst(call: ModelCall, *, analyst: EquityAnalyst, lies: float, seed: int) -> Script:
    """Ask for the first planned call, then for the others at once, then report."""
    rounds = sum(message.get("role") == "assistant" for message in call.messages)
    planned = (analyst.plan[:1], analyst.plan[1:])
    if call.may_call and LOOKED_UP[call.language] not in call.user and rounds < len(planned) and planned[rounds]:
        calls = [ToolCall(f"{call.where}-{rounds}-{n}", name, json.dumps(asked)) for n, (name, asked) in enumerate(planned[rounds])]
        tools = ", ".join(dict.fromkeys(each.name for each in calls))
        words = _chosen(REPORTS["look_on" if rounds else "look"], call, seed)
        return Script(words.format(topic=TOPICS[call.role][call.language], tool=tools), tool_calls=tuple(calls))
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    say = partial(_say_report, call, speech, seed)
    say("open")
    of_news = _tell_news(call, say)
    speech.facts((*PRICES, *REPORTED), 7)
    if not (speech.stated or of_news or analyst.advises or "headlines" in speech.values):
        say("nothing")
    if quote := fitting_quote(call.user, call.language, *_QUOTING.get(analyst.key, ()), or_first=analyst.key in _OTHERS):
        speech.say(quote)
    direction = "BULLISH" if read.lean > 0.1 else "BEARISH" if read.lean < -0.1 else "NEUTRAL"
    say({"BULLISH": "up", "BEARISH": "down", "NEUTRAL": "even"}[direction])
    return _closed(speech, "view", (f"direction: {direction}", f"confidence: {_confidence(read.lean)}"))


def _say_report(call: ModelCall, speech: EquitySpeech, seed: int, name: str) -> None:
    speech.say(_chosen(REPORTS[name], call, seed).format(topic=TOPICS[call.role][call.language]))


def _chosen(wordings: Wordings, call: ModelCall, seed: int) -> str:
    """Return one of the wordings, by run and speaker."""
    options = wordings[call.language]
    return Dice(f"{call.context}|{call.where}|{seed}").pick(options, options[0])


def _in_turn(wordings: Wordings, call: ModelCall, seed: int) -> str:
    """Return the wording for this turn of a speaker: the first three in an order of the run's own, then those that follow on them."""
    options, spoken = wordings[call.language], _spoken(call)
    if spoken < len(options[:3]):
        return Dice(f"{call.context}|{call.where}|{seed}").turned(options[:3], spoken, options[0])
    return options[spoken % len(options)]


def _tell_news(call: ModelCall, say: Callable[[str], None]) -> bool:
    """Say whether there was news; False where nobody looked."""
    answers = _answers(call)
    if _HEADLINES.search(answers):
        say("news")
    elif "no news is known" in answers or "0 headlines" in answers:
        say("no_news")
    else:
        return False
    return True


def _answers(call: ModelCall) -> str:
    return "\n".join(str(message.get("content") or "") for message in call.messages if message.get("role") == "tool")


def _debater(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    spoken = _spoken(call)
    speech.say(_in_turn(OPENINGS[call.role], call, seed))
    if call.role in _STANCE:
        keys: Sequence[str] = (*PRICES[:7], *REPORTED) if _STANCE[call.role] > 0 else (*REPORTED, *PRICES)
    else:
        if shares := _wanted(call.role, spoken, read):
            speech.say(_in_turn(WANTS[call.role], call, seed).format(n=shares, shares="share" if shares == 1 else "shares"))
        keys = ACCOUNT
    known = [key for key in keys if key in read.facts]
    start = spoken * 3 % max(len(known), 1)
    speech.facts([*known[start:], *known[:start]], 4)
    if any(f'<said by="{other},' in call.user for other in ANSWERS):
        speech.say(_in_turn(ANSWERS[call.role], call, seed))
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
    speech.say(_chosen(OPENINGS[call.role], call, seed))
    speech.facts(("close", "rsi_14", "pe_ratio", "revenue_growth_pct", "ema_200"), 4)
    action = "BUY" if read.lean > 0.12 else "SELL" if read.lean < -0.2 else "HOLD"
    return _closed(speech, "plan", (f"action: {action}", f"confidence: {_confidence(read.lean)}"))


def _risk_judge(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    speech.say(_chosen(OPENINGS[call.role], call, seed))
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
    speech.say(_chosen(OPENINGS[call.role], call, seed))
    speech.facts(("largest_allowed_order", "close"), 2)
    action, quantity, limit, stop, target, confidence = read.decided or ("HOLD", "0", "MARKET", "NONE", "NONE", "50")
    return _closed(speech, "trade", _trade(action, quantity, limit, stop, target, float(confidence)))


def _memory(call: ModelCall, *, lies: float, seed: int) -> Script:
    topic = TOPICS[call.where.removesuffix("_memory")][call.language]
    return Script(_chosen(MEMORIES, call, seed).format(topic=topic))


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
