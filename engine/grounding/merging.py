"""Nothing counts twice: statements that say one thing become one.

Three averages in a row (`EMA20 > EMA50 > EMA200`) are one statement about their order; the same indicator found twice over the same words
is found once.
"""

from engine.domain.claims import Claim
from engine.grounding.indicators import BY_BASE
from engine.grounding.named import Named
from engine.grounding.statement import Statement, Subject

_BRACKETS = frozenset("([（【 \t")


def merge(statements: list[Statement]) -> list[Statement]:
    """The statements without repetitions."""
    return _chains(_distinct(statements))


def _distinct(statements: list[Statement]) -> list[Statement]:
    """Of overlapping values of one indicator the first counts."""
    out: list[Statement] = []
    seen: dict[tuple[str, str | None], int] = {}
    for statement in sorted(statements, key=lambda item: (item.value_start, item.start)):
        key = (statement.subject.named.key, statement.subject.frame)
        if seen.get(key, -1) > statement.value_start:
            continue
        seen[key] = statement.value_end
        out.append(statement)
    return out


def _chains(statements: list[Statement]) -> list[Statement]:
    """EMA20 against EMA50 and EMA50 against EMA200 the same way, side by side: the order of the averages."""
    out: list[Statement] = []
    for statement in statements:
        last = out[-1] if out else None
        if last is not None and _links(last, statement):
            state = "bullish_align" if last.state.startswith("above") else "bearish_align"
            subject = Subject(Named(BY_BASE["ema_alignment"]), last.subject.at, last.subject.frame)
            out[-1] = Statement(subject, last.start, statement.end, last.start, statement.end, state=state, speaker=last.speaker)
            continue
        out.append(statement)
    return out


def _links(first: Statement, second: Statement) -> bool:
    if first.other is None or second.other is None or first.subject.named.key != "ema_20" or second.other.named.key != "ema_200":
        return False
    same_way = first.state.split("_")[0] == second.state.split("_")[0]
    return same_way and first.other.named.key == second.subject.named.key == "ema_50" and second.start <= first.end


def fold(claims: list[Claim], text: str) -> list[Claim]:
    """A reading in brackets after its own number, `RSI=28 (oversold)`, is part of that claim where both have the same verdict."""
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
