"""Nothing counts twice: claims that say one thing become one.

Three averages in a row (`EMA20 > EMA50 > EMA200`) are one claim about their order; the same indicator found twice over the same words
is found once.
"""

from collections.abc import Iterable

from engine.domain.claims import Claim
from engine.grounding.grammar.raw_claim import RawClaim, Subject
from engine.grounding.tables.table import IndicatorTable, NamedIndicator

_BRACKETS = frozenset("([（【 \t")
_ALIGNMENT = "ema_alignment"


def merge(claims: Iterable[RawClaim], table: IndicatorTable) -> list[RawClaim]:
    """Return the claims without repetitions."""
    distinct = _distinct(claims)
    return _chains(distinct, table.named(_ALIGNMENT)) if _ALIGNMENT in table else distinct


def _distinct(claims: Iterable[RawClaim]) -> list[RawClaim]:
    """Return the claims without those whose value overlaps an earlier one of the same indicator."""
    out: list[RawClaim] = []
    seen: dict[tuple[str, str | None], int] = {}
    for claim in sorted(claims, key=lambda one: (one.value_start, one.start)):
        key = (claim.subject.named.key, claim.subject.frame)
        if seen.get(key, -1) > claim.value_start:
            continue
        seen[key] = claim.value_end
        out.append(claim)
    return out


def _chains(claims: Iterable[RawClaim], alignment: NamedIndicator) -> list[RawClaim]:
    """Join EMA20 against EMA50 and EMA50 against EMA200, the same way and side by side: the order of the averages."""
    out: list[RawClaim] = []
    for claim in claims:
        last = out[-1] if out else None
        if last is not None and _links(last, claim):
            state = "bullish_align" if last.state.startswith("above") else "bearish_align"
            subject = Subject(alignment, last.subject.at, last.subject.frame)
            out[-1] = RawClaim(subject, last.at, last.start, claim.end, last.start, claim.end, state=state, speaker=last.speaker)
            continue
        out.append(claim)
    return out


def _links(first: RawClaim, second: RawClaim) -> bool:
    if first.other is None or second.other is None or first.subject.named.key != "ema_20" or second.other.named.key != "ema_200":
        return False
    same_way = first.state.split("_")[0] == second.state.split("_")[0]
    return same_way and first.other.named.key == second.subject.named.key == "ema_50" and second.start <= first.end


def fold(claims: list[Claim], text: str) -> list[Claim]:
    """Join a reading in brackets with its own number, `RSI=28 (oversold)`, where both have the same verdict."""
    out: list[Claim] = []
    for claim in claims:
        last = out[-1] if out else None
        if last is not None and _restates(last, claim, text):
            end = claim.end + (text[claim.end : claim.end + 1] in {")", "）", "】", "]"})
            out[-1] = last.model_copy(update={"end": end, "value_end": end, "text": text[last.start : end]})
            continue
        out.append(claim)
    return out


def _restates(number: Claim, state: Claim, text: str) -> bool:
    if (
        number.key != state.key
        or (number.verdict, number.said_verdict) != (state.verdict, state.said_verdict)
        or number.kind != "quantitative"
        or state.kind != "qualitative"
    ):
        return False
    between = text[number.value_end : state.value_start]
    return number.verdict != "unverifiable" and 0 < len(between) <= 4 and set(between) <= _BRACKETS and not between.isspace()
