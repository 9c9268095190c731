"""What a decision that is over teaches: judged by code, told in a sentence or two. Pure.

Whether reasons were good is judged by what was true when they were stated, never by the result alone: a gain on false reasons is luck and
teaches nothing, and a loss on true ones refutes no number. A model may write the words; the kind is code's.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, get_args

from engine.domain.claims import Claim
from engine.domain.facts import Unit, number_text
from engine.domain.invalidation import Invalidation
from engine.domain.lesson import MOST_TEXT, LearntLesson, Lesson, LessonKind, weight_at
from engine.domain.outcome import PlanOutcome
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line, shortened
from engine.flows.protocol import Review
from engine.llm.blocks import visible

_NAMED: Final = 3
_KINDS: Final[Mapping[LessonKind, str]] = {
    "right": "lesson_right",
    "lucky": "lesson_lucky",
    "wrong": "lesson_wrong",
    "refuted": "lesson_refuted",
    "unchecked": "lesson_unchecked",
}
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MARKUP: Final = re.compile(r"</?[A-Za-z!][^<>\n]{0,200}>|[<＜]\s*/?\s*said\b", re.IGNORECASE)
_BLOCK_LINE: Final = re.compile(
    r"\s*[\s>#*_`~|+\-•]{0,12}(?:[\[【][^\[\]【】\n]{1,60}[\]】].{0,12}|(?:role|system|user|assistant)\s*[:：].*|"
    r"[A-Za-z_][\w.]{0,40}\s*[:=：＝]\s*\S{0,40}|={3,}.*|\[[ x]\].*)\s*",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^[\s>#*_`~|+\-•·]+|[\s*_`~|]+$")


def kind_of(reasons: Sequence[Claim], gained: bool) -> LessonKind:
    """Return what a result is worth. reasons: what was stated for the decision. False are those at least half of whose checked numbers were
    false when they were said."""
    checked = [claim.when_said for claim in reasons if claim.when_said in {"true", "false"}]
    if not checked:
        return "unchecked"
    if 2 * checked.count("false") >= len(checked):
        return "lucky" if gained else "wrong"
    return "right" if gained else "refuted"


def lesson_of(
    record: RunRecord, action: str, came: PlanOutcome, review: Review, known_at: datetime, by: str = "", text: str = ""
) -> Lesson:
    """Return the lesson of an entry that is over. came: of the machine's plan. known_at: since when that is known. by, text: the model that
    wrote it and its words, `clean_lesson` of them; "" = code's own."""
    gained = (came.r if came.r is not None else came.pnl_pct or 0.0) > 0
    kind = kind_of(review.claims, gained)
    false, true = (_keys(review.claims, verdict) for verdict in ("false", "true"))
    broken = tuple(condition_text(each.invalidation) for each in review.checks if each.broken)
    return Lesson(
        run_id=record.run_id,
        flow=record.request.flow,
        subject=record.request.subject[:200],
        action=action,
        kind=kind,
        text=text or _sentence(kind, came, review, broken),
        by=by or "code",
        false=false,
        true=true,
        broken=broken,
        r=came.r,
        pnl_pct=came.pnl_pct,
        known_at=known_at,
    )


def clean_lesson(text: str) -> str:
    """Return a model's words as one line of plain text: no thoughts, code, markup, headings, blocks of keys, or characters that cannot be
    seen, and at most `MOST_TEXT` of them. "" where nothing is left."""
    bare = _MARKUP.sub("", _FENCE.sub("", visible(text)))
    while _MARKUP.search(bare):  # what is taken out of a mark may leave another one
        bare = _MARKUP.sub("", bare)
    kept = [_BULLET.sub("", line) for line in bare.splitlines() if line.strip() and not _BLOCK_LINE.fullmatch(line)]
    return shortened(" ".join(one_line(" ".join(kept)).split()), MOST_TEXT).strip()


def condition_text(condition: Invalidation) -> str:
    """Return a condition as roles and readers know it: `close below 94000`."""
    bound = condition.other or f"{condition.bound:g}"
    return Reason("condition_below" if condition.relation == "below" else "condition_above", key=condition.key, bound=bound)


def learnt(lessons: Sequence[Lesson], now: datetime) -> list[LearntLesson]:
    """Return lessons of one desk, kind and subject as one, what counts most first. lessons: the newest first."""
    alike: dict[tuple[str, LessonKind, str], list[Lesson]] = defaultdict(list)
    for each in lessons:
        alike[each.flow, each.kind, each.about].append(each)
    found = [_learnt(own, now) for own in alike.values()]
    return sorted(found, key=lambda each: (-each.weight, -each.newest.timestamp(), each.kind, each.about))


def _learnt(own: Sequence[Lesson], now: datetime) -> LearntLesson:
    newest, known = own[0], [each.r for each in own if each.r is not None]
    return LearntLesson(
        flow=newest.flow,
        kind=newest.kind,
        about=newest.about,
        n=len(own),
        weight=round(sum(weight_at(min(each.known_at, now), now) for each in own), 4),
        r=round(sum(known) / len(known), 4) if known else None,
        text=newest.text,
        by=newest.by,
        newest=newest.known_at,
        run_ids=tuple(each.run_id for each in own),
    )


def _sentence(kind: LessonKind, came: PlanOutcome, review: Review, broken: Sequence[str]) -> str:
    checked = [claim for claim in review.claims if claim.when_said in {"true", "false"}]
    false = [claim for claim in checked if claim.when_said == "false"]
    result = Reason(
        "percent_and_r",
        percent=f"{came.pnl_pct:+.2f}" if came.pnl_pct is not None else "?",
        r=f"{came.r:+.2f}" if came.r is not None else "?",
    )
    by_falsehood = kind in {"lucky", "wrong"}
    true = [claim for claim in checked if claim.when_said == "true"]
    said: Reason = Reason(
        _KINDS[kind], result=result, false=len(false), true=len(true), checked=len(checked), which=_which(false if by_falsehood else true)
    )
    if false and not by_falsehood:
        said = Reason("lesson_but_false", lesson=said, which=_which(false))
    if broken:
        return Reason("lesson_and_broken", lesson=said, conditions=Reason.listed(broken[:_NAMED]))
    if kind == "refuted" and review.checks:
        return Reason("lesson_and_nothing_broken", lesson=said)
    return said


def _which(claims: Sequence[Claim]) -> str:
    by_key = {claim.key: claim for claim in claims}
    return Reason.listed([_stated(claim) for claim in list(by_key.values())[:_NAMED]])


def _stated(claim: Claim) -> str:
    if claim.when_said == "true":
        return claim.key
    actual = claim.said_actual if claim.said_verdict is not None else claim.actual
    said = f"{claim.claimed:.12g}" if isinstance(claim.claimed, float) else one_line(shortened(claim.text, 40))
    units: tuple[Unit, ...] = get_args(Unit)
    unit = next((each for each in units if each == claim.unit), units[-2])
    was = number_text(actual, unit) if isinstance(actual, float) else str(actual)
    return Reason("lesson_claim", key=claim.key, said=said, was=was)


def _keys(claims: Sequence[Claim], verdict: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(claim.key for claim in claims if claim.when_said == verdict))
