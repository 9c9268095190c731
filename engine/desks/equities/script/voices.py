"""What the scripted model says for every role of the desk, in both languages.

A voice reads its prompt and what its tools gave, weighs it by plain rules and argues from it; it calls the tools its analyst plans. What
it states was read there, that something is missing included. The same inputs, node, seed and language always give the same text. At a set
rate it states false values on purpose, each with its record; at the same rate the risk judge asks for more than the account allows. With
rate 0 it does neither.
"""

import json
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from engine.agents.script.quoting import fitting_quote
from engine.agents.script.speech import Speech
from engine.agents.script.words import Words
from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.script.prompt import Read, read_prompt
from engine.desks.equities.sheet import TABLE
from engine.desks.equities.stages import ANALYSTS
from engine.domain.roles import Role
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Script, ToolCall, Voice
from engine.prompts.paragraphs import LOOKED_UP

WORDS: Final[Mapping[Language, Words]] = {language: Words(read_texts(Path(__file__).parent, language, "words")) for language in LANGUAGES}
PRICES: Final = ("close", "rsi_14", "ema_50", "macd", "atr_14", "support", "resistance", "ema_200", "volume_ratio_20", "previous_close")
REPORTED: Final = (
    "pe_ratio", "revenue_growth_pct", "net_margin_pct", "return_on_equity_pct", "gross_margin_pct", "eps", "ps_ratio", "pb_ratio",
    "operating_margin_pct", "current_ratio", "fcf_yield_pct", "earnings_growth_pct",
)  # fmt: skip
ACCOUNT: Final = ("account_cash", "account_total_value", "largest_allowed_order", "max_drawdown_pct", "close")
_DEBATERS: Final[Mapping[Role, tuple[str, ...]]] = {
    "bull_researcher": (*PRICES[:7], *REPORTED),
    "bear_researcher": (*REPORTED, *PRICES),
    **dict.fromkeys(("risky", "safe", "neutral"), ACCOUNT),
}
"""Debater -> what it names, in the order of its interest."""
_APPETITE = {"risky": 0.9, "safe": 0.2, "neutral": 0.5}
"""Risk debater -> the share of what code allows that it asks for at first."""
_RULED, _TOO_MUCH = 0.6, 1.5
"""Of what the account allows: what the risk judge asks for, and what it asks for where it goes too far."""
_SWAY = 6
"""How many percent of confidence a repetition is off at most."""
_NO_ORDER = ("HOLD", "0", "MARKET", "NONE", "NONE")
_LEANS = {1: "up", 0: "even", -1: "down"}
_VIEWS = {"up": "BULLISH", "even": "NEUTRAL", "down": "BEARISH"}
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


def equities_voices(*, lies: float = 0.0, seed: int = 0) -> Mapping[Role, Voice]:
    """Return a voice for every role. lies: share (0-1) of the stated values that are false. seed: changes which values those are."""
    writers = {"research_manager": _manager, "risk_judge": _risk_judge, "trader": _trader, "memory_summarizer": _memory}
    writers |= dict.fromkeys(_DEBATERS, _debater)
    voices: dict[Role, Voice] = {role: partial(write, lies=lies, seed=seed) for role, write in writers.items()}
    return voices | {analyst.key: partial(_analyst, analyst=analyst, lies=lies, seed=seed) for analyst in ANALYSTS}


def _speech(call: ModelCall, read: Read, lies: float, seed: int) -> Speech:
    dice = Dice(f"{call.context}|{call.where}|{_spoken(call)}|{seed}{f'|again {call.again}' if call.again else ''}")
    return Speech(call.role, WORDS[call.language], read.facts, TABLE, dice, dice, lies, call.again)


def _spoken(call: ModelCall) -> int:
    """Return how often a debater has spoken."""
    return call.user.count(f'<said by="{call.where},')


def _analyst(call: ModelCall, *, analyst: EquityAnalyst, lies: float, seed: int) -> Script:
    """Ask for the first planned call, then for the others at once, then report."""
    read = read_prompt(call)
    speech, topic = _speech(call, read, lies, seed), WORDS[call.language].text(f"topic.{call.role}")
    rounds = sum(message.get("role") == "assistant" for message in call.messages)
    planned = (analyst.plan[:1], analyst.plan[1:])
    if call.may_call and LOOKED_UP[call.language] not in call.user and rounds < len(planned) and planned[rounds]:
        calls = [ToolCall(f"{call.where}-{rounds}-{n}", name, json.dumps(asked)) for n, (name, asked) in enumerate(planned[rounds])]
        speech.say("report.look_on" if rounds else "report.look", topic=topic, tool=", ".join(dict.fromkeys(each.name for each in calls)))
        return Script(speech.text, tool_calls=tuple(calls))
    found = read.looked.anything or read.looked.no_headline
    speech.say("report.open_reports" if analyst.advises else "report.open" if found else "report.nothing", topic=topic)
    for name, values in _answers(read, speech.words, {"en": ", ", "zh": "、"}[call.language]):
        speech.say(f"report.{name}", topic=topic, **values)
    speech.facts((*PRICES, *REPORTED), 7)
    if quote := fitting_quote(call.user, call.language, *_QUOTING.get(analyst.key, ()), or_first=analyst.key in _OTHERS):
        speech.add(quote + speech.words.text("stop"))
    lean = "up" if read.lean > 0.1 else "down" if read.lean < -0.1 else "even"
    speech.say(f"report.{lean}", topic=topic)
    speech.close("block.view", direction=_VIEWS[lean], confidence=_confidence(read.lean))
    return speech.finish()


def _answers(read: Read, words: Words, mark: str) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Yield what there is to say of the tools' answers beside measured values, and what is missing: (key of its words, their values)."""
    looked = read.looked
    if read.missing:
        yield "absent", {"names": mark.join(read.missing)}
    if looked.titles is not None:
        yield "titles", {"balance": words.text(f"balance.{_LEANS[looked.titles]}")}
    if looked.headlines is not None:
        yield "news", {"balance": words.text(f"balance.{_LEANS[looked.headlines]}")}
    if looked.titles is None and looked.headlines is None and looked.no_headline:
        yield "no_news", {}
    if looked.macro:
        moves = (words.text(f"move.{_LEANS[move]}").format(name=words.text(f"name.{key}", key)) for key, move in looked.macro.items())
        yield "macro", {"moves": mark.join(moves)}
    if len(looked.sectors) > 1:
        best, worst = (words.text(f"name.{name}", name) for name in (looked.sectors[0], looked.sectors[-1]))
        yield "sectors", {"best": best, "worst": worst}
    if looked.breadth is not None:
        yield "breadth", {"rising": words.text(f"rising.{_LEANS[looked.breadth]}")}


def _debater(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech, spoken = _speech(call, read, lies, seed), _spoken(call)
    shares = _wanted(call.role, spoken, read)
    if call.role in _APPETITE and not shares:
        speech.say(f"no_order.{call.role}", plan=_planned(read)[0])
    elif not spoken:
        speech.say(f"opening.{call.role}")
    if any(f'<said by="{other},' in call.user for other in _DEBATERS) and (shares or call.role not in _APPETITE):
        speech.say(f"answer.{call.role}")
    if shares:
        counted = speech.words.text("shares.one" if shares == 1 else "shares.many").format(n=shares)
        speech.say(f"wanted.{call.role}", n=counted)
    known = speech.sayable(_DEBATERS[call.role])
    start = spoken * 3 % max(len(known), 1)
    speech.facts([*known[start:], *known[:start]], 4)
    return speech.finish()


def _planned(read: Read) -> tuple[str, float]:
    return read.plan or ("HOLD", 50.0)


def _wanted(role: Role, spoken: int, read: Read) -> int:
    """Return how many shares a risk debater asks for: whole lots within what code allows, or within what may be sold; 0 with nothing to
    order. spoken: turns it has had; with each one it comes halfway to the middle."""
    close, action = read.number("close"), _planned(read)[0]
    whole = {"BUY": read.number("largest_allowed_order") / close if close > 0 else 0.0, "SELL": read.sellable}.get(action, 0.0)
    share = 0.5 + (_APPETITE.get(role, 0.0) - 0.5) / 2**spoken
    return int(share * whole // read.lot) * read.lot if role in _APPETITE else 0


def _manager(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    speech.say("opening.research_manager")
    speech.facts(("close", "rsi_14", "pe_ratio", "revenue_growth_pct", "ema_200"), 4)
    speech.close("block.plan", action=_ruled(read), confidence=_confidence(read.lean))
    return speech.finish()


def _ruled(read: Read) -> str:
    return "BUY" if read.lean > 0.12 else "SELL" if read.lean < -0.2 else "HOLD"


def _risk_judge(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    (action, confidence), close = _planned(read), read.number("close")
    share = _TOO_MUCH if speech.lie_dice.roll("order") < lies else _RULED + 0.1 * speech.sway("share")
    confidence = max(0.0, min(100.0, confidence + _SWAY * speech.sway("confidence")))
    shares = _shares(action, share, read)
    speech.say("opening.risk_judge" if shares > 0 else "no_order.risk_judge", plan=action)
    speech.facts(("largest_allowed_order", "account_cash", "close"), 3)
    stop, target = 0.96 + 0.005 * speech.sway("stop"), 1.08 + 0.01 * speech.sway("target")
    return _ordered(speech, "block.decision", _order(action, shares, close, stop, target), confidence)


def _shares(action: str, share: float, read: Read) -> int:
    """Return how many shares an action orders. share: of what the account allows to be bought."""
    close = read.number("close")
    bought = int(share * read.number("largest_allowed_order") / close // read.lot) * read.lot if close > 0 else 0
    return {"BUY": bought, "SELL": int(read.sellable)}.get(action, 0)


def _order(action: str, shares: int, close: float, stop: float, target: float) -> tuple[str, ...]:
    """Return the fields of an order. stop, target: of a buy, as shares of the price."""
    levels = (f"{close * stop:.2f}", f"{close * target:.2f}") if action == "BUY" else ("NONE", "NONE")
    return (action, str(shares), f"{close:.2f}", *levels) if shares > 0 else _NO_ORDER


def _trader(call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    speech = _speech(call, read, lies, seed)
    if read.decided is None:
        return _lone_trader(speech, read)
    *order, confidence = read.decided
    speech.say("no_order.trader" if order[0] == "HOLD" else "opening.trader", plan=order[0])
    speech.facts(("largest_allowed_order", "close"), 2)
    return _ordered(speech, "block.trade", order, max(0.0, min(100.0, float(confidence) + _SWAY * speech.sway("confidence"))))


def _lone_trader(speech: Speech, read: Read) -> Script:
    """Rule and order at once, as manager and risk judge would."""
    action, close = _ruled(read), read.number("close")
    shares = _shares(action, _RULED, read)
    speech.say("alone.trader" if shares > 0 else "no_order.trader", plan=action)
    speech.facts(("close", "rsi_14", "pe_ratio", "largest_allowed_order"), 4)
    return _ordered(speech, "block.trade", _order(action, shares, close, 0.96, 1.08), _confidence(read.lean))


def _memory(call: ModelCall, *, lies: float, seed: int) -> Script:
    topic = WORDS[call.language].text(f"topic.{call.where.removesuffix('_memory')}")
    return Script(WORDS[call.language].text("memory").format(topic=topic))


def _ordered(speech: Speech, block: str, order: Iterable[str], confidence: float) -> Script:
    keys = ("action", "quantity", "limit_price", "stop_price", "target_price")
    speech.close(block, **dict(zip(keys, order, strict=True)), confidence=f"{confidence:g}")
    return speech.finish()


def _confidence(lean: float) -> int:
    """Return the confidence of a lean; 50, no view, for none."""
    return round(min(85.0, 50.0 + 45.0 * abs(lean)))
