"""What was not understood whole is not convicted, and says which words were not; said plainly, the same lie is."""

import time

import pytest

from engine.domain.claims import Claim
from engine.grounding.checks import doubts
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.crypto import CRYPTO
from engine.grounding.tables.equity import EQUITY
from engine.grounding.tables.table import IndicatorTable
from tests.engine.grounding.sheets import ENTRY, POSITION

SHARES = plain_sheet(
    {
        "symbol": "VLTA", "timeframe": "1d", "close": 6.84, "ps_ratio": 1.9, "pe_ratio": 12.8, "shares_held": 400.0,
        "position_weight_pct": 6.47, "average_price": 8.15, "net_income": 8.6e10, "gross_margin_pct": 11.8, "revenue_growth_pct": 9.3,
        "debt_to_equity": 3.58, "dividend_yield_pct": 3.9, "fcf_yield_pct": 6.45,
    },
    EQUITY,
)  # fmt: skip

HELD_BACK = [
    ("Price is 96,100 dollars or 1.7 ATR below the EMA20.", doubts.UNIT),
    ("Funding is 0.24% a year.", doubts.UNIT),
    ("EMA20到EMA200的跨度是98,900点", doubts.UNIT),
    ("EMA20 is 300.", doubts.TOO_FAR),
    ("RSI is 48.6; it touched a spike of 61 and came back.", doubts.TWICE),
    ('Bull says "RSI at 71". It is 48.6.', doubts.ANSWERED),
    ("多方说RSI是71，实测为48.6。", doubts.ANSWERED),
    ("For the peers the RSI is 66.", doubts.OWNER),
    ("On 3 November RSI reached 78.4.", doubts.TIME),
    ("The 1h agrees with us. RSI reads 56.3.", doubts.TIME),
    ("收盘跌破95000", doubts.CONDITION),
    ("CCI大于100为超买", doubts.CONDITION),
    ("K值失守20则转为观望", doubts.CONDITION),
    ("RSI: 48.6, firm, still short of the 70 overbought line.", doubts.SUBJECT),
    ("大周期RSI 70", doubts.SUBJECT),
    ("哪有什么RSI 78", doubts.SUBJECT),
]
OF_A_COMPANY = [
    ("Merrow at 12.3 times sales at least grows.", doubts.OWNER),
    ("Solara, the nearest peer, sells at 0.7 times sales.", doubts.OWNER),
    ("格力虽然只有8倍市盈率。", doubts.OWNER),
    ("The maximum is $9,600, 109 shares at 87.3, or 15% of the account.", doubts.OWNER),
    ("12.8倍市盈率买到11%的收入增长和19.4%的ROE。", doubts.SUBJECT),
    ("扣非净利润700亿", doubts.SUBJECT),
    ("按市盈率40倍计算，股价偏贵。", doubts.CONDITION),
]
CONVICTED = [
    ("RSI is 71.", "rsi_14"),
    ("RSI为71。", "rsi_14"),
    ("RSI is 48.6. RSI is 71.", "rsi_14"),
    ("RSI 15m is 56.3.", "rsi_14"),
    ("ADX 1h is 31.5.", "1h.adx_14"),
    ("1小时ADX为31.5。", "1h.adx_14"),
    ("Bull says RSI is 71.", "rsi_14"),
    ("Price is below 95,000.", "close"),
    ("CCI大于100。", "cci_20"),
    ("EMA20在下方托底。", "ema_20"),
    ("成交量放大一倍。", "volume_ratio_20"),
]


def false_of(claims: tuple[Claim, ...]) -> list[str]:
    return [claim.key for claim in claims if claim.verdict == "false"]


def assert_held_back(text: str, reason: str, claims: tuple[Claim, ...]) -> None:
    assert false_of(claims) == [], text
    reasons = [claim.reason or "" for claim in claims if claim.verdict == "unverifiable"]
    assert any(each.startswith(reason.partition("{")[0]) for each in reasons), (text, reasons)


@pytest.mark.parametrize(("text", "reason"), HELD_BACK)
def test_what_was_not_understood_cannot_be_checked_and_says_why(text: str, reason: str) -> None:
    assert_held_back(text, reason, read_claims(text, ENTRY, "bull", table=CRYPTO))


@pytest.mark.parametrize(("text", "reason"), OF_A_COMPANY)
def test_figures_of_others_and_orders_are_not_the_companys(text: str, reason: str) -> None:
    assert_held_back(text, reason, read_claims(text, SHARES, "risky", table=EQUITY))


@pytest.mark.parametrize(("text", "key"), CONVICTED)
def test_a_plain_lie_is_convicted(text: str, key: str) -> None:
    assert key in false_of(read_claims(text, ENTRY, "bull", table=CRYPTO))


def test_words_that_were_right_when_they_were_said_were_understood() -> None:
    """A reading that an earlier market confirms is no misreading: it has moved, whatever stands around it."""
    (claim,) = read_claims("On 3 November RSI reached 48.6.", POSITION, "bull", earlier_sheet=ENTRY, table=CRYPTO)
    assert claim.verdict == "true"


@pytest.mark.parametrize("table", [CRYPTO, EQUITY], ids=["crypto", "equity"])
def test_a_sentence_without_an_end_is_looked_at_in_linear_time(table: IndicatorTable) -> None:
    def seconds(count: int) -> float:
        text = "RSI is 71 as Merrow says for the peer group in January " * count
        start = time.perf_counter()
        read_claims(text, ENTRY, "bull", table=table)
        return time.perf_counter() - start

    seconds(20)
    assert seconds(1600) < 16 * seconds(400) + 0.5
