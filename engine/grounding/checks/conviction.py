"""Whether a claim that came out false was understood whole. What was not is not convicted: it cannot be checked.

The grammar takes the nearest reading; this is the second look. Given the items of a text, its claims and what the facts say of them, a false
claim stands only where its clause leaves nothing open: whose figure it is, of what time, said or only supposed, in which unit, and no other
true statement of the text or fact of the sheet explains the number better. Every doubt is one function below; it gives the words that were
not understood, None where there is no doubt. Looks a bounded number of items to each side, and only at what came out false.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.domain.facts import FactSheet
from engine.grounding.checks.verdict import CheckResult
from engine.grounding.grammar.marking import SKIPPED
from engine.grounding.grammar.raw_claim import RawClaim
from engine.grounding.grammar.volume import VOLUME
from engine.grounding.lexer.item import Item
from engine.grounding.tables.indicator import IndicatorSpec, NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.doubts import CLOSING, DENIED, GAPS, HOURS, MANY, MONTHS, NOT_OURS, OURS, PER_TIME, QUALIFIED, REACHING, RECKONED, SUPPOSING, THAT

OWNER: Final = "whose figure this is was not understood: {}"
TIME: Final = "of what time this is was not understood: {}"
CONDITION: Final = "it may be a condition or a plan: {}"
UNIT: Final = "what this is measured in was not understood: {}"
SUBJECT: Final = "what this is said of was not understood: {}"
ANSWERED: Final = "somebody is quoted, and the right value follows: {}"
WORDS: Final = "these words were not understood: {}"
TWICE: Final = "the text gives the right value elsewhere; this may be another one"
TOO_FAR: Final = "too far from the fact to be a statement about it"

_WINDOW: Final = 40
_LONGEST_WORDS: Final = 60
_BORDERS: Final = frozenset({c.STRONG, c.WEAK, c.CONJ})
_VALUES: Final = frozenset({c.NUM, c.RANGE})
_JOINTS: Final = frozenset(
    {c.FILL, c.LINK, c.HEDGE, c.OPEN, c.CLOSE, c.PIPE, c.FRAME, c.NOW, c.HEDGE_POST, c.FUZZY}
)
_ENDS: Final = frozenset({c.WEAK, c.STRONG, c.CLOSE, c.PIPE, c.CONJ, c.AND, c.LINK, c.OPEN})
_STRANGE: Final = frozenset({c.UNKNOWN, c.SINK, c.MODAL, c.IF, c.HISTORY, c.ASSET, c.NUM})
_OTHERS: Final = frozenset({c.UNKNOWN, c.IND, c.ASSET, c.SINK})
_SUPPOSED: Final = frozenset({"hyp", "plan", "stop", "modal", "then", "question", "quote"})
_NAMES: Final = frozenset({c.IND, c.POSITION, c.SIDE, c.STATE, c.DIR})
_OWNED: Final = frozenset({c.POSITION, c.SIDE, c.TRADE, c.ASSET, c.IT})
_PROFITS: Final = frozenset({"profit_pct", "loss_pct"})
_LEVELS: Final = frozenset({"price", "line", "level", "signal"})
_COUNTED: Final = frozenset({"shares_held", "position_weight_pct", "average_price", "account_total_value"})
_OF_TRADES: Final = frozenset({"hold_count", "leverage"})
_OF_THE_PAST: Final = frozenset(
    {"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "leverage", "size", "hold_count", "side"}
)
_PRICE_RELATIONS: Final = frozenset({"price_above", "price_below", "price_near"})
_LINES: Final = frozenset({"line", "level"})
_BESIDE: Final = frozenset({c.OPEN, c.LINK, c.FILL})
_FAR_PRICE: Final = 2.0
_FAR_PER_SHARE: Final = 3.0
_FAR_TRADE: Final = 10.0
_FAR: Final = 30.0
_RESUMES: Final = frozenset({c.PIPE, c.NOW, c.CLOSE, c.TO, c.THEN})
_BETWEEN_VALUES: Final = frozenset({c.AND, c.CONJ, c.FILL, c.HEDGE})
_DEBATERS: Final = frozenset({"bull", "bear", "judge"})
_MIDDLE: Final = 50
_ANSWER: Final = 30
_ROUNDED: Final = 1 + 1e-9
_SHORTEST_NAME: Final = 3
_FEW: Final = 4
HIGHER: Final = "htf"


@dataclass(frozen=True)
class ReadText:
    """A text as it was read. items: with their modes. normal: the normalised text. original: gives the original spelling of an item.
    claims: what is stated in it; results: what the facts say of each of them, in the same order. read: how many claims take their number
    from an item. confirmed: how many true equations there are of a key, by whom they are quoted from. true: items of the values of
    all true claims."""

    items: Sequence[Item]
    normal: str
    original: Callable[[Item], str]
    claims: Sequence[RawClaim]
    results: Sequence[CheckResult]
    sheet: FactSheet
    read: Counter[int] = field(init=False)
    confirmed: dict[tuple[str, str | None], int] = field(init=False)
    true: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        numeric = [raw for raw in self.claims if raw.relation != "state"]
        confirmed: dict[tuple[str, str | None], int] = defaultdict(int)
        for raw, result in zip(self.claims, self.results, strict=True):
            if result.verdict == "true" and raw.relation == "=":
                confirmed[result.key, raw.speaker] += 1
        object.__setattr__(self, "read", Counter(raw.at for raw in numeric))
        object.__setattr__(self, "confirmed", confirmed)
        places = (raw.at for raw, result in zip(self.claims, self.results, strict=True) if result.verdict == "true")
        object.__setattr__(self, "true", sorted(places))


    def fits(self, key: str, frame: str, raw: RawClaim) -> bool:
        """Return whether the number of a claim is the fact of another timeframe."""
        own = "" if frame == self.sheet.timeframe else f"{frame}."
        fact = self.sheet.number(own + key)
        return fact is not None and raw.number is not None and abs(raw.number - fact) <= raw.step / 2 * _ROUNDED


@dataclass(frozen=True)
class Reading:
    """One claim in its surroundings, [first, last) in items. clause, sentence: what its value stands in. at: its value; name: its
    subject."""

    text: ReadText
    raw: RawClaim
    result: CheckResult
    clause: tuple[int, int]
    sentence: tuple[int, int]

    @property
    def at(self) -> int:
        return self.raw.at

    @property
    def name(self) -> int:
        return self.raw.subject.at

    @property
    def indicator(self) -> IndicatorSpec:
        return self.raw.subject.named.indicator

    @property
    def is_number(self) -> bool:
        return self.raw.relation != "state"

    @property
    def is_implied(self) -> bool:
        """Return whether the name was put in by a pass: `120 shares`, `23% of the account`."""
        item = self.text.items[self.name]
        return item.cat == c.IND and item.end == item.start

    @property
    def is_named(self) -> bool:
        """Return whether the subject is named in this very clause."""
        item = self.text.items[self.name]
        names = item.cat in _NAMES or (item.cat == c.ASSET and self.indicator.base == "size")
        return self.clause[0] <= self.name < self.clause[1] and names and item.end > item.start

    @property
    def between(self) -> range:
        """Return the items between subject and value."""
        return range(min(self.name, self.at) + 1, max(self.name, self.at)) if abs(self.name - self.at) <= _WINDOW else range(0)

    def item(self, index: int) -> Item:
        return self.text.items[index]

    def word(self, index: int) -> str:
        item = self.text.items[index]
        return self.text.normal[item.start : item.end]

    def words(self, first: int, last: int) -> str:
        """Return the items [first, last) as they are written."""
        found = "".join((" " if self.item(at).gap and at > first else "") + self.text.original(self.item(at)) for at in range(first, last))
        return found.strip()[:_LONGEST_WORDS]

    def is_confirmed_since(self, place: int) -> bool:
        """Return whether something that is true was stated between an item and the value: what the text speaks of there is ours and now."""
        at = bisect_right(self.text.true, place)
        return at < len(self.text.true) and self.text.true[at] < self.at

    def first(self, places: range, *cats: str) -> int | None:
        return next((at for at in places if self.item(at).cat in cats), None)

    def behind(self) -> int | None:
        """Return the first item of the clause behind the value that says something."""
        return next((at for at in range(self.at + 1, self.clause[1]) if self.item(at).cat != c.FILL), None)


Doubt = Callable[[Reading], str | None]


def hold_back(text: ReadText, since: Sequence[CheckResult] | None = None) -> list[CheckResult]:
    """Return the results of a text, with the false claims that were not understood whole as what cannot be checked.

    since: the verdicts of the market the words were about, where that is an earlier one; what was true of it was understood.
    """
    found = list(text.results)
    doubted: tuple[str, int, str] | None = None  # key, place and reason of the last one that was held back
    stranger: tuple[int, str] | None = None  # the sentence that speaks of somebody else, and why
    for at, (raw, result) in enumerate(zip(text.claims, text.results, strict=True)):
        if result.verdict != "false" or (since is not None and since[at].verdict == "true"):
            continue
        reading = _reading(text, raw, result)
        reason = doubt_about(reading)
        if reason is None and doubted is not None and doubted[0] == result.key and 0 < raw.at - doubted[1] <= _FEW:
            reason = doubted[2]  # `Bull stated RSI as 71 (overbought)`
        if reason is None and stranger is not None and stranger[0] == reading.sentence[0] and not reading.is_confirmed_since(stranger[0]):
            reason = stranger[1]
        if reason is not None and reason.startswith(OWNER.partition("{")[0]):
            stranger = reading.sentence[0], reason
        if reason is not None:
            doubted = result.key, raw.at, reason
            found[at] = replace(result, verdict="unverifiable", deviation=None, tolerance=None, reason=reason)
    return found


def doubt_about(reading: Reading) -> str | None:
    """Return what was not understood of a claim; None where all of it was."""
    for reason, doubt in DOUBTS:
        words = doubt(reading)
        if words is not None:
            return reason.format(words)
    return None


def _reading(text: ReadText, raw: RawClaim, result: CheckResult) -> Reading:
    return Reading(text, raw, result, _around(text.items, raw.at, _BORDERS), _around(text.items, raw.at, frozenset({c.STRONG})))


def _around(items: Sequence[Item], at: int, borders: frozenset[str]) -> tuple[int, int]:
    first, last = at, at + 1
    while first > 0 and items[first - 1].cat not in borders and at - first < _WINDOW:
        first -= 1
    while last < len(items) and items[last].cat not in borders and last - at < _WINDOW:
        last += 1
    return first, last


def is_plain(reading: Reading, joints: frozenset[str] = _JOINTS) -> bool:
    """Return whether nothing but linking words stands around subject and value: `RSI is 48.`, `the 1h ADX (31)`. joints: categories that
    may stand between them."""
    if not reading.is_named or not reading.is_number or reading.name > reading.at:
        return False
    if any(reading.item(at).cat not in joints for at in reading.between):
        return False
    begins = max((at + 1 for at in range(reading.clause[0], reading.name) if reading.item(at).val == "colon"), default=reading.clause[0])
    if any(reading.item(at).cat in _STRANGE and reading.word(at).isalnum() for at in range(begins, reading.name)):
        return False
    behind = next(
        (item.cat for item in reading.text.items[reading.at + 1 : reading.at + _FEW] if item.cat not in {c.FILL, c.HEDGE_POST}), c.STRONG
    )
    return behind in _ENDS


# What explains the number better.


def _is_too_far(reading: Reading) -> str | None:
    """Doubt a value that is so far from the fact that nobody would have said it of it: a distance, an amount, a multiple."""
    actual, said, indicator = reading.result.actual, reading.raw.number, reading.indicator
    if not reading.is_number or not isinstance(actual, float) or not actual or not said or reading.raw.base is not None:
        return None
    priced = indicator.unit == "price" and indicator.kind != "atr"
    near = _FAR_TRADE if indicator.position else _FAR_PRICE if indicator.kind in _LEVELS else _FAR_PER_SHARE
    far = near if priced else _FAR
    least = 1 / far if indicator.kind != "funding" else 0.0  # a rate may be close to nothing
    return None if least < abs(said / actual) < far else ""


def _is_said_rightly(reading: Reading) -> str | None:
    """Doubt a second value of what the same speaker states rightly elsewhere, unless it is stated as plainly as can be."""
    confirmed = reading.text.confirmed.get((reading.result.key, reading.raw.speaker), 0)
    if not reading.is_number or not confirmed or is_plain(reading):
        return None
    bound = reading.raw.relation in {">", "<"}
    start = reading.item(reading.clause[0]).start
    return None if bound and not REACHING.search(reading.text.normal, start, reading.item(reading.at).end) else ""


def _is_only_its_size(reading: Reading) -> str | None:
    """Doubt `It pays 0.0086%` of a rate that is negative: the verb says which way, and it was not understood."""
    actual, said = reading.result.actual, reading.raw.number
    if reading.item(reading.name).cat != c.IT or not reading.is_number or not isinstance(actual, float) or not said or actual * said >= 0:
        return None
    written = reading.item(reading.at).number
    signed = written is not None and (written.signed or reading.first(range(*reading.clause), c.DIR) is not None)
    return None if signed or abs(abs(said) - abs(actual)) > reading.raw.step else reading.words(*reading.clause)


def _is_answered(reading: Reading) -> str | None:
    """Doubt `Bull says MFI is 18. It is 28.0.`: somebody is quoted, and the fact itself is written close by."""
    actual = reading.result.actual
    if not reading.is_number or not isinstance(actual, float):
        return None
    quoted = reading.raw.speaker is not None or reading.first(range(reading.sentence[0], reading.at), c.SPEAKER, c.SAY) is not None
    opened = reading.text.normal.count('"', reading.item(reading.sentence[0]).start, reading.item(reading.at).start) % 2 == 1
    if not (quoted or opened):
        return None
    for at in range(reading.at + 1, min(reading.at + _ANSWER, len(reading.text.items))):
        if reading.item(at).cat == c.SPEAKER and reading.item(at).val in _DEBATERS:
            return None
        number = reading.item(at).number if reading.item(at).cat == c.NUM else None
        if number is not None and number.value and abs(abs(number.value) - abs(actual)) <= number.step / 2 * _ROUNDED:
            return reading.words(at, at + 1)
    return None


# What the number is measured in.


def _is_of_another_unit(reading: Reading) -> str | None:
    """Doubt `1.6 ATR`, `2.5 ETH`, `24% a year`, `138% of equity`: a unit behind the number that its subject is not measured in."""
    if not reading.is_number:
        return None
    written, shared, behind = reading.item(reading.at).number, reading.name - 1, reading.behind()
    if written is not None and written.unit == "%" and shared >= reading.clause[0] and reading.word(shared) == "占":
        return reading.words(shared, reading.at + 1)
    if reading.indicator.kind == "atr" and reading.name > 0 and reading.item(_before(reading, reading.name)).cat in _VALUES:
        return reading.words(_before(reading, reading.name), reading.at + 1)  # `1.6个ATR（2.9%）`
    gap = GAPS.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).end)
    if gap is not None:
        return gap[0]
    behind = reading.clause[1] if behind is None else behind
    if behind >= len(reading.text.items):
        return None
    item = reading.item(behind)
    after = reading.item(behind + 1) if behind + 1 < len(reading.text.items) else item
    percent = after.number is not None and after.number.unit == "%" and item.cat == c.OPEN
    if percent and reading.indicator.unit == "percent" and written is not None and written.unit != "%":
        return reading.words(reading.at, behind + 2)  # `+0.84 (+8.86%)`
    if item.cat == c.ASSET and behind == reading.at + 1 and reading.indicator.base != "size":
        return reading.words(reading.at, behind + 1)
    if isinstance(item.val, NamedIndicator) and item.val.indicator.kind == "atr" and reading.indicator.kind != "atr":
        after = reading.item(behind + 1).cat if behind + 1 < len(reading.text.items) else c.STRONG
        return None if after in {c.NUM, c.LINK, c.OPEN} else reading.words(reading.at, behind + 1)
    if written is not None and written.unit == "%" and reading.item(behind).val == "of" and reading.indicator.kind != VOLUME:
        of = next((at for at in range(behind + 1, min(behind + _FEW, reading.clause[1])) if reading.item(at).cat != c.FILL), None)
        if of is not None and reading.item(of).cat in {c.UNKNOWN, c.SINK}:
            return reading.words(reading.at, of + 1)
    joint = behind if item.cat in {c.AND, c.CONJ} else reading.clause[1]
    second = next((at for at in range(joint, min(joint + _FEW, len(reading.text.items))) if reading.item(at).cat in _VALUES), None)
    between = reading.text.items[joint:second] if second is not None else []
    if second is not None and reading.item(second).mode == SKIPPED and all(each.cat in _BETWEEN_VALUES for each in between):
        return reading.words(reading.at, second + 1)  # `15.4 dollars or 1.7 ATR above the EMA20`
    timed = next((at for at in range(reading.at + 1, min(reading.at + _FEW, reading.clause[1])) if reading.word(at) in PER_TIME), None)
    return reading.words(reading.at, timed + 1) if timed is not None else None


def _before(reading: Reading, place: int) -> int:
    """Return the item before a place that says something."""
    at = place - 1
    while at > 0 and reading.item(at).cat == c.FILL:
        at -= 1
    return max(at, 0)


# Whose figure it is.


def _is_of_others(reading: Reading) -> str | None:
    """Doubt what stands behind `peers`, `for comparison`, `同行`, or behind another asset and not behind the own one."""
    first, at = reading.sentence[0], reading.at
    found = NOT_OURS.search(reading.text.normal, reading.item(first).start, reading.item(at).end)
    if found is not None:
        return found[0]
    other = next((index for index in range(at - 1, first - 1, -1) if reading.item(index).mode == "other" and reading.item(index).cat in _OTHERS), None)
    segment = reading.text.items[first:at] if other is not None and reading.clause[0] > other else []
    if any(item.val == "segment" for item in segment):
        return None  # `while costs grew 4%, revenue grew 9%`
    if other is None or reading.is_confirmed_since(other):
        return None
    own = any(
        (reading.item(index).cat == c.ASSET and not reading.item(index).mode) or reading.word(index) in OURS for index in range(first, at)
    )
    return reading.words(other, min(other + _FEW, at)) if not own else None


def _is_of_somebody(reading: Reading) -> str | None:
    """Doubt `Merrow at 12.3 times EBITDA`, `the margin that Danton earns`: a name nobody knows before the value."""
    for index in range(reading.clause[0], reading.at):
        written = reading.text.original(reading.item(index)) if reading.item(index).cat == c.UNKNOWN else ""
        if not (len(written) >= _SHORTEST_NAME and written[0].isupper() and not written.isupper() and written.isascii() and written.isalpha()):
            continue
        if any(reading.item(later).val == "colon" for later in range(index, min(index + _FEW, reading.clause[1]))):
            continue  # a label
        before = index - 1
        while before >= 0 and reading.item(before).cat in {c.FILL, c.OPEN, c.PIPE}:
            before -= 1
        begins = before < 0 or reading.item(before).cat in {c.WEAK, c.STRONG} or reading.item(before).val == "colon"
        after = reading.item(index + 1).cat
        if not begins or after == c.TRADE or (after == c.LINK and reading.word(index + 1) in {"at", "'s"}):
            return written
    return None


def _is_of_a_stranger(reading: Reading) -> str | None:
    """Doubt `格力虽然只有8倍市盈率`: a clause that begins with words nobody knows, and the name behind its number."""
    at = reading.clause[0]
    while at - 2 >= reading.sentence[0] and reading.item(at - 1).cat == c.CONJ and reading.item(at - 2).cat == c.UNKNOWN:
        at -= 2
    while at < reading.at and reading.item(at).cat in {c.FILL, c.CONJ}:
        at += 1
    strange = at < reading.at and reading.item(at).cat == c.UNKNOWN and len(reading.word(at)) > 1 and not reading.word(at).isascii()
    return reading.word(at) if reading.is_number and strange and reading.name > reading.at else None


def _is_of_nobody(reading: Reading) -> str | None:
    """Doubt shares and shares of the account of which the clause does not say that they are held."""
    if not reading.is_implied or reading.indicator.base not in _COUNTED:
        return None
    held = any(
        reading.item(at).cat in _OWNED or reading.item(at).val == "net_long" for at in range(reading.clause[0], reading.at) if at != reading.name
    )
    return None if held else reading.words(reading.at, min(reading.at + _FEW, reading.clause[1]))


# What it is said of.


def _is_of_another_fact(reading: Reading) -> str | None:
    """Doubt `Bear will point to OI, down 1.8% on the day`: it is the value of something else that the sentence names before it."""
    said, step = reading.raw.number, reading.raw.step
    if not reading.is_number or said is None or (reading.is_named and reading.name < reading.at):
        return None
    for at in range(reading.sentence[0], reading.at):
        named = reading.item(at).val
        if not isinstance(named, NamedIndicator) or named.key == reading.raw.subject.named.key:
            continue
        fact = reading.text.sheet.number(named.key)
        if fact is not None and fact and named.indicator.unit == reading.indicator.unit and abs(abs(fact) - abs(said)) <= step / 2 * _ROUNDED:
            return reading.word(at)
    return None


def _is_carried(reading: Reading) -> str | None:
    """Doubt a number whose subject is not named in its clause, where that holds more than links and the number."""
    if reading.is_named or reading.is_implied or not reading.is_number or reading.indicator.kind == VOLUME:
        return None
    if reading.indicator.base in _OF_TRADES or reading.text.read[reading.at] > 1:  # `RSI and %K are both above 60`
        return None
    strange = any(
        reading.item(at).cat in _OTHERS and reading.item(at).val != "date" for at in range(*reading.clause) if at != reading.name
    )
    return reading.words(*reading.clause) if strange else None


def _is_qualified(reading: Reading) -> str | None:
    """Doubt `扣非净利润`, `大周期RSI`, `哪有什么RSI 78`: a word in the clause that makes another figure of the name, or none."""
    start, end = reading.item(reading.clause[0]).start, reading.item(reading.at).end
    found = QUALIFIED.search(reading.text.normal, start, end) or DENIED.search(reading.text.normal, start, end)
    return found[0] if found is not None else None


def _is_parted(reading: Reading) -> str | None:
    """Doubt a number that other numbers or unknown words part from its subject."""
    if not reading.is_number or reading.indicator.kind == VOLUME:
        return None
    numbers = [at for at in reading.between if reading.item(at).cat in _VALUES and at not in reading.text.read and not reading.item(at).mode]
    unknown = [at for at in reading.between if reading.item(at).cat == c.UNKNOWN and (reading.item(at).gap or not reading.word(at).isascii())]
    begun = any(reading.item(at).cat == c.FROM for at in reading.between)
    stroke, second = reading.at + 1, reading.at + 2
    if second < reading.clause[1] and reading.item(stroke).val == "/" and reading.item(second).cat == c.NUM and second not in reading.text.read:
        return reading.words(reading.at, second + 1)  # `K、D值74/68.5`
    places = numbers if numbers and not begun else unknown if len(unknown) > 1 else []
    return reading.words(places[0], places[-1] + 1) if places else None


def _is_of_the_next(reading: Reading) -> str | None:
    """Doubt `19.4%的ROE` where it was taken for the growth before it."""
    behind = reading.at + 1
    if not reading.is_number or behind + 1 >= reading.clause[1] or reading.item(behind).val != "share":
        return None
    named = reading.item(behind + 1).val
    other = isinstance(named, NamedIndicator) and named.key != reading.raw.subject.named.key
    return reading.words(reading.at, behind + 2) if other else None


def _is_state_of_another(reading: Reading) -> str | None:
    """Doubt `short of the 70 overbought line`, `略低于中性`: what stands between name and reading turns it."""
    if reading.is_number or reading.raw.other is not None:
        return None
    before = reading.at - 1
    while before > reading.clause[0] and (reading.item(before).cat == c.FILL or reading.item(before).val == "share"):
        before -= 1
    owned = reading.item(reading.at - 1).val == "share"  # `未到70的超买`
    numbered = before >= reading.clause[0] and reading.item(before).cat in _VALUES and (owned or before not in reading.text.read)
    if not reading.is_named and not reading.raw.negated:
        denied = next((at for at in range(max(reading.sentence[0], reading.name), reading.at) if reading.item(at).cat in {c.NEG, c.APPROACH}), None)
        if denied is not None:
            return reading.words(denied, reading.at + 1)  # `approaching, but has not reached, oversold`
    turned = [at for at in reading.between if at >= reading.clause[0] and reading.item(at).cat in {c.CMP, c.POST}]
    bounds = any(at + 1 in reading.text.read for at in turned)  # `ADX>50 (极强趋势)`
    beside = turned == [reading.at - 1] and reading.raw.state != "neutral"  # `未到超买` is read
    return reading.words(before, reading.at + 1) if numbered or (turned and not beside and not bounds) else None


def _is_relation_of_another(reading: Reading) -> str | None:
    """Doubt a comparison of two lines of which the clause names one, and one with the price in a clause that tells of a past pattern."""
    other = reading.raw.other
    if reading.is_number or other is None:
        return None
    named = [at for at in (reading.name, other.at) if reading.clause[0] <= at < reading.clause[1] and reading.item(at).cat == c.IND]
    joined = [at for at in range(min(reading.name, other.at) + 1, max(reading.name, other.at)) if reading.item(at).cat != c.FILL]
    if reading.raw.state not in _PRICE_RELATIONS and len(joined) == 1 and reading.item(joined[0]).cat == c.AND:
        return reading.words(*reading.clause)  # `价格在EMA200与VWAP之上`
    if reading.raw.state not in _PRICE_RELATIONS:
        return reading.words(*reading.clause) if reading.indicator.kind == "line" and len(named) < 2 else None
    if any(reading.item(at).val == "colon" for at in reading.between):
        return reading.words(*reading.clause)
    if not any(reading.clause[0] <= place < reading.clause[1] for place in (reading.name, other.at) if reading.item(place).cat == c.IND):
        strange = reading.first(reading.between, c.UNKNOWN)
        if strange is not None:
            return reading.words(*reading.clause)  # `布林上轨挤在一起，往上`
    noun = reading.item(reading.at - 1) if reading.at > reading.clause[0] else None
    if noun is not None and noun.cat == c.UNKNOWN and reading.name > reading.at and noun.gap and reading.word(reading.at - 1) in MANY:
        return reading.words(reading.at - 1, reading.name + 1)  # `46% of members above their 200-day average`
    before = next((at for at in range(reading.at - 1, reading.clause[0], -1) if reading.item(at).cat != c.FILL), reading.at)
    open_number = reading.item(before).cat in _VALUES and before not in reading.text.read and reading.item(before).mode != SKIPPED
    number = reading.item(before).number if open_number else None
    apart = number is not None and (number.unit == "%" or before < reading.at - 1)
    return reading.words(before, reading.at + 1) if apart else None


# When, and whether at all.


def _is_of_another_time(reading: Reading) -> str | None:
    """Doubt what a date, a month or a past time stands with."""
    first, last = reading.clause
    for at in range(first, reading.at):
        if reading.item(at).cat == c.HISTORY and not any(
            reading.item(index).cat in {c.FROM, c.TO, c.NOW} for index in range(first, reading.at)
        ):
            return reading.word(at)
    for at in range(reading.at + 1, last):
        if reading.item(at).cat in {*_VALUES, c.OPEN, c.CLOSE, c.PIPE} or reading.item(at).val == "colon":
            break
        if reading.item(at).cat == c.HISTORY:
            return reading.word(at)
    begun = reading.first(range(reading.sentence[0], min(reading.sentence[0] + 2, reading.at)), c.HISTORY)
    if begun is not None and not reading.is_confirmed_since(begun) and reading.first(range(begun, reading.at), c.NOW, c.TO) is None:
        return reading.word(begun)
    past = reading.first(range(first, reading.at), c.PAST)
    if past is not None and reading.indicator.base in _PROFITS:
        return reading.word(past)
    return _date_before(reading)


def _is_of_another_frame(reading: Reading) -> str | None:
    """Doubt a value that is right for another timeframe that is named near by, and a reading in words beside another timeframe, unless the
    own one is named nearer."""
    own = reading.raw.subject.frame or reading.text.sheet.timeframe
    frames = {str(reading.item(at).val) for at in range(*reading.clause) if reading.item(at).cat == c.FRAME}
    nearest = next((at for at in range(reading.at - 1, reading.sentence[0] - 1, -1) if reading.item(at).cat == c.FRAME), None)
    if own in frames or reading.raw.subject.named.frame is not None or (nearest is not None and reading.item(nearest).val == own):
        return None
    if not reading.is_number:
        return next(iter(frames)) if frames and HIGHER not in frames else None
    key = reading.result.key.rpartition(".")[2]
    for at in range(max(0, reading.sentence[0] - _ANSWER), min(reading.at + _FEW * 2, len(reading.text.items))):
        other = str(reading.item(at).val) if reading.item(at).cat == c.FRAME else HOURS.get(reading.word(at), "")
        if other and other != own and reading.text.fits(key, other, reading.raw):
            return reading.word(at)
    return None


def _date_before(reading: Reading) -> str | None:
    """Return the date of the clause, or the one that its sentence begins with."""
    first, at = reading.sentence[0], reading.at
    places = (index for index in range(first, at) if index >= reading.clause[0] or index < first + _FEW)
    dated = next((index for index in places if reading.item(index).val == "date" or reading.word(index) in MONTHS), None)
    if dated is None or reading.is_confirmed_since(dated):
        return None
    over = any(
        str(reading.item(index).val) in {"colon", "list"} or reading.item(index).cat in _RESUMES for index in range(dated, at)
    )
    return reading.word(dated) if not over else None


def _is_supposed(reading: Reading) -> str | None:
    """Doubt what stands behind a condition, a plan or a quotation in its clause, and bounds of prices, which are hardly ever reported."""
    bound = reading.is_number and reading.raw.relation in {">", "<"} and reading.indicator.kind in {"price", *_LINES}
    if bound and (CLOSING.search(reading.word(reading.name)) or not is_plain(reading, _JOINTS | {c.CMP, c.POST})):
        return reading.words(*reading.clause)
    if reading.is_number and reading.indicator.kind in _LINES and all(reading.item(at).cat in _BESIDE for at in reading.between):
        return None  # where a line lies is so, whatever may happen there
    asked = SUPPOSING.search(reading.text.normal, reading.item(reading.sentence[0]).start, reading.item(reading.at).start)
    asked = asked or RECKONED.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.clause[1] - 1).end)
    if asked is not None:
        return asked[0]
    before = range(reading.sentence[0], reading.clause[0])
    if reading.indicator.base in _PROFITS and any(reading.item(at).mode in {"hyp", "stop"} for at in before) and is_unconfirmed(reading):
        return reading.words(*reading.clause)  # `wrong on a close over 85.30, total loss 3.1%`
    for at in range(reading.at - 1, reading.clause[0] - 1, -1):
        if reading.item(at).val == "colon":
            return None
        if reading.item(at).mode in _SUPPOSED:
            return reading.word(at)
    if reading.first(range(reading.at + 1, min(reading.at + 3, reading.clause[1])), c.THEN) is not None and reading.raw.relation in {">", "<"}:
        return reading.words(*reading.clause)
    led = any(reading.word(at) in THAT for at in range(reading.clause[0], min(reading.clause[0] + 2, reading.at)))
    if led and any(reading.item(at).mode in _SUPPOSED for at in range(reading.sentence[0], reading.clause[0])):
        return reading.words(*reading.clause)  # `wrong on a close under 167.9, because that loses the EMA50`
    return None


def is_unconfirmed(reading: Reading) -> bool:
    """Return whether nothing true is stated in the sentence before."""
    return not reading.is_confirmed_since(reading.sentence[0]) and reading.first(range(*reading.clause), c.NOW) is None


def _is_unreached(reading: Reading) -> str | None:
    """Doubt `RSI未到30`, `%K has not even reached 20`: a low threshold that is not reached, perhaps from above."""
    raw, indicator = reading.raw, reading.indicator
    low = raw.relation == "<" and raw.number is not None and raw.number < _MIDDLE and indicator.unit == "index" and indicator.kind != "trend"
    start, end = reading.item(reading.clause[0]).start, reading.item(reading.at).end
    return reading.words(*reading.clause) if low and REACHING.search(reading.text.normal, start, end) else None


def _is_definition(reading: Reading) -> str | None:
    """Doubt `CCI大于100为超买`: a bound that is what a word means."""
    behind = reading.behind()
    if not reading.is_number or reading.raw.relation not in {">", "<"} or behind is None or behind + 1 >= reading.clause[1]:
        return None
    equals = reading.word(behind) == "="
    defines = reading.item(behind).cat in {c.LINK, c.DEFINITION} and (equals or reading.item(behind + 1).cat == c.STATE)
    return reading.words(reading.at, behind + 2) if defines else None


DOUBTS: Final[tuple[tuple[str, Doubt], ...]] = (
    (OWNER, _is_of_others),
    (OWNER, _is_of_somebody),
    (OWNER, _is_of_a_stranger),
    (OWNER, _is_of_nobody),
    (UNIT, _is_of_another_unit),
    (TOO_FAR, _is_too_far),
    (TWICE, _is_said_rightly),
    (ANSWERED, _is_answered),
    (TIME, _is_of_another_time),
    (TIME, _is_of_another_frame),
    (CONDITION, _is_supposed),
    (CONDITION, _is_definition),
    (CONDITION, _is_unreached),
    (SUBJECT, _is_of_another_fact),
    (SUBJECT, _is_qualified),
    (SUBJECT, _is_carried),
    (SUBJECT, _is_only_its_size),
    (SUBJECT, _is_of_the_next),
    (SUBJECT, _is_state_of_another),
    (SUBJECT, _is_relation_of_another),
    (WORDS, _is_parted),
)
