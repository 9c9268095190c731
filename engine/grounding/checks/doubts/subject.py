"""Doubts about what a number or a reading refers to, when the text names other facts, lines or levels nearby."""

from typing import Final

from engine.grounding.checks.surroundings import FEW, NEARBY, OTHERS, PROFITS, ROUNDED, VALUES, ReadClaim
from engine.grounding.grammar.marking import SKIPPED
from engine.grounding.grammar.volume import VOLUME
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern, cue_words

_SUPPOSED: Final = frozenset({"hyp", "plan", "stop", "modal", "then", "question", "quote"})
_SIGNS: Final = frozenset({"positive", "negative"})
_PREPOSITIONS: Final = frozenset({"past", "beyond", "through"})
_OF_TRADES: Final = frozenset({"hold_count", "leverage"})
_PRICE_RELATIONS: Final = frozenset({"price_above", "price_below", "price_near"})
_NAMED: Final = frozenset({c.IND, c.ASSET, c.TRADE, c.IT, c.POSITION, c.SIDE})
_NEXT: Final = 2
_VERSUS: Final = frozenset({"vs", "versus", "to", "对", "比"})
_NOT_NOW: Final = _SUPPOSED | {"hist"}
_DENIED: Final = cue_pattern("denied")
_EXTREMES: Final = cue_pattern("extremes")
_MANY: Final = cue_words("many")
_PARTLY: Final = cue_pattern("partly")
_PLACES: Final = cue_pattern("places")
_PRICE_EXTREMES: Final = cue_pattern("price_extremes")
_QUALIFIED: Final = cue_pattern("qualified")
_THAT: Final = cue_words("that")


def is_of_another_fact(reading: ReadClaim) -> str | None:
    """Doubt `Bear will point to OI, down 1.8% on the day`: it is the value of something else that the sentence names before it."""
    said, step = reading.raw.number, reading.raw.step
    if not reading.is_number or said is None or (reading.is_named and reading.name < reading.at):
        return None
    for at in range(reading.sentence[0], reading.at):
        named = reading.item(at).val
        if not isinstance(named, NamedIndicator) or named.key == reading.raw.subject.named.key:
            continue
        fact = reading.text.sheet.number(named.key)
        if (
            fact is not None
            and fact
            and named.indicator.unit == reading.indicator.unit
            and abs(abs(fact) - abs(said)) <= step / 2 * ROUNDED
        ):
            return reading.word(at)
    return None


def is_carried(reading: ReadClaim) -> str | None:
    """Doubt a number whose subject is not named in its clause, where that holds more than links and the number."""
    if reading.is_named or reading.is_implied or not reading.is_number or reading.indicator.kind == VOLUME:
        return None
    if reading.indicator.base in _OF_TRADES or reading.text.read[reading.at] > 1:  # `RSI and %K are both above 60`
        return None
    strange = any(reading.item(at).cat in OTHERS and reading.item(at).val != "date" for at in range(*reading.clause) if at != reading.name)
    return reading.words(*reading.clause) if strange else None


def is_qualified(reading: ReadClaim) -> str | None:
    """Doubt `扣非净利润`, `大周期RSI`, `哪有什么RSI 78`, `最惨时到过93，浮亏0.58%`: words that make another figure of the name, or none."""
    start, end = reading.item(reading.clause[0]).start, reading.item(reading.at).end
    if reading.indicator.base in PROFITS and reading.first(range(reading.sentence[0], reading.at), c.NOW) is None:
        extreme = _EXTREMES.search(reading.text.normal, reading.item(reading.sentence[0]).start, end)
        if extreme is not None:
            return extreme[0]
    found = _QUALIFIED.search(reading.text.normal, start, end) or _DENIED.search(reading.text.normal, start, end)
    return found[0] if found is not None else None


def is_parted(reading: ReadClaim) -> str | None:
    """Doubt a number that other numbers or unknown words part from its subject."""
    if not reading.is_number or reading.indicator.kind == VOLUME:
        return None
    numbers = [at for at in reading.between if reading.item(at).cat in VALUES and at not in reading.text.read and not reading.item(at).mode]
    unknown = [
        at for at in reading.between if reading.item(at).cat == c.UNKNOWN and (reading.item(at).gap or not reading.word(at).isascii())
    ]
    if any(reading.word(at) == "对应" for at in reading.between):
        return reading.words(reading.name, reading.at + 1)
    begun = any(reading.item(at).cat == c.FROM for at in reading.between)
    second = reading.at + 2
    paired = second < reading.clause[1] and reading.item(second).cat == c.NUM
    versus = paired and reading.word(reading.at + 1) in _VERSUS and reading.first(range(reading.clause[0], reading.name), c.IND) is not None
    stroked = paired and (versus or reading.item(reading.at + 1).val == "/")
    if stroked and second not in reading.text.read:
        return reading.words(reading.at, second + 1)  # `K、D值74/68.5`, `twice as fast as MFI (60 vs 31)`
    places = numbers if numbers and not begun else unknown if len(unknown) > 1 else []
    return reading.words(places[0], places[-1] + 1) if places else None


def is_of_the_next(reading: ReadClaim) -> str | None:
    """Doubt `19.4%的ROE`, `支撑：17.06（布林下轨）、15.8（前低）` where it was taken for what is named before it."""
    behind, before = reading.at + 1, reading.name - 1
    if reading.is_number and 0 < before < reading.at - _NEXT and reading.item(before).cat == c.OPEN:
        closed = reading.item(reading.name + 1).cat == c.CLOSE
        return reading.words(before - 1, reading.name + 2) if closed and reading.item(before - 1).cat == c.NUM else None
    if not reading.is_number or behind + 1 >= reading.clause[1] or reading.item(behind).val != "share":
        return None
    named = reading.item(behind + 1).val
    other = isinstance(named, NamedIndicator) and named.key != reading.raw.subject.named.key
    return reading.words(reading.at, behind + 2) if other else None


def is_state_of_another(reading: ReadClaim) -> str | None:
    """Doubt `short of the 70 overbought line`, `略低于中性`: what is between name and reading turns it."""
    if reading.is_number or reading.raw.other is not None:
        return None
    before = reading.at - 1
    while before > reading.clause[0] and (reading.item(before).cat == c.FILL or reading.item(before).val == "share"):
        before -= 1
    if reading.raw.negated and reading.first(reading.between, c.OPEN) is not None:
        return reading.words(reading.name, reading.at + 1)  # `neither RSI nor funding (slightly positive)`
    extreme = _EXTREMES.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).start)
    if extreme is not None and reading.indicator.position:
        return extreme[0]  # `at its worst it was offside`
    owned = reading.item(reading.at - 1).val == "share"  # `未到70的超买`
    numbered = before >= reading.clause[0] and reading.item(before).cat in VALUES and (owned or before not in reading.text.read)
    if not reading.is_named and reading.raw.state in _SIGNS:
        last = next((at for at in range(reading.at - 1, reading.sentence[0], -1) if reading.item(at).cat == c.NUM), reading.at)
        number = reading.item(last).number
        if number is not None and (number.value > 0) == (reading.raw.state == "positive"):
            return reading.words(last, reading.at + 1)  # `the line it comes from is at -467.6, far below zero`
    if not reading.is_named and not reading.raw.negated:
        denied = next(
            (at for at in range(max(reading.sentence[0], reading.name), reading.at) if reading.item(at).cat in {c.NEG, c.APPROACH}), None
        )
        if denied is not None:
            return reading.words(denied, reading.at + 1)  # `approaching, but has not reached, oversold`
    turned = [at for at in reading.between if at >= reading.clause[0] and reading.item(at).cat in {c.CMP, c.POST}]
    bounds = any(at + 1 in reading.text.read for at in turned)  # `ADX>50 (极强趋势)`
    beside = turned == [reading.at - 1] and reading.raw.state != "neutral"  # `未到超买` is read
    return reading.words(before, reading.at + 1) if numbered or (turned and not beside and not bounds) else None


def is_relation_of_lines(reading: ReadClaim) -> str | None:
    """Doubt a comparison of two lines of which the clause names one, or that it only lists: `价格在EMA200与VWAP之上`."""
    other = reading.raw.other
    if reading.is_number or other is None or reading.raw.state in _PRICE_RELATIONS:
        return None
    first, last = sorted((reading.name, other.at))
    joined = [at for at in range(first + 1, min(last, first + FEW)) if reading.item(at).cat != c.FILL]
    listed = last - first <= FEW and len(joined) == 1 and reading.item(joined[0]).cat == c.AND
    named = [at for at in (first, last) if reading.clause[0] <= at < reading.clause[1] and reading.item(at).cat == c.IND]
    return reading.words(*reading.clause) if listed or (reading.indicator.kind == "line" and len(named) < 2) else None


def is_order_of_some(reading: ReadClaim) -> str | None:
    """Doubt `a short-term bullish alignment`: of some averages, not of all."""
    if reading.result.key.rpartition(".")[2] != "ema_alignment":
        return None
    found = _PARTLY.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).end)
    others = (reading.item(at).val for at in range(reading.sentence[0], reading.at))
    bases = {each.indicator.base for each in others if isinstance(each, NamedIndicator) and each.indicator.family and each.period}
    simple = "sma" in bases and "ema" not in bases  # `SMA20、SMA50依次为1302、1860，空头排列`
    return found[0] if found is not None else reading.words(*reading.clause) if simple else None


def is_said_of_a_level(reading: ReadClaim) -> str | None:
    """Doubt a comparison with a line that is one of a level: `跌破3198（EMA50下方）`, `Above 3310, the first thing is the EMA200`, `over
    what is now resistance`, `That locks in a gain, and sits above the EMA50`, `entered at 3,496, 8.4 above the upper band`."""
    if reading.is_number or reading.raw.state not in _PRICE_RELATIONS or reading.name < reading.at:
        return None
    at, begins = reading.at, reading.sentence[0]
    priced = any(reading.is_price(index) for index in range(begins, at))
    distance = reading.item(at - 1).cat == c.NUM and at - 1 >= reading.clause[0] and at - 1 not in reading.text.read
    if any(reading.word(index) == "what" for index in reading.between) or (
        not priced and (distance or reading.word(begins).partition(" ")[0] in _THAT)
    ):
        return reading.words(at, reading.name + 1)
    if any(reading.item(index).cat in _NAMED for index in range(reading.clause[0], at)):
        return None
    if reading.word(at) in _PREPOSITIONS and at == reading.clause[0]:
        return reading.words(at, reading.name + 1)  # `the test of a rebound, past the resistance near 120,750, would be`
    number = reading.item(min(at + 1, len(reading.text.items) - 1)).cat == c.NUM
    if number and reading.first(reading.between, c.OPEN, c.WEAK, c.LINK, c.UNKNOWN) is not None:
        return reading.words(at, at + 2)
    bracket = next((index for index in range(at - 1, max(begins, at - NEARBY), -1) if reading.item(index).cat in {c.OPEN, c.CLOSE}), at)
    opened = bracket if reading.item(bracket).cat == c.OPEN else at
    of_number = opened < at and reading.item(opened - 1).cat == c.NUM and reading.item(opened - _NEXT).cat in {c.CMP, c.POST, c.STOP}
    return reading.words(opened - 1, at + 1) if of_number else None


def is_of_a_place(reading: ReadClaim) -> str | None:
    """Doubt `这个位置在EMA10上方`, `放EMA10上方的2198`, `EMA200在最上面`: said of a level, or of one line among others."""
    if reading.is_number or reading.raw.state not in _PRICE_RELATIONS or reading.name > reading.at:
        return None
    at, start = reading.at, reading.item(reading.at).start
    place = _PLACES.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.name).start)
    if place is not None:
        return place[0]
    first = reading.clause[0]
    before = range(max(reading.sentence[0], first - NEARBY), first)
    if reading.word(first) == "即" and any(reading.item(index).mode in _NOT_NOW for index in before):
        return reading.words(first, at + 1)  # `止损下移到109,750附近，即阻力上方`
    behind = [item.cat if item.val != "share" else item.val for item in reading.text.items[at + 1 : at + 1 + _NEXT]]
    among = reading.text.normal[max(0, start - 1) : start] == "最"
    return reading.words(reading.name, at + 1) if among or behind == ["share", c.NUM] else None


def is_said_of_the_clause_before(reading: ReadClaim) -> str | None:
    """Doubt a comparison without a subject behind a stop, a plan or a past price: `a stop at 136, forty cents under the 200-day SMA`."""
    first, at = reading.clause[0], reading.at
    relation = not reading.is_number and reading.raw.state in _PRICE_RELATIONS and reading.name > at and reading.is_named
    if not relation or any(reading.item(index).cat in _NAMED for index in range(first, at)):
        return None
    begins = reading.item(reading.sentence[0]).start
    extreme = _PRICE_EXTREMES.search(reading.text.normal, begins, reading.item(first).start)
    if extreme is not None:
        return extreme[0]  # `最低价大约在90.21，比支撑还低一点`
    index = first - _NEXT
    if index < reading.sentence[0] or reading.item(first - 1).cat not in {c.WEAK, c.CONJ}:
        return None
    near = 1 + (reading.item(first - 1).cat == c.CONJ)  # clauses back
    while index >= max(reading.sentence[0], first - NEARBY):
        near -= reading.item(index).cat == c.WEAK
        if reading.item(index).mode == "stop" or (near > 0 and reading.item(index).mode in _NOT_NOW):
            return reading.words(index, first - 1)
        index -= 1
    return None


def is_turned(reading: ReadClaim) -> str | None:
    """Doubt `the EMA at 53.8 or lower`, which is a range to come, `EMA50 604.1（价格在上方）`, which may be said of the price, and `not
    even through support`, which says not from which side."""
    if reading.is_number or reading.raw.state not in _PRICE_RELATIONS:
        return None
    denied = reading.first(range(max(reading.clause[0], reading.at - FEW), reading.at), c.NEG)
    through = any("through" in reading.word(at) for at in (reading.at, min(reading.at + 1, reading.clause[1] - 1)))
    if through and (denied is not None or reading.word(reading.at)[:3] == "not"):
        return reading.words(reading.at if denied is None else denied, max(reading.at, reading.name) + 1)
    border = reading.first(reading.between, c.OPEN, c.WEAK, c.PIPE)  # without one: `EMA50在价格下方`
    price = border is not None and any(reading.is_price(at) for at in reading.between if at > border)
    return reading.words(reading.at - 1, reading.at + 1) if price or reading.word(reading.at)[:3] == "or " else None


def is_relation_of_another(reading: ReadClaim) -> str | None:
    """Doubt a comparison with the price that is parted from its line, said of others, or has a number before it that was not read."""
    other = reading.raw.other
    if reading.is_number or other is None:
        return None
    if reading.raw.state not in _PRICE_RELATIONS:
        ends = sorted((reading.name, other.at, reading.at))
        parted = any(reading.item(at).val == "colon" for at in range(ends[0], min(ends[2], ends[0] + NEARBY)))
        return reading.words(*reading.clause) if parted else None  # `support lies well below: the 200 SMA`
    places = [place for place in (reading.name, other.at) if reading.item(place).cat == c.IND]
    here = any(reading.clause[0] <= place < reading.clause[1] for place in places)
    parted = any(reading.item(at).val == "colon" for at in reading.between)
    if parted or (not here and reading.first(reading.between, c.UNKNOWN) is not None):
        return reading.words(*reading.clause)  # `布林上轨挤在一起，往上`
    if reading.at > reading.clause[0] and reading.name > reading.at and reading.word(reading.at - 1) in _MANY:
        return reading.words(reading.at - 1, reading.name + 1)  # `46% of members above their 200-day average`
    before = next((at for at in range(reading.at - 1, reading.clause[0], -1) if reading.item(at).cat != c.FILL), reading.at)
    unread = reading.item(before).cat in VALUES and before not in reading.text.read and reading.item(before).mode != SKIPPED
    number = reading.item(before).number if unread else None
    apart = number is not None and (number.unit == "%" or before < reading.at - 1)
    return reading.words(before, reading.at + 1) if apart else None
