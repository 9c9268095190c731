"""The specification's texts about a grounding result: what the executor reads before it decides.

Chinese as the specification prints it, English with the same numbers in the same places. Values come from the sheet, never from a text.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import TypedDict

from engine.domain.claims import Claim, GroundingResult
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.grounding.report.wording import FactWording
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.tables.thresholds import ACCEPTABLE_SCORE, GATE_SCORE

_MOST_VERIFIED = 12

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "zh": {
        "title": "=== Grounding 验证结果 ===",
        "score": "幻觉检测分数: {score} ({grade})",
        "not_checked": "无",
        "unknown": "没有可核验的数字",
        "good": "可接受",
        "high": "偏高",
        "bad": "不可接受",
        "false": "❌ 错误声明已纠正:",
        "one_false": '  - {who}声称 "{claim}" → 实际值: {truth}',
        "moved": "🕒 说时为真、其后已变动的声明:",
        "one_moved": '  - {who}曾说 "{claim}" → 现在: {truth}',
        "true": "✅ 验证通过的声明:",
        "one_true": "  - {claim}: 正确",
        "data": "📊 纠正后的指标数据:",
        "none": "  - 无",
        "end": "⚠️ 请基于以上纠正后的数据做出决策",
        "summary": "验证: {verified}/{total} 通过 | 幻觉分: {score} | 纠正: {false}项 | 置信度惩罚: -{penalty}%",
        "more": "  - 另有{count}项: 正确",
        "since": " | 其后变动: {count}项",
    },
    "en": {
        "title": "=== Grounding result ===",
        "score": "Hallucination score: {score} ({grade})",
        "not_checked": "none",
        "unknown": "nothing could be checked",
        "good": "acceptable",
        "high": "high",
        "bad": "unacceptable",
        "false": "❌ False claims, corrected:",
        "one_false": '  - {who} claimed "{claim}" → actual value: {truth}',
        "moved": "🕒 True when said, moved since:",
        "one_moved": '  - {who} said "{claim}" → now: {truth}',
        "true": "✅ Verified claims:",
        "one_true": "  - {claim}: correct",
        "data": "📊 Corrected indicator data:",
        "none": "  - none",
        "end": "⚠️ Decide on the corrected data above",
        "summary": "Verified: {verified}/{total} passed | Hallucination score: {score} | Corrected: {false} "
        "| Confidence penalty: -{penalty}%",
        "more": "  - {count} more: correct",
        "since": " | Moved since they were said: {count}",
    },
}


class FalseClaimDetail(TypedDict):
    """One entry of the state's `false_claim_details`."""

    claim: str
    actual: float | str | None
    source: str
    type: str
    claimed_value: float | str | list[float]
    key: str
    start: int
    end: int


def grounding_summary(result: GroundingResult, language: Language, debate: Collection[str]) -> str:
    """Return one line: passed, score, corrections, penalty, and how much of it has moved since it was said. debate: the sources that
    count."""
    moved = sum(claim.has_moved and claim.source in debate for claim in result.claims)
    since = _WORDS[language]["since"].format(count=moved) if moved else ""
    line = _WORDS[language]["summary"].format(
        verified=result.verified_claims,
        total=result.total_claims,
        score=_score(result, language),
        false=result.false_claims,
        penalty=_plain(result.penalty_pct),
    )
    return line + since


def corrected_context(
    result: GroundingResult, sheet: FactSheet, language: Language, debate: Mapping[str, str], table: IndicatorTable
) -> str:
    """Return the whole record: score, corrected claims, verified claims, the data as it is. debate: the sources that count -> who speaks
    there; any other source is a role of that name."""
    words, wording = _WORDS[language], FactWording(sheet, language, table)
    false = [claim for claim in result.claims if claim.verdict == "false"]
    true = list(dict.fromkeys(_line(claim.text) for claim in result.claims if claim.verdict == "true" and claim.source in debate))
    lines = [
        words["title"],
        words["score"].format(score=_score(result, language), grade=words[_grade(result.hallucination_score)]),
    ]
    lines += ["", words["false"], *(_lines(false, words["one_false"], wording, debate) or [words["none"]])]
    if moved := [claim for claim in result.claims if claim.has_moved]:
        lines += ["", words["moved"], *_lines(moved, words["one_moved"], wording, debate)]
    lines += ["", words["true"], *([words["one_true"].format(claim=text) for text in true[:_MOST_VERIFIED]] or [words["none"]])]
    if len(true) > _MOST_VERIFIED:
        lines.append(words["more"].format(count=len(true) - _MOST_VERIFIED))
    data = [wording.line(key) for key in data_keys(result, sheet, table)]
    lines += ["", words["data"], *(f"  {line}" for line in data if line is not None), "", words["end"]]
    return "\n".join(lines)


def _lines(claims: Iterable[Claim], form: str, wording: FactWording, debate: Mapping[str, str]) -> list[str]:
    """Return a line for each claim. Debaters first: theirs are the claims the score is about."""
    ordered = sorted(claims, key=lambda claim: claim.source not in debate)
    return [
        form.format(who=_name(debate.get(claim.source, claim.source)), claim=_line(claim.text), truth=wording.truth(claim))
        for claim in ordered
    ]


def data_keys(result: GroundingResult, sheet: FactSheet, table: IndicatorTable) -> list[str]:
    """Return the keys of the data section: the table's record and every fact a claim touched, first those of false claims, then what
    moved."""
    core = [*table.record, *(table.record_position if sheet.word("side") is not None else ())]
    false = [claim.key for claim in result.claims if claim.verdict == "false"]
    moved = [claim.key for claim in result.claims if claim.verdict == "moved"]
    touched = [claim.key for claim in result.claims if claim.verdict == "true"]
    return [key for key in dict.fromkeys([*core, *false, *moved, *touched]) if key == "ema_alignment" or sheet.text(key) is not None]


def corrected_values(result: GroundingResult, sheet: FactSheet) -> dict[str, float]:
    """Return the true values of everything that was stated falsely: key -> number."""
    values: dict[str, float] = {}
    for claim in result.claims:
        number = sheet.number(claim.key)
        if claim.verdict == "false" and number is not None:
            values[claim.key] = number
    return values


def false_claim_details(result: GroundingResult, debate: Collection[str] | None = None) -> list[FalseClaimDetail]:
    """Return the claims that were false when they were said, as the state carries them. debate: the sources that count, as `false_claims`
    counts them; None = all. One that the market has come to since has the value of then."""
    return [
        FalseClaimDetail(
            claim=claim.text,
            actual=claim.actual if claim.verdict == "false" else claim.said_actual,
            source=claim.source,
            type=claim.kind,
            claimed_value=list(claim.claimed) if isinstance(claim.claimed, tuple) else claim.claimed,
            key=claim.key,
            start=claim.start,
            end=claim.end,
        )
        for claim in result.claims
        if claim.when_said == "false" and (debate is None or claim.source in debate)
    ]


def _name(role: str) -> str:
    return role.replace("_", " ").capitalize()


def _score(result: GroundingResult, language: Language) -> str:
    score = result.hallucination_score
    return _WORDS[language]["not_checked"] if score is None else f"{_plain(score)}%"


def _grade(score: float | None) -> str:
    return "unknown" if score is None else "good" if score <= ACCEPTABLE_SCORE else "high" if score <= GATE_SCORE else "bad"


def _plain(value: float) -> str:
    return f"{round(value, 1):g}"


def _line(text: str) -> str:
    return " ".join(text.split())
