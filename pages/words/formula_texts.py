"""How facts are measured, in Chinese. The engine says it in English, as a formula; one that is not listed here is shown as it says it."""

import re
from collections.abc import Mapping

from engine.domain.text.language import Language

CHINESE: Mapping[str, str] = {
    # indicators
    "BB(20,2), lower, population deviation": "BB(20,2)，下轨，总体标准差",
    "BB(20,2), middle": "BB(20,2)，中轨",
    "BB(20,2), upper, population deviation": "BB(20,2)，上轨，总体标准差",
    "Fear & Greed index, 0-100": "恐惧与贪婪指数，0-100",
    "MACD(12,26,9), EMA(9) of the MACD line": "MACD(12,26,9)，MACD 线的 EMA(9)",
    "MACD(12,26,9), macd - signal, not doubled": "MACD(12,26,9)，MACD 减信号线，不乘二",
    "ATR(14) / last closed close": "ATR(14) / 最近收盘价",
    "OBV change over 20 bars / their volume, flat within 10 %": "20根内 OBV 变化 / 其成交量，10 % 以内为走平",
    "VWAP of typical prices, from 00:00 UTC (20 bars for 1d and longer)": "典型价 VWAP，自 00:00 UTC 起（1d 及以上用 20 根）",
    "slow stochastic (14,3,3), %D, SMA": "慢速随机指标 (14,3,3)，%D，SMA",
    "slow stochastic (14,3,3), %K, SMA": "慢速随机指标 (14,3,3)，%K，SMA",
    "volume / SMA(volume, 20)": "成交量 / SMA(成交量, 20)",
    "nearest level of swing points, 3 bars each side, last 200 bars, grouped within 0.5 ATR(14)": (
        "最近的摆动点价位：两侧各 3 根，取最近 200 根，0.5 ATR(14) 内归并"
    ),
    "last closed close against the close 24 h before": "最近收盘价对比 24 小时前收盘价",
    "last price, close of the forming bar": "最新价，即形成中K线的收盘",
    "funding rate per interval * 100": "每期资金费率 × 100",
    "open interest against 24 h before": "未平仓量对比 24 小时前",
    # a position
    "as the position states it": "以持仓所记为准",
    "closed candles that opened at or after the entry": "入场时或之后开始的已收盘K线数",
    "high and low of candles opened since entry, their best, percent of the entry price": "入场后K线最高最低价中最有利者，占入场价百分比",
    "high and low of candles opened since entry, their worst, percent of the entry price": "入场后K线最高最低价中最不利者，占入场价百分比",
    "mfe_pct - profit_pct": "最大浮盈减浮动盈亏",
    "price move from entry to last price, percent, signed for the side, without leverage": (
        "自入场至最新价的价格变动百分比，按方向取号，不计杠杆"
    ),
    # the account
    "average price paid a share": "每股平均买入价",
    "cash and the market value of all positions": "现金加全部持仓市值",
    "cash that may be spent": "可用现金",
    "largest fall of the account's value": "账户总值的最大跌幅",
    "largest order the limits allow": "各项限制允许的最大委托",
    "position over the account's value": "持仓占账户总值之比",
    "shares held": "持股数",
    "shares held times price": "持股数 × 价格",
    # a company
    "close against the previous close": "收盘价对比前收盘价",
    "close of the last session": "最近交易日收盘价",
    "close of the session before, as the exchange counts": "前一交易日收盘价（按交易所口径）",
    "current assets over current liabilities": "流动资产 / 流动负债",
    "current assets without inventory over current liabilities": "流动资产（不含存货）/ 流动负债",
    "debt over equity, 1.5 = 150 percent": "负债 / 权益，1.5 即 150 %",
    "dividends of a year over market value": "一年股息 / 市值",
    "dividends over net income": "股息 / 净利润",
    "earnings per share against the same period a year before": "每股收益同比",
    "enterprise value over EBITDA": "企业价值 / EBITDA",
    "enterprise value over revenue": "企业价值 / 营收",
    "equity a share": "每股权益",
    "free cash flow a share": "每股自由现金流",
    "free cash flow against the same period a year before": "自由现金流同比",
    "free cash flow of the period": "当期自由现金流",
    "free cash flow over market value": "自由现金流 / 市值",
    "gross profit over revenue": "毛利 / 营收",
    "market value and debt, less cash": "市值加负债减现金",
    "market value over revenue": "市值 / 营收",
    "net income a share": "每股净利润",
    "net income against the same period a year before": "净利润同比",
    "net income of the period": "当期净利润",
    "net income over assets": "净利润 / 总资产",
    "net income over equity": "净利润 / 权益",
    "net income over revenue": "净利润 / 营收",
    "operating income after tax over invested capital": "税后营业利润 / 投入资本",
    "operating income over interest": "营业利润 / 利息",
    "operating income over revenue": "营业利润 / 营收",
    "price over book value per share": "价格 / 每股净资产",
    "price over earnings per share": "价格 / 每股收益",
    "price over earnings, over growth of earnings in percent": "市盈率 / 盈利增速（%）",
    "price times shares": "价格 × 股数",
    "revenue against the same period a year before": "营收同比",
    "revenue of the period": "当期营收",
}
_PERIOD = re.compile(r"(?P<what>.+), (?P<period>ttm|annual|quarterly) to (?P<to>\d{4}-\d\d-\d\d)")
_PERIODS = {"ttm": "近12个月", "annual": "年度", "quarterly": "季度"}
_SMOOTHED = re.compile(r", Wilder\b")


def formula_text(formula: str, language: Language) -> str:
    """Return how a fact is measured, in a language."""
    if language != "zh":
        return formula
    if found := _PERIOD.fullmatch(formula):
        return f"{CHINESE.get(found['what'], found['what'])}，{_PERIODS[found['period']]}至 {found['to']}"
    return CHINESE.get(formula) or _SMOOTHED.sub("，Wilder 平滑", formula)
