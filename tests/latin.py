"""Words in Latin letters that may stand in Chinese: names, measures, units, formats and ids."""

import re
from collections.abc import Set
from typing import Final

NAMES: Final = frozenset(
    """
    RSI MACD EMA SMA ATR MFE MAE ADX DI DIF DEA MFI OBV CCI VWAP BB BOLL E K D J P/E P/B P/S PEG EV/EBITDA EBITDA Wilder T+1
    USDT USD CNY HKD BTC ETH SOL BNB XRP DOGE UTC ISO HTML JSON XLSX CSV ms s m h d w min
    AAPL MSFT NVDA JPM XOM AMZN JNJ SPY GSPC SH SZ HK Apple Microsoft Amazon Exxon Mobil JPMorgan Chase Johnson NVIDIA fund S P
    simulated seven companies
    Tribunal English Language ccxt binanceusdm okx kraken scripted openai Wikipedia OpenAlex Semantic Scholar Tavily SEC EDGAR
    Msg Clear AI MCP API Key Secret Token Ctrl env R Telegram Slack ntfy Struck Fisher BASE p
    SQLite PostgreSQL postgresql tribunal auto confidence requirements scale Dask tcp
    """.split()  # noqa: SIM905 - lines of names read better than a list
)
"""Measures, units and formats, tickers and companies, a simulated index as its source calls it, names of services, programs and tests."""
ID: Final = re.compile(r"[\w.:-]*\d[\w.:…-]*|[0-9a-f]{3,}…[0-9a-f]{3,}|\b[0-9a-f]{6}\b|op-\d|/\S+|https?://\S+|[A-Z]+(?:_[A-Z]+)+")
LATIN: Final = re.compile(r"[A-Za-z][A-Za-z'/+]*")


def strange_words(text: str, names: Set[str] = NAMES) -> list[str]:
    """Return the words of a text that are no names."""
    return [word for word in LATIN.findall(ID.sub(" ", text)) if word not in names and word.strip("'/+") not in names]
