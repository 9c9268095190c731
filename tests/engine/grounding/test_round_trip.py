"""Every key in every way of writing, with a true and a clearly false value: the first acquitted, the second convicted."""

from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet, number_text
from engine.domain.text.reason import Reason
from engine.grounding.checks.doubts import TOO_FAR
from engine.grounding.checks.verdict import DOUBLED, tolerance_of
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO
from tests.engine.grounding.sheets import HOLDING, MARKET, sheet_of

NAMES: dict[str, tuple[str, str]] = {
    "close": ("Price", "价格"), "rsi_14": ("RSI", "RSI"), "adx_14": ("ADX", "ADX"), "plus_di": ("+DI", "+DI"), "minus_di": ("-DI", "-DI"),
    "macd": ("MACD", "MACD"), "macd_signal": ("The signal line", "信号线"), "macd_hist": ("The MACD histogram", "MACD柱"),
    "ema_20": ("EMA20", "EMA20"), "ema_200": ("The 200 EMA", "200周期EMA"), "sma_50": ("SMA 50", "50周期SMA"),
    "bb_upper": ("The upper Bollinger band", "布林上轨"), "bb_lower": ("The lower band", "布林下轨"), "vwap": ("VWAP", "VWAP"),
    "atr_14": ("ATR(14)", "ATR"), "stoch_k": ("Stochastic %K", "随机指标K值"), "stoch_d": ("%D", "D值"), "cci_20": ("CCI", "CCI(20)"),
    "mfi_14": ("MFI", "MFI"), "fear_greed": ("The Fear & Greed index", "恐惧贪婪指数"), "support": ("Key support", "关键支撑"),
    "resistance": ("Resistance", "阻力位"), "1h.rsi_14": ("1h RSI", "1小时RSI"), "1h.ema_200": ("The 1h EMA200", "1小时EMA200"),
    "atr_pct": ("ATR", "ATR"), "funding_rate_pct": ("Funding", "资金费率"), "oi_change_pct": ("The OI change", "OI变化"),
    "change_24h_pct": ("The 24h change", "24小时涨跌幅"), "volume_ratio_20": ("Volume ratio", "量比"),
    "entry_price": ("Entry price", "入场价"),
    "profit_pct": ("Unrealised PnL", "未实现盈亏"), "mfe_pct": ("MFE", "MFE"), "mae_pct": ("MAE", "MAE"),
    "drawdown_from_peak_pct": ("The drawdown from peak", "利润回撤"), "hold_count": ("Hold count", "持仓K线"),
    "leverage": ("Leverage", "杠杆"), "liquidation_price": ("The liquidation price", "强平价"), "size": ("Position size", "持仓数量"),
}  # fmt: skip
JOINS = ((" is ", "为"), (" = ", "："), ("=", "="), (": ", "报"), (" currently stands at ", "目前为"), (" at ", "在"), (" | ", " | "))
FRAMES = (
    ("{}", "{}"),
    ("{}.", "{}。"),
    ("- {}", "- {}"),
    ("So far: {}, as I read it.", "综合来看，{}，仅供参考。"),
    ("**{}**", "**{}**"),
)


@st.composite
def numbers(draw: st.DrawFn, key: str) -> float:
    """A plausible actual value."""
    bare = key.rpartition(".")[2]
    known = {**MARKET, **HOLDING}[key]
    assert isinstance(known, float)
    if CRYPTO.find(key)[0].unit == "index" and bare != "cci_20":  # type: ignore[union-attr]
        return draw(st.floats(8, 92))
    if bare in {"hold_count", "leverage"}:
        return float(draw(st.integers(3, 60)))
    return known * draw(st.floats(0.5, 1.5))


def suffix(key: str) -> str:
    unit = CRYPTO.find(key)[0].unit  # type: ignore[union-attr]
    return "%" if unit == "percent" else "x" if key == "leverage" else ""


def written(key: str, value: float) -> str:
    indicator = CRYPTO.find(key)[0]
    assert indicator is not None
    return number_text(value, indicator.unit)


def only(claims: tuple[Claim, ...], key: str) -> Claim:
    found = [claim for claim in claims if claim.key == key]
    assert [claim.key for claim in claims] == [key], [(claim.text, claim.key, claim.verdict) for claim in claims]
    return found[0]


@pytest.mark.parametrize("key", NAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_true_is_acquitted_and_false_convicted(key: str, data: st.DataObject) -> None:
    actual = data.draw(numbers(key))
    sheet = sheet_with(key, actual)
    indicator = CRYPTO.find(key)[0]
    assert indicator is not None
    tolerance = tolerance_of(indicator, actual, False)
    language = data.draw(st.sampled_from([0, 1]))
    join, frame = data.draw(st.sampled_from(JOINS))[language], data.draw(st.sampled_from(FRAMES))[language]
    lie = data.draw(st.booleans())
    claimed = actual + (data.draw(st.sampled_from([-1, 1])) * tolerance * data.draw(st.floats(2.2, 4)) if lie else 0.0)
    text = written(key, claimed)
    step = 10.0 ** -len(text.partition(".")[2])
    assume(not lie or abs(abs(float(text)) - abs(actual)) > tolerance + step or not indicator.magnitude)
    assume(not lie or abs(float(text) - actual) > tolerance + step)
    bar = sheet.number("macd_hist")
    assume(not key.startswith("macd") or bar is None or abs(float(text) - 2 * bar) > abs(bar) / 10)  # a bar drawn at twice its value
    assume(claimed > 0 or indicator.signed or indicator.magnitude)
    sentence = frame.format(NAMES[key][language] + join + text + suffix(key))
    claim = only(read_claims(sentence, sheet, "bull", table=CRYPTO), key)
    assume(not isinstance(claim.reason, Reason) or claim.reason.key != TOO_FAR)  # many times the fact, or a small part of it
    assume(claim.reason != DOUBLED)  # a MACD stated at twice the histogram: as some charts draw it
    assert claim.verdict == ("false" if lie else "true"), sentence
    assert sentence[claim.start : claim.end] == claim.text
    assert claim.start <= claim.value_start < claim.value_end <= claim.end
    assert text.lstrip("+-") in sentence[claim.value_start : claim.value_end]


@pytest.mark.parametrize("key", NAMES)
def test_a_missing_fact_convicts_nobody(key: str) -> None:
    facts = {name: value for name, value in {**MARKET, **HOLDING}.items() if name != key}
    sheet = sheet_of(facts | {key: None})
    for sentence in sentences(key):
        for claim in read_claims(sentence, sheet, "bull", table=CRYPTO):
            assert claim.key != key or claim.verdict == "unverifiable"


def sentences(key: str) -> Iterator[str]:
    for language in (0, 1):
        yield f"{NAMES[key][language]}{JOINS[0][language]}1234.5{suffix(key)}"


def sheet_with(key: str, actual: float) -> FactSheet:
    return sheet_of({**MARKET, **HOLDING, key: actual})
