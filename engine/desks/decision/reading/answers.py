"""Reads the roles' answers: closing blocks of `key: value` lines, and the executor's form.

Pure. Given a whole answer, gives a frozen block, or raises Unreadable naming the key and what was found: an answer is never half read and
never guessed, and one that states two votes is none. It only reads: whether an action is allowed here, a stop on the right side or a number
within its bounds is decided elsewhere. Dress (bold, bullets, fences, full-width forms, Chinese words) is tolerated as in `values.py` and
`blocks.py` of `engine/llm`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.desks.decision.reading.spans import EXECUTOR_KEYS, Form, json_answer, json_span, sections
from engine.domain.decision import ACTIONS, Action, AdjustmentType, Signal
from engine.domain.opinion import DebateWinner, Direction, PositionVerdict
from engine.domain.text.reason import Reason
from engine.llm.blocks import Key, Reader, VoteBlock, VoteValues, plain, values_in, visible
from engine.llm.values import Unreadable, confidence, is_nothing, number, price, word

_ADJUSTING = "ADJUST_POSITION"
_BY_WORD = {action.word: action for action in ACTIONS}
_BY_SIGNAL = {action.signal.value.upper(): action for action in ACTIONS if action.signal is not Signal.ADJUST}
_BY_TYPE = {str(action.adjustment_type).upper(): action for action in ACTIONS if action.adjustment_type}
_MEANT = {DebateWinner.BULL: Direction.LONG, DebateWinner.BEAR: Direction.SHORT, DebateWinner.NEUTRAL: Direction.NEUTRAL}
_BULLET = re.compile(r"\s*+(?:[-*•·+●▪]|\d{1,2}[.)、])\s*+")
_FENCE = re.compile(r"`{3,}\w*+\s*+\Z")
_TEMPLATE = re.compile(r"<[^<>]{0,80}>|\.{3}|…+")


def _or_none(read: Reader) -> Reader:
    return lambda value, key: None if is_nothing(value) else read(value, key)


def _word_of(kind: type[StrEnum], *others: StrEnum) -> Key:
    """Return how one word of a list is read. others: words that contradict it as well."""
    words = (*kind, *others)
    return Key(lambda value, key: kind(word(value, tuple(kind), key)), is_word=True, compared=_or_none(lambda value, _: word(value, words)))


def _level(value: str, key: str) -> float | None:
    """Return a level of the market; of two, `79548.5 / 79197.2`, the one that is nearer to the price."""
    levels = [level for each in value.split(" / ") if (level := price(each, key)) is not None]
    return (max if key == "support" else min)(levels) if levels else None


def _adjustment_type(value: str, key: str) -> AdjustmentType | None:
    return _BY_TYPE[word(value, tuple(_BY_TYPE), key)].adjustment_type


def _action_word(value: str, key: str) -> str:
    return word(value, (*_BY_WORD, *_BY_SIGNAL, _ADJUSTING), key)


_DIRECTION, _CONFIDENCE, _NUMBER = _word_of(Direction), Key(confidence), Key(number, compared=_or_none(number))
_ANALYST = VoteBlock(
    "direction",
    {"direction": _DIRECTION, "confidence": _CONFIDENCE, "support": Key(_level), "resistance": Key(_level)},
    loose=("support", "resistance"),
)
_DEBATER = VoteBlock("confidence", {"confidence": _CONFIDENCE})
_JUDGE = VoteBlock("verdict", {"verdict": _word_of(DebateWinner, *PositionVerdict), "direction": _DIRECTION, "confidence": _CONFIDENCE})
_POSITION_JUDGE = VoteBlock(
    "verdict",
    {"verdict": _word_of(PositionVerdict, *DebateWinner), "confidence": _CONFIDENCE, "adjustment_pct": _NUMBER},
)
_DECISION = VoteBlock(
    "action",
    {
        "action": Key(_action_word, is_word=True),
        "confidence": _CONFIDENCE,
        "leverage": _NUMBER,
        "direction": _DIRECTION,
        "stop_loss_price": Key(price),
        "take_profit_price": Key(price),
        "risk_reward_ratio": None,  # code computes it
        "adjustment_pct": _NUMBER,
        "adjustment_type": Key(_adjustment_type, is_word=True, compared=_or_none(_adjustment_type)),
    },
)
_STORY = replace(_DECISION, loose=("confidence", "direction", "adjustment_type"))
"""Of an executor's prose: votes of others are talked of there."""


@dataclass(frozen=True)
class AnalystBlock:
    """An analyst's vote. confidence: 0-100. support, resistance: prices, None when it names none."""

    direction: Direction
    confidence: float
    support: float | None
    resistance: float | None


@dataclass(frozen=True)
class JudgeBlock:
    """The entry judge's ruling. confidence: 0-100."""

    verdict: DebateWinner
    direction: Direction
    confidence: float


@dataclass(frozen=True)
class PositionJudgeBlock:
    """The position judge's ruling. confidence: 0-100. adjustment_pct: signed percent of the position, None when it names none."""

    verdict: PositionVerdict
    confidence: float
    adjustment_pct: float | None


@dataclass(frozen=True)
class ExecutorBlock:
    """An executor's answer as written. action_word: one of `engine.domain.decision.ACTIONS`. confidence: 0-100. leverage: x. Prices in
    quote money. What the action has no use for is None when it cannot be read."""

    action_word: str
    confidence: float
    leverage: float | None
    direction: Direction | None
    stop_loss_price: float | None
    take_profit_price: float | None
    adjustment_pct: float | None
    adjustment_type: AdjustmentType | None
    reasoning: str
    key_factors: tuple[str, ...]
    risk_assessment: str


def read_analyst(text: str) -> AnalystBlock:
    """Return an analyst's closing block. Raises Unreadable."""
    vote = _ANALYST.read(text)
    return AnalystBlock(vote.needed("direction"), vote.needed("confidence"), vote.get("support"), vote.get("resistance"))


def read_argument(text: str) -> float:
    """Return the confidence of a bull or a bear, 0-100. Raises Unreadable."""
    return float(_DEBATER.read(text).needed("confidence"))


def read_judge(text: str) -> JudgeBlock:
    """Return the entry judge's closing block. Raises Unreadable."""
    vote = _JUDGE.read(text)
    verdict, direction = vote.needed("verdict"), vote.needed("direction")
    if direction is not _MEANT[verdict]:
        raise Unreadable(Reason("verdict_beside_direction", value=verdict.value, value2=direction.value))
    return JudgeBlock(verdict, direction, vote.needed("confidence"))


def read_position_judge(text: str) -> PositionJudgeBlock:
    """Return the position judge's closing block. Raises Unreadable; the percent of a verdict that adjusts nothing need not be readable."""
    vote = _POSITION_JUDGE.read(text)
    verdict = vote.needed("verdict")
    adjusts = verdict in (PositionVerdict.SCALE_IN, PositionVerdict.PARTIAL_EXIT)
    return PositionJudgeBlock(verdict, vote.needed("confidence"), vote.get("adjustment_pct", strict=adjusts))


def read_executor(text: str) -> ExecutorBlock:
    """Return the executor's form, or one JSON object with the same keys. Raises Unreadable.

    Keys are looked for outside the narrative sections; only an answer without an action there is read as a whole.
    """
    form = _json_form(text) or _form(text)
    vote = VoteValues(_DECISION, form.values)
    action = _action(vote)
    _DECISION.must_agree(form.stated, action=lambda value, _: _action_meant({**form.values, "action": value}))
    kind = vote.get("adjustment_type", strict=action.adjustment is not None)
    if kind and action.adjustment and action.adjustment_type is not kind:
        raise Unreadable(Reason("adjustment_type_found_beside_action_only_one", kind=f"{kind.value!r}", word=action.word))
    return ExecutorBlock(
        action_word=action.word,
        confidence=vote.needed("confidence"),
        leverage=vote.get("leverage", strict=action.adds_risk),
        direction=vote.get("direction", strict=action.needs_levels),
        stop_loss_price=vote.get("stop_loss_price", strict=action.adds_risk),
        take_profit_price=vote.get("take_profit_price", strict=action.adds_risk),
        adjustment_pct=vote.get("adjustment_pct", strict=action.adjustment is not None),
        adjustment_type=kind,
        reasoning=form.reasoning,
        key_factors=form.factors,
        risk_assessment=form.assessment,
    )


def _json_form(text: str) -> Form | None:
    """Return an answer that is one JSON object, and what is stated around it."""
    shown = visible(text)
    form = json_answer(shown)
    if form is None:
        return None
    start, end = json_span(shown)
    around = _form(shown[:start] + "\n" + shown[end:]).stated
    return replace(form, stated=(*form.stated, *around))


def _form(text: str) -> Form:
    """Return an answer in sections."""
    parts, shown, seen = sections(text), visible(text), plain(text)
    votes, sections_text, at = [], [], 0
    stories: dict[str | None, str] = {}
    for part in parts:
        if not part.narrative:
            continue
        votes.append(seen[at : part.start] + "\n")
        sections_text.append(seen[part.start : part.end] + "\n")
        at = part.end
        content = _FENCE.sub("", shown[part.start : part.end]).strip()
        if content and not _TEMPLATE.fullmatch(content):
            stories[part.name] = content
    vote, story = "".join([*votes, seen[at:]]), "".join(sections_text)
    found = values_in(vote, EXECUTOR_KEYS)
    if "action" not in found:
        vote, story, found = seen, "", values_in(seen, EXECUTOR_KEYS)
    said = [*_DECISION.stated(vote), *found.items(), *_STORY.stated(story)]
    return Form(found, tuple(said), stories.get("reasoning", ""), _factors(stories.get("factors", "")), stories.get("assessment", ""))


def _factors(content: str) -> tuple[str, ...]:
    """Return a list's items; a line without a bullet goes on with the one before it, if that had one."""
    factors: list[list[str]] = []
    bulleted = False
    for line in filter(str.strip, content.splitlines()):
        bullet = _BULLET.match(line)
        item = line[bullet.end() if bullet else 0 :].strip()
        if bullet or not bulleted:
            factors.append([item])
        else:
            factors[-1].append(item)
        bulleted = bulleted or bullet is not None
    joined = (" ".join(parts) for parts in factors)
    return tuple(factor for factor in joined if factor and not _TEMPLATE.fullmatch(factor))


def _action(vote: VoteValues) -> Action:
    stated = vote.needed("action")
    if stated != _ADJUSTING:
        return _BY_WORD.get(stated) or _BY_SIGNAL[stated]
    kind = vote.get("adjustment_type", strict=False)
    if kind:
        return _BY_TYPE[kind.upper()]
    percent = vote.get("adjustment_pct")
    if not percent:
        raise Unreadable(Reason("action_adjust_position_without_adjustment_type_or_signed_adjustment_pct"))
    return _BY_TYPE["SCALE_IN" if percent > 0 else "PARTIAL_EXIT"]


def _action_meant(values: Mapping[str, str]) -> str:
    """Return the word of an action, resolved where it can be."""
    try:
        return _action(VoteValues(_DECISION, values)).word
    except Unreadable:
        return word(values["action"], (_ADJUSTING,), "action")
