"""Which earlier decisions a market is like, and how roles are told of them. Pure but for the journal and the reranker.

They are other people's words of another day: in an envelope, numbered like evidence, and cited by those numbers, so that no figure in them
is read as a claim about the market now.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from engine.domain.errors import SearchError, StoreError
from engine.domain.research.document import Document
from engine.domain.research.evidence import EvidenceItem
from engine.domain.run import RunRequest
from engine.domain.similar import PastCase, SimilarDecision
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason, said_in
from engine.domain.text.visible import shortened
from engine.facts.likeness import distance
from engine.flows.protocol import RunDeps
from engine.prompts.render import Text, quoted
from engine.prompts.tokens import count_tokens
from engine.search.protocol import Reranker

Measures = tuple[Mapping[str, float], Mapping[str, float]]
"""Of a market: what it is compared by (`features_of`), and what is much of each (`deviations_of`)."""
MOST: Final = 3
MOST_TOKENS: Final = 400
MOST_DISTANCE: Final = 1.25
_PAST_CASES: Final = 2_000
_SHORT_LIST: Final = 12
_RERANK_S: Final = 5.0
_TEXT_SHARE: Final = 0.25  # of the order, where research is attached that lessons can be compared with
_HEAD: Text = {
    "en": (
        "=== Earlier decisions in markets like this one (other days; their figures are not of now) ===\n"
        "A few cases prove nothing. Cite one as [n] in the sentence that uses it."
    ),
    "zh": "=== 行情相似的历史决策（均为过去，其中数字不是现值） ===\n少数案例不能证明什么。引用某条时在该句中以 [n] 标注。",
}
_SPEAKER: Final = "earlier decisions"
_SIDES: Final = {"long": "similar_long", "short": "similar_short"}
_ENDED: Final = {"stop": "similar_stop", "target": "similar_target", "liquidated": "similar_liquidated"}


async def find_similar(
    request: RunRequest, at: datetime, evidence: Sequence[EvidenceItem], measure: Callable[[], Measures], deps: RunDeps
) -> tuple[SimilarDecision, ...]:
    """Return earlier entries of a desk in markets like the one of a request that were over by its clock, on prices of the same kind
    (simulated, recorded, live). None without a journal, and where it cannot be read: a decision can be made without. at: the clock.
    measure: measures the market, blocking; only where there is something to compare it with."""
    past_cases, candles, account = deps.past_cases, request.candles, request.account_ref
    if past_cases is None or candles is None or account is None:
        return ()

    def found() -> list[tuple[float, PastCase]]:
        cases = past_cases(request.flow, account.feed, candles, at, _PAST_CASES)
        return _nearest(*measure(), cases) if cases else []

    try:
        near = await asyncio.to_thread(found)
    except StoreError:
        return ()
    words = " ".join(each.text for each in evidence)
    reranker = deps.search(None).reranker if near and words else None
    return await _ranked(near, words, reranker, request.language)


def _nearest(now: Mapping[str, float], deviations: Mapping[str, float], cases: Sequence[PastCase]) -> list[tuple[float, PastCase]]:
    """Return the cases whose markets were like this one, the nearest first; of equal ones the newest."""
    measured = ((distance(now, each.features, deviations), each) for each in cases)
    found = [(far, each) for far, each in measured if far is not None and far <= MOST_DISTANCE]
    return sorted(found, key=lambda pair: (pair[0], -pair[1].decided_at.timestamp(), pair[1].run_id))[:_SHORT_LIST]


async def _ranked(
    near: Sequence[tuple[float, PastCase]], words: str, reranker: Reranker | None, language: Language
) -> tuple[SimilarDecision, ...]:
    """Return the few that are told of. words: what is written about the present, "" where nothing is; lessons are compared with it.
    reranker: None, or one that does not answer: the facts alone count."""
    scores = await _scores(near, words, reranker, language)
    ranked = sorted(zip(near, scores, strict=True), key=lambda pair: pair[0][0] - _TEXT_SHARE * MOST_DISTANCE * (pair[1] or 0.0))
    return tuple(_similar(far, case, score, language) for (far, case), score in ranked[:MOST])


async def _scores(
    near: Sequence[tuple[float, PastCase]], words: str, reranker: Reranker | None, language: Language
) -> Sequence[float | None]:
    nothing = [None] * len(near)
    if reranker is None or not words or not near:
        return nothing
    documents = [Document(source=_SPEAKER, title=case.symbol, abstract=_lesson_text(case, language)) for _, case in near]
    try:
        async with asyncio.timeout(_RERANK_S):
            return [max(0.0, min(1.0, score)) for score in await reranker.scores(words, documents)]
    except (SearchError, TimeoutError):
        return nothing


def _lesson_text(case: PastCase, language: Language) -> str:
    lesson = case.lesson
    return f"{said_in(lesson.text, language)}" if lesson is not None else ""


def _similar(far: float, case: PastCase, score: float | None, language: Language) -> SimilarDecision:
    lesson = case.lesson
    return SimilarDecision(
        run_id=case.run_id,
        symbol=case.symbol,
        timeframe=case.timeframe,
        decided_at=case.decided_at,
        known_at=case.known_at,
        action=case.action,
        confidence=case.confidence,
        distance=far,
        nearness=score,
        exit_reason=case.exit_reason,
        pnl_pct=case.pnl_pct,
        r=case.r,
        lesson=_lesson_text(case, language) or None,
        lesson_kind=lesson.kind if lesson is not None else None,
    )


def precedent_items(similar: Sequence[SimilarDecision], first: int, language: Language) -> tuple[EvidenceItem, ...]:
    """Return them as roles can cite them, as many as `MOST_TOKENS` hold. first: the number of the first one."""
    items: list[EvidenceItem] = []
    room = MOST_TOKENS
    for n, each in enumerate(similar, first):
        text = shortened(_line(each, language), 2000)
        room -= count_tokens(text)
        if room < 0:
            break
        items.append(EvidenceItem(n=n, text=text, dated=each.decided_at.astimezone(UTC).date().isoformat(), run_id=each.run_id))
    return tuple(items)


def precedent_block(items: Sequence[EvidenceItem], language: Language) -> str:
    """Return the earlier decisions as roles read them, "" where there are none."""
    if not items:
        return ""
    lines = "\n".join(f"[{each.n}] {each.text}" for each in items)
    return f"{_HEAD[language]}\n{quoted(_SPEAKER, lines)}"


def _line(each: SimilarDecision, language: Language) -> str:
    ended = Reason(_ENDED.get(each.exit_reason or "", "similar_closed"))
    line = Reason(
        "similar_line",
        day=each.decided_at.astimezone(UTC).strftime("%Y-%m-%d"),
        symbol=each.symbol,
        side=Reason(next((key for end, key in _SIDES.items() if each.action.endswith(end)), "similar_bought")),
        ended=ended,
        result=Reason("percent_and_r", percent=_signed(each.pnl_pct), r=_signed(each.r)),
    ).said_in(language)
    return f"{line} {each.lesson}" if each.lesson else line


def _signed(value: float | None) -> str:
    return f"{value:+.2f}" if value is not None else "?"
