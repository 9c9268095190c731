"""What the scripted model says for every role of the desk, in both languages.

A voice reads its prompt and what its tools gave, weighs it by plain rules and argues from it; it calls the tools its analyst plans. What
it states was read there, that something is missing included. The same inputs, node, seed and language always give the same text. At a set
rate it states false values on purpose, each with its record; at the same rate the risk judge asks for more than the account allows. With
rate 0 it does neither.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from engine.desks.equities.presets import EquityAnalyst
from engine.desks.equities.sheet import TABLE
from engine.desks.equities.stages import ANALYSTS
from engine.desks.equities.tools.news import tone_of_words
from engine.domain.roles import Role
from engine.llm.protocol import ModelCall, Script, ToolCall, Voice
from engine.prompts.paragraphs import LOOKED_UP
from engine.script.dice import Dice
from engine.script.quoting import fitting_quote
from engine.script.signals import facts_in, number_of, sign_of, without_speech
from engine.script.speech import LEANS, Speech, Words, read_words

WORDS: Final = read_words(Path(__file__).parent, "script")
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
_VIEWS = {"up": "BULLISH", "even": "NEUTRAL", "down": "BEARISH"}

_PLAN = re.compile(r"(?:The plan of research: |研究计划：)(BUY|SELL|HOLD)(?:, confidence |，置信度 )([\d.]+)")
_DECIDED = re.compile(
    r"(?:Decided: |决策：)(BUY|SELL|HOLD) ([\d.e+]+) (?:shares, limit |股，限价 )(\S+?)(?:, stop |，止损 )(\S+?)(?:, target |，目标 )(\S+?)"
    r"(?:, confidence |，置信度 )([\d.]+)"
)
_LOT = re.compile(r"(?:Lot: |每手 )(\d+)")
_SELLABLE = re.compile(r"(?:may be sold: |可卖 )([\d.]+)")
_VIEW = re.compile(r"^[a-z_]+: (BULLISH|BEARISH|NEUTRAL) \d", re.MULTILINE)
_MISSING = re.compile(r"^(?:The report of (\w+) is missing\.|缺少 (\w+) 的报告。)$", re.MULTILINE)
_HEADLINE = re.compile(r"^#\d+ [\d: -]+ UTC · [^·\n]* · (.+)$", re.MULTILINE)
_NO_HEADLINE = re.compile(r"^(?:no news is known|0 headlines|no headline in the last)\b", re.MULTILINE)
_MACRO = re.compile(r"^([a-z][a-z0-9_]*) \([A-Z]+\): (?:.*, )?\S+ (\S+), \S+ (\S+)$", re.MULTILINE)
_SECTOR = re.compile(r"^(.+): (-?[\d.]+) \(\d+ companies\)$", re.MULTILINE)
_OTHER_DATA = re.compile(r"^(?:date open high low close volume$|split on |dividend, ex-date )", re.MULTILINE)
_GOOD_WHEN_UP = {"pmi": 1, "gdp": 1, "m2": 1, "unemployment": -1, "cpi": -1, "policy": -1, "lpr": -1}
"""First word of a macro figure -> whether its rise is good for shares (1) or bad (-1), by the scripted model's plain rule."""


@dataclass(frozen=True)
class Read:
    """What a prompt and the tools said.

    text: all of it, without what roles said. facts: key -> the value as written. titles: the tone of each headline, by its words. macro:
    figure -> -1, 0, 1 as its newest point compares to the one before.
    """

    text: str
    facts: Mapping[str, str]
    titles: Sequence[float]
    macro: Mapping[str, int]

    def number(self, key: str) -> float:
        """Return the value under a key, 0 where it is not known."""
        return number_of(self.facts.get(key)) or 0.0

    def found(self, pattern: re.Pattern[str], default: float) -> float:
        """Return the number that a pattern finds."""
        found = pattern.search(self.text)
        return float(found[1]) if found else default

    @property
    def headlines(self) -> int | None:
        """1 with more good headlines than bad ones as a tool counted them, -1 with more bad ones, 0 with as many, None without any."""
        return sign_of(self.number("positive") - self.number("negative")) if {"positive", "negative"} <= self.facts.keys() else None

    @property
    def breadth(self) -> int | None:
        """1 when more than half of the companies rose, 0 at half, -1 below, None if not counted."""
        counted = self.number("constituents")
        return sign_of(2 * self.number("advancing") - counted) if counted and "advancing" in self.facts else None

    @property
    def sectors(self) -> Sequence[str]:
        """Sectors, the best first."""
        return [name for name, _ in sorted(_SECTOR.findall(self.text), key=lambda pair: -float(pair[1]))]

    @property
    def plan(self) -> tuple[str, float]:
        """The manager's action and confidence."""
        found = _PLAN.search(self.text)
        return (found[1], float(found[2])) if found else ("HOLD", 50.0)

    @property
    def lean(self) -> float:
        """What all of it says, -1 (against the share) to 1, by plain rules."""
        points = list(_points(self))
        return sum(points) / len(points) if points else 0.0

    @property
    def ruled(self) -> str:
        """The action that follows from the lean."""
        return "BUY" if self.lean > 0.12 else "SELL" if self.lean < -0.2 else "HOLD"

    @property
    def confidence(self) -> int:
        """The confidence of the lean; 50, no view, for none."""
        return round(min(85.0, 50.0 + 45.0 * abs(self.lean)))


def read_prompt(call: ModelCall) -> Read:
    """Return what a call says: its question, and what its tools answered."""
    whole = "\n".join([call.user, *(str(message.get("content") or "") for message in call.messages if message.get("role") == "tool")])
    text = without_speech(whole)
    points = [(key, number_of(before), number_of(last)) for key, before, last in _MACRO.findall(text)]
    macro = {key: sign_of(last - before) for key, before, last in points if before is not None and last is not None}
    return Read(text, facts_in(text), [tone_of_words(title) for title in _HEADLINE.findall(whole)], macro)


def _points(read: Read) -> Iterable[float]:
    """Yield what each thing that was read says, -1 to 1."""
    yield from ({"BULLISH": 0.6, "BEARISH": -0.6}.get(view, 0.0) for view in _VIEW.findall(read.text))
    if "average_tone" in read.facts:
        yield read.number("average_tone")
    elif read.titles:
        yield sum(read.titles) / len(read.titles)
    signs = [_GOOD_WHEN_UP[word] * move for key, move in read.macro.items() if (word := key.split("_")[0]) in _GOOD_WHEN_UP]
    if signs:
        yield 0.4 * sum(signs) / len(signs)
    if read.breadth is not None:
        yield 0.4 * read.breadth
    for average in ("ema_50", "ema_200"):
        if read.number("close") and read.number(average):
            yield max(-1.0, min(1.0, (read.number("close") / read.number(average) - 1.0) * 12))
    if "macd_hist" in read.facts:
        yield 0.4 * sign_of(read.number("macd_hist"))
    for key, scale in (("revenue_growth_pct", 0.05), ("net_margin_pct", 0.02), ("change_1d_pct", 0.1)):
        if key in read.facts:
            yield max(-1.0, min(1.0, read.number(key) * scale))


def equities_voices(*, lies: float = 0.0, seed: int = 0) -> Mapping[Role, Voice]:
    """Return a voice for every role. lies: share (0-1) of the stated values that are false. seed: changes which values those are."""
    writers: dict[Role, Callable[[ModelCall, Read, Speech], Script]] = {
        "research_manager": _manager,
        "risk_judge": _risk_judge,
        "trader": _trader,
        "memory_summarizer": _memory,
        **dict.fromkeys(_DEBATERS, _debater),
        **{analyst.key: partial(_analyst, analyst) for analyst in ANALYSTS},
    }
    return {role: partial(_write, write, lies=lies, seed=seed) for role, write in writers.items()}


def _write(write: Callable[[ModelCall, Read, Speech], Script], call: ModelCall, *, lies: float, seed: int) -> Script:
    read = read_prompt(call)
    dice = Dice(f"{call.context}|{call.where}|{_spoken(call)}|{seed}{f'|again {call.again}' if call.again else ''}")
    favour = {"bull_researcher": 1, "bear_researcher": -1}.get(call.role, 0)
    return write(call, read, Speech(call.role, WORDS[call.language], read.facts, TABLE, dice, dice, lies, call.again, favour))


def _spoken(call: ModelCall) -> int:
    """Return how often a debater has spoken."""
    return call.user.count(f'<said by="{call.where},')


def _analyst(analyst: EquityAnalyst, call: ModelCall, read: Read, speech: Speech) -> Script:
    """Ask for the first planned call, then for the others at once, then report."""
    topic = speech.words.text(f"topic.{call.role}")
    rounds = sum(message.get("role") == "assistant" for message in call.messages)
    planned = (analyst.plan[:1], analyst.plan[1:])
    if call.may_call and LOOKED_UP[call.language] not in call.user and rounds < len(planned) and planned[rounds]:
        calls = [ToolCall(f"{call.where}-{rounds}-{n}", name, json.dumps(asked)) for n, (name, asked) in enumerate(planned[rounds])]
        speech.say("report.look_on" if rounds else "report.look", topic=topic, tool=", ".join(dict.fromkeys(each.name for each in calls)))
        return Script(speech.text, tool_calls=tuple(calls))
    found = read.facts or read.titles or read.macro or _SECTOR.search(read.text) or _OTHER_DATA.search(read.text)
    known = found or _NO_HEADLINE.search(read.text)
    speech.say("report.open_reports" if analyst.advises else "report.open" if known else "report.nothing", topic=topic)
    for name, values in _answers(read, speech.words):
        speech.say(f"report.{name}", **values)
    speech.facts((*PRICES, *REPORTED), 7)
    if quote := fitting_quote(call.user, call.language, analyst.quotes):
        speech.add(quote + speech.words.text("stop"))
    lean = "up" if read.lean > 0.1 else "down" if read.lean < -0.1 else "even"
    speech.say(f"report.{lean}", topic=topic)
    speech.close("block.view", direction=_VIEWS[lean], confidence=read.confidence)
    return speech.finish()


def _answers(read: Read, words: Words) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Yield what there is to say of the tools' answers beside measured values, and what is missing: (key of its words, their values)."""
    mark = words.text("mark")
    if missing := [english or chinese for english, chinese in _MISSING.findall(read.text)]:
        yield "absent", {"names": mark.join(missing)}
    if read.titles:
        yield "titles", {"balance": words.text(f"balance.{LEANS[sign_of(sum(map(sign_of, read.titles)))]}")}
    if read.headlines is not None:
        yield "news", {"balance": words.text(f"balance.{LEANS[read.headlines]}")}
    if not read.titles and read.headlines is None and _NO_HEADLINE.search(read.text):
        yield "no_news", {}
    if read.macro:
        moves = (words.text(f"move.{LEANS[move]}").format(name=words.text(f"name.{key}", key)) for key, move in read.macro.items())
        yield "macro", {"moves": mark.join(moves)}
    if len(read.sectors) > 1:
        best, worst = (words.text(f"name.{name}", name) for name in (read.sectors[0], read.sectors[-1]))
        yield "sectors", {"best": best, "worst": worst}
    if read.breadth is not None:
        yield "breadth", {"rising": words.text(f"rising.{LEANS[read.breadth]}")}


def _debater(call: ModelCall, read: Read, speech: Speech) -> Script:
    spoken, shares = _spoken(call), _wanted(call.role, _spoken(call), read)
    if call.role in _APPETITE and not shares:
        speech.say(f"no_order.{call.role}", plan=read.plan[0])
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


def _wanted(role: Role, spoken: int, read: Read) -> int:
    """Return how many shares a risk debater asks for: whole lots within what code allows, or within what may be sold; 0 with nothing to
    order. spoken: turns it has had; with each one it comes halfway to the middle."""
    lot = int(read.found(_LOT, 1))
    whole = {"BUY": _affordable(read), "SELL": read.found(_SELLABLE, 0)}.get(read.plan[0], 0.0)
    share = 0.5 + (_APPETITE.get(role, 0.0) - 0.5) / 2**spoken
    return int(share * whole // lot) * lot if role in _APPETITE else 0


def _affordable(read: Read) -> float:
    """Return how many shares the account allows to be bought."""
    return read.number("largest_allowed_order") / read.number("close") if read.number("close") > 0 else 0.0


def _manager(call: ModelCall, read: Read, speech: Speech) -> Script:
    speech.say("opening.research_manager")
    speech.facts(("close", "rsi_14", "pe_ratio", "revenue_growth_pct", "ema_200"), 4)
    speech.close("block.plan", action=read.ruled, confidence=read.confidence)
    return speech.finish()


def _risk_judge(call: ModelCall, read: Read, speech: Speech) -> Script:
    action, confidence = read.plan
    share = _TOO_MUCH if speech.lie_dice.roll("order") < speech.lies else _RULED + 0.1 * speech.sway("share")
    order = _order(action, share, read, 0.96 + 0.005 * speech.sway("stop"), 1.08 + 0.01 * speech.sway("target"))
    speech.say("no_order.risk_judge" if order == _NO_ORDER else "opening.risk_judge", plan=action)
    speech.facts(("largest_allowed_order", "account_cash", "close"), 3)
    return _ordered(speech, "block.decision", order, confidence + _SWAY * speech.sway("confidence"))


def _order(action: str, share: float, read: Read, stop: float = 0.96, target: float = 1.08) -> tuple[str, ...]:
    """Return the fields of an order. share: of what the account allows to be bought; stop, target: of a buy, as shares of the price."""
    lot, close = int(read.found(_LOT, 1)), read.number("close")
    shares = {"BUY": int(share * _affordable(read) // lot) * lot, "SELL": int(read.found(_SELLABLE, 0))}.get(action, 0)
    levels = (f"{close * stop:.2f}", f"{close * target:.2f}") if action == "BUY" else ("NONE", "NONE")
    return (action, str(shares), f"{close:.2f}", *levels) if shares > 0 else _NO_ORDER


def _trader(call: ModelCall, read: Read, speech: Speech) -> Script:
    decided = _DECIDED.search(read.text)
    if decided is None:  # alone, it rules and orders at once, as manager and risk judge would
        order = _order(read.ruled, _RULED, read)
        speech.say("no_order.trader" if order == _NO_ORDER else "alone.trader", plan=read.ruled)
        speech.facts(("close", "rsi_14", "pe_ratio", "largest_allowed_order"), 4)
        return _ordered(speech, "block.trade", order, read.confidence)
    *written, confidence = decided.groups()
    speech.say("no_order.trader" if written[0] == "HOLD" else "opening.trader", plan=written[0])
    speech.facts(("largest_allowed_order", "close"), 2)
    return _ordered(speech, "block.trade", written, float(confidence) + _SWAY * speech.sway("confidence"))


def _memory(call: ModelCall, read: Read, speech: Speech) -> Script:
    speech.say("memory", topic=speech.words.text(f"topic.{call.where.removesuffix('_memory')}"))
    return Script(speech.text)


def _ordered(speech: Speech, block: str, order: Iterable[str], confidence: float) -> Script:
    keys = ("action", "quantity", "limit_price", "stop_price", "target_price")
    speech.close(block, **dict(zip(keys, order, strict=True)), confidence=f"{max(0.0, min(100.0, confidence)):g}")
    return speech.finish()
