"""Reads the roles' answers: closing blocks of `key: value` lines, and the executor's form.

Pure. Given a whole answer, gives a frozen block, or raises Unreadable naming the key and what was found: an answer is never half read and
never guessed, and one that states two votes is none (`agreement.py`). It only reads: whether an action is allowed here, a stop on the
right side or a number within its bounds is decided elsewhere. Dress (bold, bullets, fences, full-width forms, Chinese words) is tolerated
as `values.py` and `blocks.py` say.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TypeVar

from engine.desks.decision.reading.keys import EXECUTOR_KEYS
from engine.desks.decision.reading.sections import Form, json_answer, json_span, sections
from engine.domain.decision import ACTIONS, Action, AdjustmentType, Signal
from engine.domain.opinion import DebateWinner, Direction, PositionVerdict
from engine.domain.text.reason import Reason
from engine.llm.agreement import Readers, Voting, must_agree, stated
from engine.llm.blocks import plain, values_in, visible
from engine.llm.values import Unreadable, confidence, is_nothing, number, price, word

_ADJUSTING = "ADJUST_POSITION"
_BY_WORD = {action.word: action for action in ACTIONS}
_BY_SIGNAL = {action.signal.value.upper(): action for action in ACTIONS if action.signal is not Signal.ADJUST}
_BY_TYPE = {str(action.adjustment_type).upper(): action for action in ACTIONS if action.adjustment_type}
_MEANT = {DebateWinner.BULL: Direction.LONG, DebateWinner.BEAR: Direction.SHORT, DebateWinner.NEUTRAL: Direction.NEUTRAL}
_BULLET = re.compile(r"\s*+(?:[-*•·+●▪]|\d{1,2}[.)、])\s*+")
_FENCE = re.compile(r"`{3,}\w*+\s*+\Z")
_TEMPLATE = re.compile(r"<[^<>]{0,80}>|\.{3}|…+")

_ANALYST = Voting("direction", words=("direction",), loose=("support", "resistance"))
_DEBATER = Voting("confidence")
_JUDGE = Voting("verdict", words=("verdict", "direction"))
_DECISION = Voting("action", words=("action", "direction", "adjustment_type"))
_STORY = Voting("action", words=("action",), loose=("confidence", "direction", "adjustment_type"))  # votes of others are talked of there

Word = TypeVar("Word", bound=StrEnum)


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
    quote money. What the action has no use for is None when it cannot be read, and so is the ratio, which code recomputes anyway."""

    action_word: str
    confidence: float
    leverage: float | None
    direction: Direction | None
    stop_loss_price: float | None
    take_profit_price: float | None
    risk_reward_ratio: float | None
    adjustment_pct: float | None
    adjustment_type: AdjustmentType | None
    reasoning: str
    key_factors: tuple[str, ...]
    risk_assessment: str


def read_analyst(text: str) -> AnalystBlock:
    """Return an analyst's closing block. Raises Unreadable."""
    found = _vote(text, ("direction", "confidence", "support", "resistance"), _ANALYST)
    return AnalystBlock(_enum(found, "direction", Direction), _confidence(found), _level(found, "support"), _level(found, "resistance"))


def read_argument(text: str) -> float:
    """Return the confidence of a bull or a bear, 0-100. Raises Unreadable."""
    return _confidence(_vote(text, ("confidence",), _DEBATER))


def read_judge(text: str) -> JudgeBlock:
    """Return the entry judge's closing block. Raises Unreadable."""
    found = _vote(text, ("verdict", "direction", "confidence"), _JUDGE)
    verdict, direction = _enum(found, "verdict", DebateWinner), _enum(found, "direction", Direction)
    if direction is not _MEANT[verdict]:
        raise Unreadable(Reason("verdict_beside_direction", value=verdict.value, value2=direction.value))
    return JudgeBlock(verdict, direction, _confidence(found))


def read_position_judge(text: str) -> PositionJudgeBlock:
    """Return the position judge's closing block. Raises Unreadable; the percent of a verdict that adjusts nothing need not be readable."""
    found = _vote(text, ("verdict", "confidence", "adjustment_pct"), _JUDGE)
    verdict = _enum(found, "verdict", PositionVerdict)
    adjusts = verdict in (PositionVerdict.SCALE_IN, PositionVerdict.PARTIAL_EXIT)
    return PositionJudgeBlock(verdict, _confidence(found), _number(found, "adjustment_pct", strict=adjusts))


def read_executor(text: str) -> ExecutorBlock:
    """Return the executor's form, or one JSON object with the same keys. Raises Unreadable.

    Keys are looked for outside the narrative sections; only an answer without an action there is read as a whole.
    """
    form = _json_form(text) or _form(text)
    found = form.values
    action = _action(found)
    must_agree(form.stated, {**_READERS, "action": lambda value: _action_meant({**found, "action": value})})
    kind = _optional_word(found, "adjustment_type", tuple(_BY_TYPE), strict=action.adjustment is not None)
    if kind and action.adjustment and _BY_TYPE[kind] is not action:
        raise Unreadable(Reason("adjustment_type_found_beside_action_only_one", kind=f"{kind.lower()!r}", word=action.word))
    return ExecutorBlock(
        action_word=action.word,
        confidence=_confidence(found),
        leverage=_number(found, "leverage", strict=action.adds_risk),
        direction=_direction(found, strict=action.needs_levels),
        stop_loss_price=_price(found, "stop_loss_price", strict=action.adds_risk),
        take_profit_price=_price(found, "take_profit_price", strict=action.adds_risk),
        risk_reward_ratio=_ratio(found),
        adjustment_pct=_number(found, "adjustment_pct", strict=action.adjustment is not None),
        adjustment_type=_BY_TYPE[kind].adjustment_type if kind else None,
        reasoning=form.reasoning,
        key_factors=form.factors,
        risk_assessment=form.assessment,
    )


def _vote(text: str, keys: Collection[str], voting: Voting) -> dict[str, str]:
    """Return the values of a closing block. Raises Unreadable for an answer that states two."""
    seen = plain(text)
    found = values_in(seen, keys)
    must_agree([*stated(seen, keys, voting), *found.items()], _READERS)
    return found


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
    said = [*stated(vote, EXECUTOR_KEYS, _DECISION), *found.items(), *stated(story, EXECUTOR_KEYS, _STORY)]
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


def _action(found: Mapping[str, str]) -> Action:
    stated = word(_needed(found, "action"), (*_BY_WORD, *_BY_SIGNAL, _ADJUSTING), "action")
    if stated != _ADJUSTING:
        return _BY_WORD.get(stated) or _BY_SIGNAL[stated]
    kind = _optional_word(found, "adjustment_type", tuple(_BY_TYPE), strict=False)
    if kind:
        return _BY_TYPE[kind]
    percent = _number(found, "adjustment_pct", strict=True)
    if not percent:
        raise Unreadable(Reason("action_adjust_position_without_adjustment_type_or_signed_adjustment_pct"))
    return _BY_TYPE["SCALE_IN" if percent > 0 else "PARTIAL_EXIT"]


def _action_meant(found: Mapping[str, str]) -> str:
    """Return the word of an action, resolved where it can be."""
    try:
        return _action(found).word
    except Unreadable:
        return word(found["action"], (_ADJUSTING,), "action")


def _needed(found: Mapping[str, str], key: str) -> str:
    if key not in found:
        raise Unreadable(Reason("not_found_answer_needs_line_with_one", key=key))
    return found[key]


def _enum(found: Mapping[str, str], key: str, kind: type[Word]) -> Word:
    return kind(word(_needed(found, key), tuple(kind), key))


def _confidence(found: Mapping[str, str]) -> float:
    return confidence(_needed(found, "confidence"))


def _price(found: Mapping[str, str], key: str, *, strict: bool = True) -> float | None:
    try:
        return price(found.get(key, "N/A"), key)
    except Unreadable:
        if strict:
            raise
        return None


def _level(found: Mapping[str, str], key: str) -> float | None:
    """Return a level of the market; of two, `79548.5 / 79197.2`, the one that is nearer to the price."""
    stated = [price(value, key) for value in found.get(key, "N/A").split(" / ")] if key in found else []
    levels = [level for level in stated if level is not None]
    return (max if key == "support" else min)(levels) if levels else None


def _one_level(key: str, value: str) -> float | None:
    return _level({key: value}, key)


def _number(found: Mapping[str, str], key: str, *, strict: bool) -> float | None:
    value = found.get(key, "N/A")
    try:
        return None if is_nothing(value) else number(value, key)
    except Unreadable:
        if strict:
            raise
        return None


def _direction(found: Mapping[str, str], *, strict: bool) -> Direction | None:
    stated = _optional_word(found, "direction", tuple(Direction), strict=strict)
    return Direction(stated) if stated else None


def _optional_word(found: Mapping[str, str], key: str, allowed: Collection[str], *, strict: bool) -> str | None:
    value = found.get(key, "N/A")
    try:
        return None if is_nothing(value) else word(value, allowed, key)
    except Unreadable:
        if strict:
            raise
        return None


def _one_of(*kinds: type[StrEnum]) -> Callable[[str], object]:
    words = tuple(item for kind in kinds for item in kind)
    return lambda value: None if is_nothing(value) else word(value, words)


_READERS: Readers = {
    "direction": _one_of(Direction),
    "verdict": _one_of(DebateWinner, PositionVerdict),
    "adjustment_type": lambda value: None if is_nothing(value) else word(value, tuple(_BY_TYPE)),
    "confidence": confidence,
    **{key: partial(price, key=key) for key in ("stop_loss_price", "take_profit_price")},
    **{key: partial(_one_level, key) for key in ("support", "resistance")},
    **{key: lambda value: None if is_nothing(value) else number(value) for key in ("leverage", "adjustment_pct")},
}
"""How values are compared. The ratio is not: code recomputes it."""


def _ratio(found: Mapping[str, str]) -> float | None:
    value = found.get("risk_reward_ratio", "N/A")
    swapped = re.sub(r"\A\W*1 ?:", "", plain(value[:100]))  # `1:2.5` and `2.5:1` both say 2.5
    return _number({"ratio": re.sub(r": ?1(?![\d.])", "", swapped)}, "ratio", strict=False)
