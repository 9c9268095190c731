"""The parts of an executor's answer: the specification's headings in Chinese or English, dressed in whatever markdown, or one JSON object.

Pure and linear. A heading is in brackets (`[决策]`, `【决策】`), behind `#`, in bold, or alone on its line; narrative ones also before
a colon. Ranges are code points of the text as given. It never decides what a value means; that is `answers.py`.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from engine.llm.blocks import Span, plain
from engine.llm.values import is_placeholder

SectionName = Literal["decision", "risk", "adjustment", "reasoning", "factors", "assessment"]
NARRATIVE: tuple[SectionName, ...] = ("reasoning", "factors", "assessment")

_NAMES: dict[str, SectionName] = {
    "决策": "decision",
    "decision": "decision",
    "风险管理": "risk",
    "risk management": "risk",
    "调整参数": "adjustment",
    "adjustment": "adjustment",
    "决策理由": "reasoning",
    "reasoning": "reasoning",
    "关键因素": "factors",
    "key factors": "factors",
    "风险评估": "assessment",
    "risk assessment": "assessment",
}
_ANY = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in sorted(_NAMES, key=len, reverse=True))
_STORY = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name, kind in _NAMES.items() if kind in NARRATIVE)
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
        return self.name in NARRATIVE


@dataclass(frozen=True)
class Form:
    """An executor's answer, taken apart. values: by key, as written. stated: all that count as values, repetitions too. The others: its
    prose; empty without one."""

    values: dict[str, str]
    stated: tuple[tuple[str, str], ...]
    reasoning: str
    factors: tuple[str, ...]
    assessment: str


def sections(text: str) -> list[Section]:
    """Return the parts of an answer in order, the preamble first when it is not empty."""
    seen = plain(text)
    headings = list(_HEADING.finditer(seen))
    ends = [found.start() for found in headings[1:]] + [len(seen)]
    parts = [Section(_name(found), found.end(), end) for found, end in zip(headings, ends, strict=True)] if headings else []
    first = headings[0].start() if headings else len(seen)
    return [Section(None, 0, first), *parts] if first else parts


def json_answer(text: str) -> Form | None:
    """Return the object in an answer that is JSON, perhaps fenced or one level nested; None when there is none with an `action`."""
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
    """Return where the object of a JSON answer is in a text, braces included; an empty range where there is none."""
    start, end = text.find("{"), text.rfind("}") + 1
    return (start, end) if 0 <= start < end else (0, 0)


def json_story_spans(text: str) -> list[Span]:
    """Return where the prose of a JSON answer is in it, escapes as written."""
    return [found.span("story") for found in _JSON_STORY.finditer(text)]


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
