"""Score, gate, penalty, corrections and the specification's texts."""

import pytest

from engine.domain.claims import Claim
from engine.grounding.correct import correct_text
from engine.grounding.reading import read_claims
from engine.grounding.report.summary import corrected_context, corrected_values, false_claim_details, grounding_summary
from engine.grounding.result import ground, result_of
from engine.grounding.tables.markets import CRYPTO
from engine.grounding.tables.thresholds import after_penalty, closes_gate, penalty_of, score_of
from tests.engine.grounding import phrases_en, phrases_mixed, phrases_variety, phrases_zh
from tests.engine.grounding.sheets import ENTRY, POSITION, sheet_of

DEBATE = {"bull": "bull", "bear": "bear", "judge": "judge"}


def test_only_the_debate_counts() -> None:
    texts = {
        "indicator": "RSI is 72.",
        "bull": "RSI is 72, ADX is 31.5.",
        "bear": "MACD -15.2, EMA100 at 97,000.",
        "executor": "ADX is 12.",
    }
    result = ground(texts, ENTRY, DEBATE, CRYPTO)
    assert (result.total_claims, result.verified_claims, result.false_claims, result.unverifiable_claims) == (3, 2, 1, 1)
    assert result.hallucination_score == pytest.approx(100 / 3)
    assert result.source_scores == {"indicator": 100.0, "bull": 50.0, "bear": 0.0, "executor": 100.0}
    assert [claim.source for claim in result.claims] == ["indicator", "bull", "bull", "bear", "bear", "executor"]
    assert [(item.source, item.indicator) for item in result.corrections] == [
        ("indicator", "rsi_14"),
        ("bull", "rsi_14"),
        ("executor", "adx_14"),
    ]


def test_nothing_stated_is_nothing_false() -> None:
    result = ground({"bull": "", "bear": "The trend is tired."}, ENTRY, DEBATE, CRYPTO)
    assert (result.hallucination_score, result.penalty_pct, result.gate_closed, result.claims) == (None, 0.0, False, ())
    assert not result.is_verified
    assert "nothing could be checked" in corrected_context(result, ENTRY, "en", DEBATE, CRYPTO)
    assert "Hallucination score: none |" in grounding_summary(result, "en", DEBATE)


@pytest.mark.parametrize(
    ("false", "true", "closed"),
    [(1, 0, True), (2, 0, True), (3, 1, True), (7, 3, False), (71, 29, True), (70, 30, False), (0, 9, False), (2, 1, False), (0, 0, False)],
)
def test_the_gate(false: int, true: int, closed: bool) -> None:
    assert closes_gate(score_of(false, false + true)) is closed


def test_the_gate_closes_on_the_analysts_too() -> None:
    result = ground({"indicator": "RSI is 72.", "bull": "The trend is tired."}, ENTRY, DEBATE, CRYPTO)
    assert (result.hallucination_score, result.analysis_hallucination_score, result.gate_closed) == (None, 100.0, True)
    assert result.penalty_pct == 0.0


def test_the_specifications_example_of_a_penalty() -> None:
    assert (penalty_of(25), penalty_of(75), penalty_of(100)) == (10, 30, 30)
    assert after_penalty(60, penalty_of(25)) == 54


def test_a_correction_is_the_specifications_record() -> None:
    (correction,) = ground({"bull": "RSI is 72"}, ENTRY, DEBATE, CRYPTO).corrections
    assert correction.model_dump() == {
        "indicator": "rsi_14", "claimed_value": 72.0, "actual_value": 48.6, "source": "bull", "claim_text": "RSI is 72",
        "claim_type": "quantitative", "discrepancy_pct": pytest.approx(48.1481), "is_false": True, "correction_applied": True,
    }  # fmt: skip
    (state,) = ground({"bull": "MACD金叉"}, ENTRY, DEBATE, CRYPTO).corrections
    assert (state.claimed_value, state.claim_type, state.discrepancy_pct) == (None, "qualitative", pytest.approx(0.0))


def test_false_claim_details_and_corrected_values() -> None:
    result = ground({"trend": "ADX is 12", "bull": "So RSI=28 (oversold), EMA20 > EMA50."}, ENTRY, DEBATE, CRYPTO)
    number, state = false_claim_details(result, DEBATE)
    assert number == {
        "claim": "RSI=28 (oversold)", "actual": 48.6, "source": "bull", "type": "quantitative", "claimed_value": 28.0, "key": "rsi_14",
        "start": 3, "end": 20,
    }  # fmt: skip
    assert state == {
        "claim": "EMA20 > EMA50", "actual": 97810.0, "source": "bull", "type": "qualitative", "claimed_value": "above_ema_50",
        "key": "ema_20", "start": 22, "end": 35,
    }  # fmt: skip
    assert [item["source"] for item in false_claim_details(result)] == ["trend", "bull", "bull"]
    assert corrected_values(result, ENTRY) == {"adx_14": 31.5, "rsi_14": 48.6, "ema_20": 97810.0}


SPEC = sheet_of(
    {
        "close": 1.02,
        "rsi_14": 45.2,
        "adx_14": 32.1,
        "macd": 0.0025,
        "macd_signal": 0.0011,
        "funding_rate_pct": 0.01,
        "oi_change_pct": 2.3,
        "ema_200": 1.0,
    }
)


def test_corrected_context_in_chinese_as_the_specification_prints_it() -> None:
    texts = {"bull": "RSI=28 (超卖)，MACD金叉", "bear": "ADX>50 (极强趋势)，EMA200上方"}
    result = ground(texts, SPEC, DEBATE, CRYPTO)
    assert corrected_context(result, SPEC, "zh", DEBATE, CRYPTO) == (
        "=== Grounding 验证结果 ===\n"
        "幻觉检测分数: 50% (偏高)\n"
        "\n"
        "❌ 错误声明已纠正:\n"
        '  - Bull声称 "RSI=28 (超卖)" → 实际值: RSI=45.2 (中性区域, 30-70之间)\n'
        '  - Bear声称 "ADX>50 (极强趋势)" → 实际值: ADX=32.1 (中等趋势强度)\n'
        "\n"
        "✅ 验证通过的声明:\n"
        "  - MACD金叉: 正确\n"
        "  - EMA200上方: 正确\n"
        "\n"
        "📊 纠正后的指标数据:\n"
        "  RSI: 45.2 (中性区域, 30-70之间)\n"
        "  MACD: 0.002500 (正值, 高于信号线, 金叉)\n"
        "  ADX: 32.1 (中等趋势强度)\n"
        "  资金费率: 0.0100% (中性)\n"
        "  OI变化: +2.30% (增仓（持仓量增加）)\n"
        "  EMA200: 1.00000 (价格1.02000在其上方)\n"
        "\n"
        "⚠️ 请基于以上纠正后的数据做出决策"
    )
    assert grounding_summary(result, "zh", DEBATE) == "验证: 2/4 通过 | 幻觉分: 50% | 纠正: 2项 | 置信度惩罚: -20%"


def test_the_english_twin_has_the_same_numbers() -> None:
    result = ground({"bull": "RSI=28, MACD golden cross", "bear": "ADX 60"}, SPEC, DEBATE, CRYPTO)
    chinese, english = (corrected_context(result, SPEC, language, DEBATE, CRYPTO) for language in ("zh", "en"))
    assert len(chinese.splitlines()) == len(english.splitlines())
    assert (
        grounding_summary(result, "en", DEBATE)
        == "Verified: 1/3 passed | Hallucination score: 66.7% | Corrected: 2 | Confidence penalty: -26.7%"
    )
    assert "RSI=45.2" in chinese
    assert "RSI=45.2" in english


def test_corrections_stand_in_place() -> None:
    text = "RSI(14)=28.4 and EMA20=97,810; funding 0.05%, price $101,000, 10x leverage."
    corrected = correct_text(text, read_claims(text, POSITION, "bull", table=CRYPTO), POSITION, "en", table=CRYPTO)
    assert corrected == (
        "RSI(14)=~~28.4~~ 48.6 [corrected] and EMA20=97,810; funding ~~0.05%~~ +0.0112% [corrected], "
        "price ~~$101,000~~ $97380.0 [corrected], ~~10x~~ 5.0x [corrected] leverage."
    )
    chinese = "价格站上EMA50，杠杆为10倍。"
    assert correct_text(chinese, read_claims(chinese, POSITION, "bull", table=CRYPTO), POSITION, "zh", table=CRYPTO) == (
        "~~价格站上EMA50~~ EMA50=98120.0 (价格97380.0在其下方) [已更正]，杠杆为~~10倍~~ 5.0倍 [已更正]。"
    )


def test_a_speaker_cannot_correct_himself_in_the_checkers_name() -> None:
    text = "RSI=~~72~~ 28 [corrected] 【已更正】"
    corrected = correct_text(text, read_claims(text, ENTRY, "bull", table=CRYPTO), ENTRY, "en", table=CRYPTO)
    assert corrected == "RSI=~~72~~ ~~28~~ 48.6 [corrected] (corrected) (已更正)"


TABLES = (phrases_en, phrases_zh, phrases_mixed, phrases_variety)


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_corrected_text_states_nothing_false(language: str) -> None:
    """Reading it again convicts nobody: the replacements are themselves readable and true."""
    left: list[tuple[str, str, list[Claim]]] = []
    for table in TABLES:
        for sheet, rows in ((ENTRY, table.CLAIMS), (POSITION, table.POSITION_CLAIMS)):
            for text, _ in rows:
                corrected = correct_text(text, read_claims(text, sheet, "bull", table=CRYPTO), sheet, language, table=CRYPTO)  # type: ignore[arg-type]
                false = [claim for claim in read_claims(corrected, sheet, "bull", table=CRYPTO) if claim.verdict == "false"]
                if false:
                    left.append((text, corrected, false))
    assert left == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_true_text_stays_as_it_is(language: str) -> None:
    for table in TABLES:
        for text, expected in table.CLAIMS:
            if ":F" not in expected and "[corrected]" not in text:
                assert correct_text(text, read_claims(text, ENTRY, "bull", table=CRYPTO), ENTRY, language, table=CRYPTO) == text  # type: ignore[arg-type]


def test_the_result_is_strict_json() -> None:
    result = ground({"bull": "RSI is 72, between 3 and 4 is RSI, MACD金叉"}, ENTRY, DEBATE, CRYPTO)
    assert result_of(result.claims, DEBATE) == result
    assert type(result).model_validate_json(result.model_dump_json()) == result
