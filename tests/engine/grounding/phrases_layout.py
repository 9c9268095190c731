"""Sentences in documents: headings, lists, labels, tables, dates; distances, derived figures, fears and denials. See `phrases_en.py`."""

CLAIMS: list[tuple[str, str]] = [
    # whose: what is behind a heading or a label of another asset is its own
    ("### Bitcoin (BTC/USDT)\n- RSI: 72\n### Ethereum (ETH/USDT)\n- **Current Price**: $3,939.30\n- RSI: 34.06", "rsi_14:F"),
    ("**ETH:** RSI 71, MACD -4.\n**BTC:** RSI 71.", "rsi_14:F"),
    ("1. **SOL (Short):** RSI is 32. MACD is -1.18.\n2. **BTC (Long):** RSI is 72.", "rsi_14:F"),
    ("For SOL, it's at 179.84, and the RSI is low at 17.5. The MACD is negative. For BTC, RSI is 17.5.", "rsi_14:F"),
    ("**Other Coins Analysis:**\n**ETH:**\n- Price: $3,905 vs EMA20: $3,914\n\nBTC's RSI is 72.", "rsi_14:F"),
    ("| | BTC | ETH |\n|---|---|---|\n| RSI | 48.6 | 70.1 |\n", "rsi_14:T"),
    # when: only the newest day is now
    ("- May 14: RSI 48.6\n- May 15: RSI 72", "rsi_14:F"),
    ("RSI: 72.13 (May 13), 76.72 (May 14), then 64 on May 15", "rsi_14:F"),
    ("MACD -11.2 on 05-13 → -19.9 on 05-15", "macd:F"),
    ("7月22日：RSI 70。\n7月24日：RSI 48.6。", "rsi_14:T"),
    # a heading that names a timeframe holds for all below it
    ("**1h:**\n- RSI 56.3\n- ADX 21.4", "1h.rsi_14:T 1h.adx_14:T"),
    ("中期走勢(1小時)\n\n  • RSI为56.3\n  • ADX为31.5", "1h.rsi_14:T 1h.adx_14:F"),
    # distances
    ("EMA20 is 430 dollars above the price.", "ema_20:T"),
    ("The close is 430 above EMA20.", "ema_20:F"),
    ("价格高于EMA200达1140美元。", "ema_200:T"),
    # where a line lies
    ("EMA200远在上方。", "ema_200:F"),
    # numbers as they are spoken
    ("现价9万6千4。", "close:F"),
    ("九万七。现价九万七千三百八。", "close:T"),
    # figures worked out of others are not the figures
    ("Funding annualises to about 12.3 %. Funding is 0.3 %.", "funding_rate_pct:F"),
    ("RSI has averaged 55 over the last 20 candles; RSI is 72.", "rsi_14:F"),
    ("近一周RSI均值55，现在RSI为72。", "rsi_14:F"),
    ("DIF -15.2，DEA -10.4，MACD -9.6。", "macd:T macd_signal:T macd:U"),
    # denied, or put into another's mouth
    ("ETH's RSI is 58 while BTC's is 62.", "rsi_14:F"),
    ("BTC, by comparison, traded 1.9 times its usual volume.", "volume_ratio_20:F"),
    # a level with its price, and where it lies
    ("Support at 96,500 is 2.1 ATR above.", "support:T support:F"),
    ("VWAP 97550也在上方压制。", "vwap:T vwap:T"),
    ("That is enough ahead of resistance at 99,900.", "resistance:F"),
    ("The price is below EMA20 but above the 200s: EMA200 is 96,240.", "ema_20:T ema_200:T ema_200:T"),
    # a threshold that is not reached, from above or from below
    ("RSI 48.6，还没到30。", "rsi_14:T"),
    ("RSI 48.6，未到70的超买线。", "rsi_14:T rsi_14:T"),
    ("RSI 75，未到70。", "rsi_14:F rsi_14:T"),
    ("ADX 31.5，尚未达到20。", "adx_14:T adx_14:U"),
    # conditions
    ("支撑95000，跌破94000就走。", "support:F"),
    ("支撑96500，阻力98900之下不必加仓，回落到95000附近再议。", "support:T resistance:T"),
    # the past
    ("RSI went from 70 two days ago to 60 a day later and 48.6 now. ADX is 31.5.", "adx_14:T"),
    ("今年3月类似的空头排列持续了11天，价格从96000跌到82500。价格82500。", "close:F"),
    # which of two numbers, and which is a period
    ("The price lost 2.35 % in 24 hours on 1.35 times normal volume.", "change_24h_pct:T volume_ratio_20:T"),
    ("| RSI 14 | 48.6 | neutral |", "rsi_14:T rsi_14:T"),
    ("限价97000，比现价97380低0.39%。价格97380。", "close:T"),
]  # fmt: skip

POSITION_CLAIMS: list[tuple[str, str]] = [
    ("With 5x leverage the return is 11.5 %. Profit is 9.9 %.", "leverage:T profit_pct:F"),
    ("Profit is 9.9 %, which is 3.6 points from peak to here.", "profit_pct:F"),
    ("The profit is 1,090 USDT on 0.35 BTC.", "size:F"),
    ("Support held twice last week at 27.8; profit is 9.9 %.", "profit_pct:F"),
    ("多单0.9 BTC，先减四成，余下0.54 BTC止损上移。", "size:F"),
]

NOT_CLAIMS: list[str] = [
    "**Bullish trigger:** Close above $98,650 with ADX above 35",
    "What proves me wrong: a 15m close under 96,500 with RSI below 40.",
    "The combination of RSI >70 and a daily close above the upper band came before.",
    "MACD peaked around +0.328 in late April.",
    "The position is essentially flat (-$57), with +$128.03 of unrealized profit on SOL.",
    "小级别RSI 70。",
]
