"""Claims about a company, its shares and the account: found, judged, put right, and handed on to the next speaker."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet
from engine.grounding.correct import correct_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.report.summary import corrected_context
from engine.grounding.result import ground, uses_of
from engine.grounding.tables.markets import CRYPTO, EQUITY, table_of
from tests.engine.grounding.phrases_company import CLAIMS, COMPANY_FACTS, NOT_CLAIMS, UNVERIFIABLE
from tests.engine.grounding.sheets import verdicts

SHEET = plain_sheet(COMPANY_FACTS, EQUITY)
TOLERANCES = {
    "pe_ratio": (0.03, 0), "gross_margin_pct": (0.03, 0.5), "revenue_growth_pct": (0.03, 0.5), "fcf_yield_pct": (0.03, 0.2),
    "dividend_yield_pct": (0.03, 0.2), "payout_ratio_pct": (0.03, 0.2), "eps": (0.01, 0), "current_ratio": (0.03, 0),
    "market_cap": (0.02, 0), "previous_close": (0.005, 0), "change_1d_pct": (0.05, 0.2), "account_cash": (0.01, 0),
    "largest_allowed_order": (0.01, 0), "shares_held": (0, 0), "average_price": (0.005, 0), "position_weight_pct": (0.03, 0.5),
    "max_drawdown_pct": (0.05, 0.2),
}  # fmt: skip


def read(text: str, sheet: FactSheet = SHEET) -> str:
    return verdicts(read_claims(text, sheet, "bull", table=EQUITY))


@pytest.mark.parametrize(("text", "expected"), CLAIMS)
def test_a_claim_about_a_company_is_found_and_judged(text: str, expected: str) -> None:
    assert sorted(item for item in read(text).split() if not item.endswith(":U")) == sorted(expected.split())


@pytest.mark.parametrize(("text", "key"), UNVERIFIABLE)
def test_a_period_without_facts_is_never_compared_with_another(text: str, key: str) -> None:
    (claim,) = read_claims(text, SHEET, "bull", table=EQUITY)
    assert claim.key.endswith(key)
    assert (claim.verdict, claim.actual) == ("unverifiable", None)


@pytest.mark.parametrize("text", NOT_CLAIMS)
def test_what_is_no_figure_of_this_company_now_is_never_called_false(text: str) -> None:
    assert ":F" not in read(text)


def test_every_key_of_the_convention_is_known_with_its_tolerance() -> None:
    for key in COMPANY_FACTS:
        assert key in {"symbol", "timeframe"} or EQUITY.find(key)[0] is not None, key
    for key, (relative, absolute) in TOLERANCES.items():
        assert (EQUITY[key].relative, EQUITY[key].absolute) == (relative, absolute), key


@given(key=st.sampled_from(sorted({"pe_ratio", "ps_ratio", "current_ratio", "interest_coverage"})), part=st.floats(0, 3))
@settings(max_examples=60, deadline=None)
def test_an_equation_is_true_within_the_tolerance_and_false_beyond(key: str, part: float) -> None:
    actual = float(COMPANY_FACTS[key])  # type: ignore[arg-type]
    said = actual * (1 + 0.03 * part)
    if abs(part - 1) < 0.05:
        return
    assert read(f"{EQUITY[key].label[0]} is {said:.4f}") == f"{key}:{'T' if part < 1 else 'F'}"


def test_a_loss_is_negative_by_itself_and_no_position_is_checked_against_none() -> None:
    sheet = plain_sheet(
        {"symbol": "RVLT", "timeframe": "1d", "net_income": -5.43e9, "eps": -5.73, "free_cash_flow": -5.13e9, "shares_held": 0}, EQUITY
    )
    assert read("A net loss of $5.43bn, a loss per share of 5.73, cash burn of $2bn.", sheet) == "net_income:T eps:T free_cash_flow:F"
    assert read("The company is unprofitable. We have no position.", sheet) == "net_income:T shares_held:T"
    assert read("公司盈利，我们持有300股。", sheet) == "net_income:F shares_held:F"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_corrected_text_states_nothing_false(language: str) -> None:
    for text, _ in CLAIMS:
        corrected = correct_text(text, read_claims(text, SHEET, "bull", table=EQUITY), SHEET, language, EQUITY)  # type: ignore[arg-type]
        assert ":F" not in read(corrected), corrected


def test_a_correction_is_written_as_people_write_it_and_reaches_the_next_speaker() -> None:
    text = "P/E is 36, market cap $2.4 trillion, we own 200 shares. 市值2.4万亿。"
    claims = read_claims(text, SHEET, "bull", table=EQUITY)
    assert correct_text(text, claims, SHEET, "en", EQUITY).startswith(
        "P/E is ~~36~~ 29.4x [corrected], market cap ~~$2.4 trillion~~ $2.93 trillion [corrected], we own ~~200~~ 120 [corrected] shares."
    )
    assert "~~2.4万亿~~ 2.93万亿 [已更正]" in correct_text(text, claims, SHEET, "zh", EQUITY)
    result = ground({"bull": text}, SHEET, {"bull"}, table=EQUITY)
    assert "P/E: 29.4x" in corrected_context(result, SHEET, "en", {"bull": "bull"}, EQUITY)
    later = read_claims("At 29.4 times earnings and a market cap of $2.4tn I hold.", SHEET, "trader", table=EQUITY)
    assert {use.key: use.use for use in uses_of(claims, later)} == {"pe_ratio": "corrected", "market_cap": "false", "shares_held": "unused"}


def test_a_path_chooses_the_table() -> None:
    assert [table_of(path) for path in ("entry", "position", None, "", "equity")] == [CRYPTO, CRYPTO, CRYPTO, CRYPTO, EQUITY]
    with pytest.raises(BadInput, match="must be one of entry, position, equity"):
        table_of("bonds")
