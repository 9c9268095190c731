"""What the scripted roles find in a prompt and in what tools answered: facts, headlines, figures, the plan. They know nothing else."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.agents.script.reading import facts_in, number_of, without_speech
from engine.desks.equities.tools.news import tone_of_words
from engine.llm.protocol import ModelCall

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
class Looked:
    """What tools answered. titles, headlines: 1 with more good than bad ones, by the words of titles or as a tool counted them, -1 with
    more bad ones, 0 with as many, None without any; tone: their average, -1 to 1. no_headline: whether a search found none. macro: figure
    -> -1, 0, 1 as its newest point stands to the one before. sectors: best first. breadth: 1 when more than half of the companies rose, 0
    at half, -1 below, None if not counted. anything: whether there was data."""

    titles: int | None
    headlines: int | None
    tone: float | None
    no_headline: bool
    macro: Mapping[str, int]
    sectors: Sequence[str]
    breadth: int | None
    anything: bool


@dataclass(frozen=True)
class Read:
    """facts: key -> the value as written. looked: what tools answered. missing: reports that are not there. lean: -1 (against the share) to
    1, by plain rules. plan: the manager's action and confidence. decided: the judge's block as written."""

    facts: Mapping[str, str]
    looked: Looked
    missing: Sequence[str]
    lean: float
    plan: tuple[str, float] | None
    decided: tuple[str, ...] | None
    lot: int
    sellable: float

    def number(self, key: str) -> float:
        """Return the value under a key, 0 where it is not known."""
        return number_of(self.facts.get(key)) or 0.0


def read_prompt(call: ModelCall) -> Read:
    """Return what a call says: its question, and what its tools answered."""
    whole = "\n".join([call.user, *(str(message.get("content") or "") for message in call.messages if message.get("role") == "tool")])
    text = without_speech(whole)
    facts = facts_in(text)
    plan, decided, lot, sellable = _PLAN.search(text), _DECIDED.search(text), _LOT.search(text), _SELLABLE.search(text)
    looked = _looked(text, [tone_of_words(title) for title in _HEADLINE.findall(whole)], facts)
    points = [*_of_views(_VIEW.findall(text)), *_of_looked(looked), *_of_facts(facts)]
    return Read(
        facts=facts,
        looked=looked,
        missing=[english or chinese for english, chinese in _MISSING.findall(text)],
        lean=sum(points) / len(points) if points else 0.0,
        plan=(plan[1], float(plan[2])) if plan else None,
        decided=decided.groups() if decided else None,
        lot=int(lot[1]) if lot else 1,
        sellable=float(sellable[1]) if sellable else 0.0,
    )


def _looked(text: str, titles: Sequence[float], facts: Mapping[str, str]) -> Looked:
    """Return what tools answered. text: without what roles said. titles: the tone of each that a search gave, by its words."""
    good, bad, average, counted, rose = (
        number_of(facts.get(key)) for key in ("positive", "negative", "average_tone", "constituents", "advancing")
    )
    points = [(key, number_of(before), number_of(last)) for key, before, last in _MACRO.findall(text)]
    macro = {key: _sign(last - before) for key, before, last in points if before is not None and last is not None}
    sectors = [name for name, _ in sorted(_SECTOR.findall(text), key=lambda pair: -float(pair[1]))]
    return Looked(
        titles=_sign(sum(map(_sign, titles))) if titles else None,
        headlines=_sign(good - bad) if good is not None and bad is not None else None,
        tone=average if average is not None else sum(titles) / len(titles) if titles else None,
        no_headline=_NO_HEADLINE.search(text) is not None,
        macro=macro,
        sectors=sectors,
        breadth=_sign(2 * rose - counted) if counted and rose is not None else None,
        anything=bool(facts or titles or macro or sectors or _OTHER_DATA.search(text)),
    )


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _of_views(views: Iterable[str]) -> Iterable[float]:
    return ({"BULLISH": 0.6, "BEARISH": -0.6}.get(view, 0.0) for view in views)


def _of_looked(looked: Looked) -> Iterable[float]:
    """Yield what headlines, figures and breadth say, -1 to 1 each."""
    if looked.tone is not None:
        yield looked.tone
    signs = [_GOOD_WHEN_UP[word] * move for key, move in looked.macro.items() if (word := key.split("_")[0]) in _GOOD_WHEN_UP]
    if signs:
        yield 0.4 * sum(signs) / len(signs)
    if looked.breadth is not None:
        yield 0.4 * looked.breadth


def _of_facts(facts: Mapping[str, str]) -> Iterable[float]:
    """Yield what price, momentum and the newest report say, -1 to 1 each."""
    close, hist = number_of(facts.get("close")), number_of(facts.get("macd_hist"))
    for average in ("ema_50", "ema_200"):
        if close is not None and (value := number_of(facts.get(average))):
            yield max(-1.0, min(1.0, (close / value - 1.0) * 12))
    if hist is not None:
        yield 0.4 * _sign(hist)
    for key, scale in (("revenue_growth_pct", 0.05), ("net_margin_pct", 0.02), ("change_1d_pct", 0.1)):
        if (value := number_of(facts.get(key))) is not None:
            yield max(-1.0, min(1.0, value * scale))
