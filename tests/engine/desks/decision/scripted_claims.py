"""An independent, simple-minded reader of the scripted analyst's prose: which key each number is said of, and which words go with it.

It knows the labels of the market and nothing of the lexicons: a label, then the first number behind it in the same clause.
"""

import re

from engine.desks.decision.reading.spans import claim_spans

_LABELS = {
    r"RSI\(14\)": "rsi_14",
    r"ADX\(14\)": "adx_14",
    r"ATR\(14\)": "atr_14",
    r"ATR(?!\()": "atr_pct",
    r"CCI\(20\)": "cci_20",
    r"MFI\(14\)": "mfi_14",
    r"\+DI": "plus_di",
    r"-DI": "minus_di",
    r"MACD signal line|DEA": "macd_signal",
    r"MACD histogram|MACD柱": "macd_hist",
    r"MACD line|DIF": "macd",
    r"(?:E|S)MA ?\d+|\d+ (?:E|S)MA": "average",
    r"Bollinger upper band|布林上轨": "bb_upper",
    r"Bollinger middle band|布林中轨": "bb_middle",
    r"Bollinger lower band|布林下轨": "bb_lower",
    r"VWAP": "vwap",
    r"OBV": "obv_trend",
    r"[Vv]olume is|成交量为20根均量的": "volume_ratio_20",
    r"%K": "stoch_k",
    r"%D": "stoch_d",
    r"24h change|24小时涨跌幅": "change_24h_pct",
    r"[Ff]unding rate|资金费率": "funding_rate_pct",
    r"open interest change|持仓量变化": "oi_change_pct",
    r"Fear & Greed index|恐惧贪婪指数": "fear_greed",
    r"[Ss]upport|支撑位": "support",
    r"[Rr]esistance|阻力位": "resistance",
    r"[Pp]rice trades at|最新价": "close",
    r"[Uu]nrealised profit|未实现盈亏": "profit_pct",
    r"MFE": "mfe_pct",
    r"MAE": "mae_pct",
    r"drawdown from the peak|自峰值回撤": "drawdown_from_peak_pct",
    r"held for|已持有": "hold_count",
    r"entry price|入场价": "entry_price",
    r"[Ll]everage is|杠杆": "leverage",
}
_LABEL = re.compile(
    r"(?P<frame>1h |1小时)?(?P<odd>stochastic |key |随机指标|关键)??(?:"
    + "|".join(f"(?P<L{place}>{label})" for place, label in enumerate(_LABELS))
    + ")"
)
_KEYS = list(_LABELS.values())
_NUMBER = re.compile(r"\{(?P<key>[\w.]+)\}[^{}\d+-]*(?P<number>[+-]?\d+(?:\.\d+)?)(?P<rest>[^{.。;；\d]*)")
_LABEL_MARK = re.compile(r"\{[\w.]+\}")
_LENGTHS = re.compile(r"(?<!\d)20(?:-bar|(?:根|周期)(?=均量))")
_PLAN = re.compile(r"[Tt]he plan puts the stop at \S+ and the target at \S+|计划止损\S+?，止盈[\d.]+")


def prose_of(text: str, role: str) -> str:
    """The parts that are read for claims, plans cut out."""
    return _PLAN.sub("", "\n".join(text[start:end] for start, end in claim_spans(text, role)))


def numbers_of(text: str, role: str) -> list[tuple[str, float, str]]:
    """(key, number, the rest of its clause) for every number in the prose. Raises AssertionError for a number of nothing."""
    marked = _LABEL.sub(_mark, prose_of(text, role))
    marked = _LENGTHS.sub("", marked)
    found = list(_NUMBER.finditer(marked))
    left = re.findall(r"\d+", _LABEL_MARK.sub("", _NUMBER.sub("", marked)))
    assert not left, f"numbers of nothing: {left} in {marked}"
    return [(match["key"], float(match["number"]), match["rest"]) for match in found]


def _mark(label: re.Match[str]) -> str:
    key = _KEYS[next(place for place in range(len(_KEYS)) if label[f"L{place}"])]
    if key == "average":
        key = ("ema_" if "EMA" in label[0] else "sma_") + re.sub(r"\D", "", label[0].removeprefix(label["frame"] or ""))
    return "{" + ("1h." if label["frame"] else "") + key + "}"


def words_of_obv(text: str, role: str) -> list[tuple[str, str]]:
    """(key, word) of every statement on OBV."""
    said = re.findall(
        r"\{((?:1h\.)?obv_trend)\}(?: is |目前|)(rising|falling|flat|上升|下降|走平)", _LABEL.sub(_mark, prose_of(text, role))
    )
    english = {"上升": "rising", "下降": "falling", "走平": "flat"}
    return [(key, english.get(word, word)) for key, word in said]
