"""Sentences in documents: headings, lists, labels, tables, dates; distances, derived figures, fears and denials. See `phrases_en.py`."""

CLAIMS: list[tuple[str, str]] = [
    # whose: what is behind a heading or a label of another asset is its own
    ("### Bitcoin (BTC/USDT)\n- RSI: 72\n### Ethereum (ETH/USDT)\n- **Current Price**: $3,939.30\n- RSI: 34.06", "rsi_14:F"),
    ("BTC:\n- RSI 48.6\n- ADX 12\n\nETH:\n- Current: 3598.85\n- RSI 32", "rsi_14:T adx_14:F"),
    ("**ETH:** RSI 71, MACD -4.\n**BTC:** RSI 71.", "rsi_14:F"),
    ("1. **SOL (Short):** RSI is 32. MACD is -1.18.\n2. **BTC (Long):** RSI is 72.", "rsi_14:F"),
    ("For SOL, it's at 179.84, and the RSI is low at 17.5. The MACD is negative. For BTC, RSI is 17.5.", "rsi_14:F"),
    ("**Other Coins Analysis:**\n**ETH:**\n- Price: $3,905 vs EMA20: $3,914\n\nBTC's RSI is 72.", "rsi_14:F"),
    ("| | BTC | ETH |\n|---|---|---|\n| RSI | 48.6 | 70.1 |\n", "rsi_14:T"),
    # when: only the newest day is now
    ("- May 13: RSI 76\n- May 14: RSI 72\n- May 15: RSI 48.6", "rsi_14:T"),
    ("- May 14: RSI 48.6\n- May 15: RSI 72", "rsi_14:F"),
    ("RSI: 72.13 (May 13), 76.72 (May 14), then 48.6 on May 15", "rsi_14:T"),
    ("RSI: 72.13 (May 13), 76.72 (May 14), then 64 on May 15", "rsi_14:F"),
    ("MACD -11.2 on 05-13 → -15.2 on 05-15", "macd:T"),
    ("MACD -11.2 on 05-13 → -19.9 on 05-15", "macd:F"),
    ("7月22日：RSI 70。\n7月24日：RSI 48.6。", "rsi_14:T"),
    # a heading that names a timeframe holds for all below it
    ("**1h:**\n- RSI 56.3\n- ADX 21.4", "1h.rsi_14:T 1h.adx_14:T"),
    ("中期走勢(1小時)\n\n  • RSI为56.3\n  • ADX为31.5", "1h.rsi_14:T 1h.adx_14:F"),
    # distances
    ("Resistance is 3.7 ATR above the close.", "resistance:T"),
    ("Resistance is 3.7 ATR below the close.", "resistance:F"),
    ("EMA20 is 430 dollars above the price.", "ema_20:T"),
    ("EMA20 is 430 dollars below the price.", "ema_20:F"),
    ("The close is 430 below EMA20.", "ema_20:T"),
    ("The close is 430 above EMA20.", "ema_20:F"),
    ("价格高于EMA200达1140美元。", "ema_200:T"),
    ("价格低于EMA200达1140美元。", "ema_200:F"),
    ("距上方阻力约3.7个ATR。", ""),
    # where a line lies
    ("EMA200在下方托底。", "ema_200:T"),
    ("EMA200在上方压制。", "ema_200:F"),
    ("上轨在上方压制。", "bb_upper:T"),
    ("上轨在下方托底。", "bb_upper:F"),
    ("EMA200远在下方。", "ema_200:T"),
    ("EMA200远在上方。", "ema_200:F"),
    # numbers as they are spoken
    ("价格九万七千四。", "close:T"),
    ("价格九万六千四。", "close:F"),
    ("现价9万7千4。", "close:T"),
    ("现价9万6千4。", "close:F"),
    ("九万七。现价九万七千三百八。", "close:T"),
    # figures worked out of others are not the figures
    ("Funding annualises to about 12.3 %. Funding is 0.3 %.", "funding_rate_pct:F"),
    ("RSI has averaged 55 over the last 20 candles; RSI is 72.", "rsi_14:F"),
    ("近一周RSI均值55，现在RSI为72。", "rsi_14:F"),
    ("DIF -15.2，DEA -10.4，MACD -9.6。", "macd:T macd_signal:T macd:U"),
    ("DIF -15.2，DEA -10.4，MACD -21。", "macd:T macd_signal:T macd:F"),
    # denied, or put into another's mouth
    ("Bear quoted RSI as 71, which is false. RSI is 48.6.", "rsi_14:T"),
    ("并不是空方所说的RSI 78，RSI为48.6。", "rsi_14:T"),
    ("ETH's RSI is 58 while BTC's is 48.6.", "rsi_14:T"),
    ("ETH's RSI is 58 while BTC's is 62.", "rsi_14:F"),
]  # fmt: skip

POSITION_CLAIMS: list[tuple[str, str]] = [
    ("按5倍杠杆算，收益率11.5%。浮盈2.29%。", "profit_pct:T"),
    ("With 5x leverage the return is 11.5 %. Profit is 9.9 %.", "leverage:T profit_pct:F"),
]

NOT_CLAIMS: list[str] = [
    "**Bullish trigger:** Close above $98,650 with ADX above 35",
    "**Invalidation (bear):** Close above $99,000 (50 SMA reclaim)",
    "What proves me wrong: a 15m close under 96,500 with RSI below 40.",
    "The combination of RSI >70 and a daily close above the upper band came before.",
    "In late January, the RSI hit an extreme low of 17.91.",
    "MACD peaked around +0.328 in late April.",
    "The position is essentially flat (-$57), with +$128.03 of unrealized profit on SOL.",
    "警惕MACD金叉。有金叉风险，存在升破EMA50的可能。",
    "假突破EMA50后收回。",
    "小级别RSI 70。",
    "RSI处于一年来85%分位。",
    "Funding is in the 31st percentile of the past year.",
    "Stops: 1 ATR (~410) or 1.5 ATR (~620) below the price.",
    "MA5与MA20的价差达到0.31元。",
]
