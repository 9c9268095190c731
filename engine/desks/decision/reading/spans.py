"""The parts of an answer: which of them are prose, where its closing block begins, and what an executor's form is made of.

Pure and linear; ranges are code points of the text as given. An executor's form has the specification's headings in Chinese or English,
dressed in whatever markdown, or is one JSON object. A heading is in brackets (`[决策]`, `【决策】`), behind `#`, in bold, or alone on its
line; narrative ones also before a colon. What a value means is decided in `answers.py`.
"""

import json
import re
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.desks.decision.paths import role_at
from engine.domain.roles import Role
from engine.llm.blocks import Span, closing_block, plain, visible
from engine.llm.thinking import thoughts
from engine.llm.values import is_placeholder

VOTE_KEYS = ("direction", "confidence", "support", "resistance", "verdict", "adjustment_pct")
EXECUTOR_KEYS = (
    "action", "confidence", "leverage", "direction", "stop_loss_price", "take_profit_price", "risk_reward_ratio", "adjustment_pct",
    "adjustment_type",
)  # fmt: skip
_ANALYST = ("direction", "confidence", "support", "resistance")
_KEYS_OF: Mapping[Role, tuple[str, ...]] = {
    "bull": ("confidence",),
    "bear": ("confidence",),
    "judge": ("verdict", "direction", "confidence", "adjustment_pct"),
    "executor": EXECUTOR_KEYS,
}

SectionName = Literal["values", "reasoning", "factors", "assessment"]

_NAMES: dict[str, SectionName] = {
    "决策": "values", "decision": "values", "风险管理": "values", "risk management": "values", "调整参数": "values", "adjustment": "values",
    "决策理由": "reasoning", "reasoning": "reasoning", "关键因素": "factors", "key factors": "factors",
    "风险评估": "assessment", "risk assessment": "assessment",
}  # fmt: skip
_ANY = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in sorted(_NAMES, key=len, reverse=True))
_STORY = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name, kind in _NAMES.items() if kind != "values")
_REMARK = r"[ *_:]{0,8}+(?:\([^()\n]{0,80}\))?[ *_:]{0,8}+"
_HEADING = re.compile(
    rf"^[ >*_#]{{0,12}}+\[ ?(?P<bracketed>{_ANY}) ?\]{_REMARK}"
    rf"|^[ >]{{0,8}}+#{{1,6}}[ *_]{{0,8}}+(?:\d[.)] ?)?(?P<hashed>{_ANY}){_REMARK}$"
    rf"|^[ >]{{0,8}}+(?:\d[.)] ?)?\*\*(?P<bold>{_ANY})(?: ?:)?\*\*{_REMARK}"
    rf"|^[ >]{{0,8}}+(?P<alone>{_ANY}){_REMARK}$"
    rf"|^[ >]{{0,8}}+(?P<story>{_STORY}) ?:",
    re.IGNORECASE | re.MULTILINE,
)
_STRING = r'"(?:[^"\\]|\\.)*+"'
_JSON_STORY = re.compile(
    rf'"(?:reasoning|key_factors|risk_assessment)"\s*+:\s*+(?P<story>{_STRING}|\[(?:\s*+{_STRING}\s*+,?)*+\s*+\])',
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Section:
    """One part. name: None for what is before the first heading. start, end: its content, heading left out."""

    name: SectionName | None
    start: int
    end: int

    @property
    def narrative(self) -> bool:
        """Whether it is prose by its nature."""
        return self.name not in (None, "values")


@dataclass(frozen=True)
class Form:
    """An executor's answer, taken apart. values: by key, as written. stated: all that count as values, repetitions too. The others: its
    prose; empty without one."""

    values: dict[str, str]
    stated: tuple[tuple[str, str], ...]
    reasoning: str
    factors: tuple[str, ...]
    assessment: str


def closing_block_start(text: str, node: str | None = None) -> int:
    """Return where the closing block begins, its heading included, in code points, or len(text)."""
    block = closing_block(text, _keys_of(role_at(node)) if node else VOTE_KEYS)
    return block[0] if block else len(text)


def claim_spans(text: str, node: str) -> tuple[Span, ...]:
    """Return the ranges of what was said in a node that are read for claims: (start, end) in code points, in order, end exclusive.

    Everything but thoughts and the closing block; of an executor's form what is before it and its narrative sections.
    """
    role = role_at(node)
    keys = _keys_of(role)
    if role != "executor":
        prose = _prose(text, len(text), keys)
    elif json_answer(visible(text)):
        prose = json_story_spans(text)
    else:
        prose = []
        for part in sections(text):
            if part.name is None:
                prose += _prose(text, part.end, keys)
            elif part.narrative:
                prose.append((part.start, part.end))
    return tuple(span for span in _without(prose, thoughts(text)) if text[slice(*span)].strip())


def sections(text: str) -> list[Section]:
    """Return the parts of an answer in order, the preamble first when it is not empty."""
    seen = plain(text)
    headings = list(_HEADING.finditer(seen))
    ends = [found.start() for found in headings[1:]] + [len(seen)]
    parts = [Section(_name(found), found.end(), end) for found, end in zip(headings, ends, strict=True)] if headings else []
    first = headings[0].start() if headings else len(seen)
    return [Section(None, 0, first), *parts] if first else parts


def json_answer(text: str) -> Form | None:
    """Return the object of a JSON answer, perhaps fenced or one level nested; None if no object has an `action`."""
    start, end = json_span(text)
    if start == end or '"action"' not in text.lower():
        return None
    stated: list[tuple[str, str]] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        stated.extend((key.lower(), value) for key, value in pairs if isinstance(value, str))
        return dict(pairs)

    try:
        found = json.loads(text[start:end], parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=note)
    except (ValueError, RecursionError):
        return None
    flat = _flat(found)
    factors = flat.pop("key_factors", [])
    listed = factors if isinstance(factors, list) else [factors]
    values = {key: str(value) for key, value in flat.items() if value is not None and not isinstance(value, list | dict)}
    if "action" not in values or is_placeholder(values["action"]):
        return None
    factors_text = tuple(item.strip() for item in listed if isinstance(item, str) and item.strip())
    return Form(values, tuple(stated), values.pop("reasoning", "").strip(), factors_text, values.pop("risk_assessment", "").strip())


def json_span(text: str) -> Span:
    """Return the range of the object of a JSON answer, braces included; an empty range if the text has no object."""
    start, end = text.find("{"), text.rfind("}") + 1
    return (start, end) if 0 <= start < end else (0, 0)


def json_story_spans(text: str) -> list[Span]:
    """Return where the prose of a JSON answer is in it, escapes as written."""
    return [found.span("story") for found in _JSON_STORY.finditer(text)]


def _keys_of(role: Role) -> Collection[str]:
    """Return the keys of a role's closing block; any other role is an analyst."""
    return _KEYS_OF.get(role, _ANALYST)


def _prose(text: str, end: int, keys: Collection[str]) -> list[Span]:
    """Return what is before and behind the closing block of text[:end]."""
    block = closing_block(text[:end], keys)
    return [(0, block[0]), (block[1], end)] if block else [(0, end)]


def _without(spans: Collection[Span], holes: Collection[Span]) -> list[Span]:
    """Return the spans without the holes; both in order and without overlaps."""
    kept: list[Span] = []
    waiting = deque(holes)
    for start, end in spans:
        at = start
        while waiting and waiting[0][0] < end:
            if at < waiting[0][0]:
                kept.append((at, waiting[0][0]))
            at = max(at, waiting[0][1])
            if waiting[0][1] > end:
                break
            waiting.popleft()
        if at < end:
            kept.append((at, end))
    return kept


def _name(found: re.Match[str]) -> SectionName:
    name = next(group for group in found.groupdict().values() if group)
    return _NAMES[name.lower().replace("_", " ")]


def _flat(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        return {}
    flat: dict[str, Any] = {}
    for key, value in found.items():
        flat |= {str(inner).lower(): item for inner, item in value.items()} if isinstance(value, dict) else {str(key).lower(): value}
    return flat
