"""What was not understood whole is not convicted, and says which words were not; said plainly, the same lie is."""

import pytest

from engine.domain.claims import Claim
from engine.domain.text.reason import Reason
from engine.grounding.checks import doubts
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO, EQUITY
from tests.engine.grounding.sheets import ENTRY, POSITION, sheet_of, verdicts

SHARES = plain_sheet(
    {
        "symbol": "VLTA", "timeframe": "1d", "close": 6.84, "ps_ratio": 1.9, "pe_ratio": 12.8, "shares_held": 400.0,
        "position_weight_pct": 6.47, "average_price": 8.15, "net_income": 8.6e10, "gross_margin_pct": 11.8, "revenue_growth_pct": 9.3,
        "account_cash": 9600.0, "eps": 0.53, "debt_to_equity": 3.58, "dividend_yield_pct": 3.9, "fcf_yield_pct": 6.45,
    },
    EQUITY,
)  # fmt: skip

HELD_BACK = [
    ("Price is 96,100 dollars or 1.7 ATR below the EMA20.", doubts.UNIT),
    ("Funding is 0.24% a year.", doubts.UNIT),
    ("EMA20到EMA200的跨度是98,900点", doubts.UNIT),
    ("RSI is 48.6; it touched a spike of 61 and came back.", doubts.TWICE),
    ('Bull says "RSI at 71". It is 48.6.', doubts.ANSWERED),
    ("On 3 November RSI reached 78.4.", doubts.TIME),
    ("The 1h agrees with us. RSI reads 56.3.", doubts.TIME),
    ("收盘跌破95000", doubts.CONDITION),
    ("CCI大于100为超买", doubts.CONDITION),
    ("K值失守20则转为观望", doubts.CONDITION),
    ("RSI: 48.6, firm, still short of the 70 overbought line.", doubts.SUBJECT),
    ("大周期RSI 70", doubts.SUBJECT),
    ("A stop at 96,000, a little under the EMA200, costs 1.4%.", doubts.SUBJECT),
    ("跌破96000（EMA200下方）离场。", doubts.SUBJECT),
    ("A short-term bullish alignment is all there is.", doubts.SUBJECT),
    ("别拿“RSI超过70”当理由。", doubts.SUBJECT),
    ("| EMA200 | 96240 | 偏多（价格在上方） |", doubts.SUBJECT),
    ("A retreat to the EMA200 at 96,240 or lower has a chance of 25%.", doubts.SUBJECT),
    ("ADX is beyond the 25 line, by 6.5 on the 15-minute chart.", doubts.UNIT),
    ("MFI比50低了不到10。", doubts.UNIT),
    ("换算成ATR大约4.4个。", doubts.UNIT),
    ("The plus and minus DI are 9.7 points apart.", doubts.UNIT),
    ("强平价62000，距现价约34,700点。", doubts.UNIT),
    ("%D高于%K共7.6。", doubts.UNIT),
    ("With price 2,440 and 2,740 under them respectively.", doubts.TOO_FAR),
    ("That locks in 310 points and sits just above the EMA50.", doubts.SUBJECT),
    ("We got in at 99,000, 880 above the EMA50.", doubts.SUBJECT),
    ("一天前的价格大约在99,700。", doubts.SUBJECT),
    ("支撑：96,500（布林下轨）、95,000（前低）。", doubts.SUBJECT),
    ("It has to rise 9%, past the EMA20, the mid-band and both averages.", doubts.SUBJECT),
    ("等什么信号再加？一是收盘重回EMA50之上。", doubts.CONDITION),
    ("即使价格再跌到92,000，也无需恐慌。", doubts.CONDITION),
    ("缩量才值得抄底。", doubts.CONDITION),
    ("回落两个ATR，则EMA200失守。", doubts.CONDITION),
    ("触发条件A——收盘重回EMA50上方且量比>2，试多。", doubts.CONDITION),
    ("The RSI cited is from the 1h chart, where it is above 50.", doubts.TIME),
    ("One 1h ATR below the market is 96,100, and the support sits at 96,500.", doubts.OWNER),
    ("The minus DI leads the plus DI as well: 27.9 to 18.2 on this chart.", doubts.WORDS),
    ("前低在95,900。这个位置刚好在EMA200（96240）下方。", doubts.SUBJECT),
    ("放EMA50上方的98,300更稳。", doubts.SUBJECT),
    ("最低价大约在95,900，比EMA200还低一点。", doubts.SUBJECT),
    ("We are not even through support.", doubts.SUBJECT),
    ("EMA10确实在下面，EMA50确实在最上面。", doubts.SUBJECT),
    ("SMA20、SMA50、SMA200依次为97760、98200、96010，是标准的空头排列。", doubts.SUBJECT),
    ("The minus DI beats the plus DI on both, by 11 points on the 1h but by just 9.7 on the 15m.", doubts.UNIT),
    ("以名义价值约48,690 USDT计，费用可以忽略；最低点对应的价格是95,900。", doubts.SUBJECT),
    ("ATR不大，连ATR的2%都不到。", doubts.UNIT),
    ("要想翻身，先站稳EMA50，再啃下阻力。", doubts.CONDITION),
    ("什么会让我改主意？缩量跌破96,500。", doubts.CONDITION),
    ("柱子收窄不等于MACD为正。", doubts.SUBJECT),
    ("止损下移到98,300附近，即EMA50上方。", doubts.SUBJECT),
    ("Do not call the RSI oversold.", doubts.SUBJECT),
    ("The histogram is at -4.8, but the line it comes from was at 15.2, above zero.", doubts.SUBJECT),
    ("OBV is flat on 1h and rising on 15m, flat on 4h.", doubts.TIME),
    ("A 3% move would take BTC to about 94,460, a shade under the lower band and already below the EMA200.", doubts.SUBJECT),
    ("Stop on a close beneath 96,000 (about 1 ATR lower and just under the EMA200).", doubts.SUBJECT),
    ('A colleague claims that BTC is "trading above VWAP".', doubts.ANSWERED),
]
SHORT = sheet_of(
    {
        "close": 0.1834, "resistance": 0.1905, "side": "short", "entry_price": 0.1912, "profit_pct": 4.07, "mfe_pct": 4.8, "mae_pct": -0.9,
        "leverage": 4.0, "size": 50_000.0,
    },
    "DOGE/USDT:USDT",
)  # fmt: skip
OF_A_POSITION = [
    ("Our best moment was near 0.1820, our worst near 0.1929.", doubts.UNIT),
    ("只吐了30%的利润。", doubts.UNIT),
    ("Entry 0.1912, now 0.1834: a gain of 0.0078 dollars.", doubts.UNIT),
    ("shorts printing 🩸 doge .183", doubts.OWNER),
    ("The last third at 0.1950.", doubts.OWNER),
    ('{"size_to_close": 0.25}', doubts.OWNER),
    ("A fresh entry at 0.1834 would be late.", doubts.OWNER),
    ("Cover half (25,000 DOGE) at 0.182.", doubts.CONDITION),
    ("A fill at 0.1834 would be late.", doubts.OWNER),
    ("相对保证金的收益率约16.3%。", doubts.SUBJECT),
    ("止损0.1950，亏46.5点。", doubts.UNIT),
    ("价格到0.1800约2.1R。", doubts.CONDITION),
    ("最惨时价格到过0.1929，浮亏0.9%。", doubts.SUBJECT),
    ('The bull argues that the short is "already under water".', doubts.ANSWERED),
    ("Closing 25,000 DOGE here banks about half.", doubts.CONDITION),
    ("The short has earned 9.2 hourly ATRs.", doubts.UNIT),
    ("It still leaves 4.07% and gives the trade 1.8 hourly ATRs of air.", doubts.UNIT),
    ("名义价值按开仓价是0.21 USDT。", doubts.CONDITION),
    ("被打到的话，每枚还赚1.4%。", doubts.CONDITION),
]
OF_A_COMPANY = [
    ("Merrow at 12.3 times sales at least grows.", doubts.OWNER),
    ("Solara, the nearest peer, sells at 0.7 times sales.", doubts.OWNER),
    ("格力虽然只有8倍市盈率。", doubts.OWNER),
    ("The maximum is $9,600, 109 shares at 87.3, or 15% of the account.", doubts.OWNER),
    ("账户现金9,600元，占比约45.7%。", doubts.OWNER),
    ("Nearly double the P/E.", doubts.UNIT),
    ("12.8倍市盈率买到11%的收入增长和19.4%的ROE。", doubts.SUBJECT),
    ("扣非净利润700亿", doubts.SUBJECT),
    ("股价位于9周区间的上沿。", doubts.UNIT),
    ("Gross profit comes to about $8.0bn.", doubts.OWNER),
    ("Turnover was 17% lighter than usual on the decline.", doubts.OWNER),
    ("The target price is 9.20, at 18 times earnings.", doubts.CONDITION),
    ("按市盈率40倍计算，股价偏贵。", doubts.CONDITION),
    ("It would double the position and take its weight to 12.9%.", doubts.CONDITION),
    ("现金从9600元降到8400元。", doubts.CONDITION),
    ("They have no use for a P/S of 1.9, nor for a P/E below 20.", doubts.CONDITION),
    ("Leave the remaining cash of 8,700 dollars untouched.", doubts.CONDITION),
    ("剩余现金约8700元。", doubts.CONDITION),
    ("买完之后持仓600股。", doubts.CONDITION),
    ("我的意见是只加200股，权重约9.6%。", doubts.CONDITION),
    ("Taking it up to a 10% weight would need 220 more.", doubts.CONDITION),
    ("EPS按10.4%增长到约0.59。", doubts.CONDITION),
    ("日常波动约980元，只占总资产的0.25%。", doubts.OWNER),
    ("A 3.9% dividend yield is no floor. To yield 5% on the same dividend the shares would have to fall.", doubts.CONDITION),
]
CONVICTED = [
    ("ADX 1h is 31.5.", "1h.adx_14"),
    ("The 1h is calm. Price is above the EMA50.", "ema_50"),
    ("Resistance at 98,900 is 1,520 below.", "resistance"),
    ("多方略占优势，+DI高于-DI。", "plus_di"),
]
TRUE = [
    ("价格位于EMA20（97810）、EMA50（98120）和VWAP（97550）之下。", "ema_20:T ema_50:T vwap:T ema_20:T ema_50:T vwap:T"),
    ("-DI 27.9高于+DI 18.2，空方略占优势。", "minus_di:T plus_di:T plus_di:T"),
    ("OBV is falling rather than flat.", "obv_trend:T"),
    ("EMA20在头顶，EMA50也在头顶。", "ema_20:T ema_50:T"),
    ("价格不在EMA50之上。", "ema_50:T"),
    ("空方力量是多方的1.5倍左右。", ""),
    ("The 1h EMA200 is below the 15m EMA200.", "1h.ema_200:T"),
    ("阻力98,900在现价和EMA50之上。", "resistance:T"),
    ("| Level | Price | Distance |\n|---|---|---|\n| 1h EMA200 | 94,800 | -2,580 |", "1h.ema_200:T"),
    (
        "The SMA 50 is above price. The EMAs have not crossed: the 50 is at 98,120, still over the 200 at 96,240.",
        "sma_50:T ema_50:T ema_50:T ema_200:T",
    ),
    ("+DI和-DI之比，15分钟约0.65。", ""),
]


def false_of(claims: tuple[Claim, ...]) -> list[str]:
    return [claim.key for claim in claims if claim.verdict == "false"]


def assert_held_back(text: str, reason: str, claims: tuple[Claim, ...]) -> None:
    assert false_of(claims) == [], text
    reasons = [claim.reason for claim in claims if claim.verdict == "unverifiable"]
    assert reason in [each.key for each in reasons if isinstance(each, Reason)], (text, reasons)


@pytest.mark.parametrize(("text", "reason"), HELD_BACK)
def test_what_was_not_understood_cannot_be_checked_and_says_why(text: str, reason: str) -> None:
    assert_held_back(text, reason, read_claims(text, ENTRY, "bull", table=CRYPTO))


@pytest.mark.parametrize(("text", "reason"), OF_A_POSITION)
def test_prices_shares_and_plans_are_not_the_positions_figures(text: str, reason: str) -> None:
    assert_held_back(text, reason, read_claims(text, SHORT, "position_bull", table=CRYPTO))


@pytest.mark.parametrize(("text", "reason"), OF_A_COMPANY)
def test_figures_of_others_and_orders_are_not_the_companys(text: str, reason: str) -> None:
    assert_held_back(text, reason, read_claims(text, SHARES, "risky", table=EQUITY))


@pytest.mark.parametrize(("text", "key"), CONVICTED)
def test_a_plain_lie_is_convicted(text: str, key: str) -> None:
    assert key in false_of(read_claims(text, ENTRY, "bull", table=CRYPTO))


@pytest.mark.parametrize(("text", "expected"), TRUE)
def test_what_is_true_is_read_as_true(text: str, expected: str) -> None:
    assert verdicts(read_claims(text, ENTRY, "bull", table=CRYPTO)) == expected


def test_what_is_compared_is_of_one_timeframe() -> None:
    facts = {"stoch_k": 63.9, "stoch_d": 69.5, "1h.stoch_k": 14.7, "1h.stoch_d": 13.1}
    assert verdicts(read_claims("A touch of support with 1h %K still above %D.", sheet_of(facts), "bull", table=CRYPTO)) == "1h.stoch_k:T"


def test_words_that_were_right_when_they_were_said_were_understood() -> None:
    """A reading that an earlier market confirms is no misreading: it has moved, whatever stands around it."""
    (claim,) = read_claims("On 3 November RSI reached 48.6.", POSITION, "bull", earlier_sheet=ENTRY, table=CRYPTO)
    assert claim.verdict == "true"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The 200 MA is at 158.6.", "ema_200:T"),
        ("The 200-period moving average is at 150.2.", "sma_200:T"),
        ("200均线158.6仍在下方托底。", "ema_200:T"),
        ("Price is above the 50 MA.", "ema_50:T"),
        ("The 200 SMA is at 158.6.", "sma_200:F"),
        ("The 200 EMA is at 150.2.", "ema_200:F"),
        ("The 200 MA is at 171.0.", "sma_200:F"),
    ],
)
def test_an_average_that_is_not_named_whole_may_be_either(text: str, expected: str) -> None:
    facts = {"close": 163.4, "ema_50": 161.9, "sma_50": 172.6, "ema_200": 158.6, "sma_200": 150.2}
    assert verdicts(read_claims(text, sheet_of(facts), "bull", table=CRYPTO)) == expected
