"""Ways of speaking met in whole debates: asides, denials, shorthand, numbers before their names; see `phrases_en.py` for the form."""

CLAIMS = [
    # an aside between commas parts nothing
    ("OBV, far from confirming the bounce, is falling.", "obv_trend:T"),
    ("The 200 SMA, by contrast, is at 98,000.", "sma_200:F"),
    # a number before its name
    ("At 72, RSI has room no more; at 31.5, ADX is alive.", "rsi_14:F adx_14:T"),
    ("Neither RSI at 48.6 nor CCI at 72 shows froth.", "rsi_14:T cci_20:F"),
    ("Price has pushed through 97,000 resistance.", "resistance:F resistance:F"),
    # a number alone behind a reading in words
    ("RSI is neutral, 48.6 to be exact.", "rsi_14:T rsi_14:T"),
    # where a line lies is so, whatever may happen there
    ("A rejection would suggest a return to the lower band (95,000).", "bb_lower:F"),
    ("I would not pay up straight into resistance at 99,900.", "resistance:F"),
    # said of the price: lines that press on it, lie beneath it, were lost
    ("价格被15分钟EMA20压着。", "ema_20:T"),
    ("布林中轨已被跌破。", "bb_middle:T"),
    ("VWAP 97,550，价格运行于其上。", "vwap:T vwap:F"),
    ("The 200 EMA is far beneath us at 96,240.", "ema_200:T ema_200:T"),
    ("Price has already lost the 200 EMA.", "ema_200:F"),
    # a denial behind what was said
    ("He is wrong to quote ADX at 22: it is 31.5.", "adx_14:T"),
    ('"RSI is 68", the bull writes. It is nothing of the kind: the reading is 48.6.', "rsi_14:T"),
    ("Bear insisted that ADX is 45; ADX is 31.5.", "adx_14:T"),
    ('The "RSI of 55" my opponent cites is invented; ADX is 31.5.', "adx_14:T"),
    # a timeframe behind its name
    ("The 98,900 resistance has not been cleared.", "resistance:T resistance:T"),
    # letters, marks and lists
    ("K at 34.2 is a hair under D at 41.8.", "stoch_k:T stoch_k:T stoch_d:T"),
    ("Mark 97,380, resistance 98,900.", "close:T resistance:T"),
    ("Bollinger lower/mid/upper: 96,870 / 97,760 / 99,999.", "bb_lower:T bb_middle:T bb_upper:F"),
    ("Open interest, off 3.9%, says enough.", "oi_change_pct:F"),
    # a table of then and now
    ("| Metric | Prev bar | Now |\n|:--|--:|--:|\n| RSI(14) | 66.0 | 48.6 |\n| ADX(14) | 31.5 | 22.0 |", "rsi_14:T adx_14:F"),
    # counted in words
    ("Volume is more than three times average.", "volume_ratio_20:F"),
    ("资金费率为负万分之三。", "funding_rate_pct:F"),
    ("资金费率为万分之一点一二。", "funding_rate_pct:T"),
    ("ATR相当于价格的百分之零点四二。", "atr_pct:T"),
    ("EMA20报九万七千八百一十美元。", "ema_20:T"),
    ("Volume is only a third of its usual level.", "volume_ratio_20:F"),
    ("Volume runs at one and a half times the norm.", "volume_ratio_20:F"),
    # what follows another asset, a question or a modal is the market's own again
    ("Gold's RSI is 74 when ours is 48.6.", "rsi_14:T"),
]

POSITION_CLAIMS = [
    ("1.11 points have come off the peak.", "drawdown_from_peak_pct:T"),
    ("The slide from that peak already measures 2.5 points.", "drawdown_from_peak_pct:F"),
    ("We once showed 3.4% of open profit.", "mfe_pct:T"),
    ("It peaked at 3.4%; it is at 1.02% today.", "mfe_pct:T profit_pct:F"),
    ("From a peak profit of 3.4% it has slid to 2.29%.", "mfe_pct:T profit_pct:T"),
    ("Entry 95,200, now 2.29% in the red.", "entry_price:T profit_pct:F"),
    ("Long, entry 95,200, 12x.", "entry_price:T leverage:F"),
    ("入场95,200，强平79,600。", "entry_price:T liquidation_price:T"),
]

NOT_CLAIMS = [
    "Until ADX climbs past 60, patience.",
    "Were RSI to fall through 20 I'd call it capitulation.",
    "只有股价收在99,000以上时才入场",
    "The bull says ADX is 60. It is not.",
]
