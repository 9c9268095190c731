"""English sentences and what has to be found in them.

Each entry: the sentence, then its checkable claims as `key:T` (true) or `key:F` (false), in reading order; nothing else may be found true
or false. `key:U` is a claim that cannot be checked. The facts are those of `sheets.py`: close 97380, RSI 48.6, MACD -15.2 under signal
-10.4, ADX 31.5, +DI 18.2, -DI 27.9, EMA 97810/98120/96240, bands 98650/97760/96870, VWAP 97550, ATR 412, volume 1.35, ...
"""

CLAIMS: list[tuple[str, str]] = [
    # set off by commas, in relative clauses, before their noun
    ("Funding, a touch negative at -0.043%, is no burden.", "funding_rate_pct:U"),
    ("The 200 EMA, a line that currently reads 91,000, is the pivot.", "ema_200:F"),
    ("ADX, which read 22 yesterday, now stands at 49.5.", "adx_14:F"),
    ("Volume, at nearly 4x the average, confirms.", "volume_ratio_20:F"),
    ("Three reasons: (1) ADX at 12, (2) RSI at 90.", "adx_14:F rsi_14:F"),
    ("Against the 4h backdrop (RSI 43.4, ADX 28) the hourly push looks weak.", "4h.rsi_14:U 4h.adx_14:U"),
    ("Price, still above the 20 EMA, holds.", "ema_20:F"),
    # equations
    ("RSI-14 stands at 28.4.", "rsi_14:F"),
    ("The RSI (14) currently prints 66.", "rsi_14:F"),
    ("RSI now stands at 48.6 versus 66 yesterday", "rsi_14:T"),
    ("RSI → 66", "rsi_14:F"),
    ("RSI, which currently sits at 66, is high", "rsi_14:F"),
    ("Momentum: RSI 48.6 / ADX 19", "rsi_14:T adx_14:F"),
    ("RSI is around 53", "rsi_14:T"),
    ("RSI roughly 40", "rsi_14:F"),
    ("RSI is at least 50", "rsi_14:F"),
    ("RSI between 40 and 45", "rsi_14:F"),
    ("RSI is between 45 and 50", "rsi_14:T"),
    ("RSI in the 40-45 range", "rsi_14:F"),
    ("RSI in the low 60s", "rsi_14:F"),
    ("RSI in the mid-50s", "rsi_14:F"),
    ("RSI is 48.6, above 60", "rsi_14:T rsi_14:F"),
    ("ADX of 31.5 confirms it", "adx_14:T"),
    ("+DI at 30 beats -DI at 12", "plus_di:F plus_di:F minus_di:F"),
    ("+DI (18.2) > -DI (27.9)", "plus_di:T plus_di:F minus_di:T"),
    ("MACD(12,26,9) = −15.2", "macd:T"),
    ("MACD-15.2", "macd:T"),
    ("MACD shows a bullish crossover", "macd:F"),
    ("There is a bearish crossover on the MACD", "macd:T"),
    # lines
    ("EMA(50) = 98,120", "ema_50:T"),
    ("MA50 is 98200", "sma_50:T"),
    ("Price is above EMA20 and EMA200", "ema_20:F ema_200:T"),
    ("Price reclaimed the EMA50", "ema_50:F"),
    ("Price is below 95,000", "close:F"),
    ("Trading at 97,380, under the 20 EMA", "close:T ema_20:T"),
    ("EMA20 > EMA50 > EMA200", "ema_alignment:F"),
    ("The 20 EMA is above the 50 EMA", "ema_20:F"),
    ("EMA20/50/200 are stacked bearishly", "ema_alignment:F"),
    ("Price is above the upper Bollinger Band", "bb_upper:F"),
    ("Price is near the upper band", "bb_upper:F"),
    ("ATR% 0.42", "atr_pct:T"),
    ("Resistance at 98,900 is unbroken", "resistance:T resistance:T"),
    ("Support holds", "support:T"),
    ("Price has not breached resistance", "resistance:T"),
    # volume, flows, mood
    ("35 % above average volume", "volume_ratio_20:T"),
    ("Volume ratio 1.35", "volume_ratio_20:T"),
    ("volume_ratio_20: 0.6", "volume_ratio_20:F"),
    ("Relative volume is 2.4", "volume_ratio_20:F"),
    ("On-balance volume keeps rising", "obv_trend:F"),
    ("%K is above %D", "stoch_k:F"),
    ("fundingRate: 0.00085", "funding_rate_pct:F"),
    ("Funding of 1 bp", "funding_rate_pct:T"),
    ("Positive funding and rising OI", "funding_rate_pct:T oi_change_pct:T"),
    ("Fear & Greed is in greed territory", "fear_greed:T"),
    ("Price is down 2.35% over the last 24 hours", "change_24h_pct:T"),
    # timeframes
    ("RSI (1h) = 70", "1h.rsi_14:F"),
    ("RSI at 56.3 on the 1h chart", "1h.rsi_14:T"),
    ("RSI(7) is 60", "rsi_7:U"),
    # forms
    ("RSI&nbsp;=&nbsp;72", "rsi_14:F"),
]

POSITION_CLAIMS: list[tuple[str, str]] = [
    ("6.68 points of pullback from that peak.", "drawdown_from_peak_pct:F"),
    ("At its best it was 9.9% ahead; now RSI is 50.", "mfe_pct:F rsi_14:T"),
    ("The worst this trade ever looked was -9.9%.", "mae_pct:F"),
    ("Long from 95,200, MFE 3.4%, MAE -0.8%, 14 bars held, 5x leverage.", "entry_price:T mfe_pct:T mae_pct:T hold_count:T leverage:T"),
    ("We entered at 95,200", "entry_price:T"),
    ("Drawdown from peak is 1.11%", "drawdown_from_peak_pct:T"),
    ("It has not given back half of its gains", "drawdown_from_peak_pct:T"),
    ("The trade kept over half of its gains", "drawdown_from_peak_pct:T"),
    ("Price is above our entry", "entry_price:T"),
]

NOT_CLAIMS: list[str] = [
    "If RSI drops below 30, we add.",
    "If RSI is 25 and ADX is 60, buy.",
    "Once RSI crosses 70, take profit.",
    "Should RSI fall under 30, we buy.",
    "RSI may fall to 25.",
    "Use 3x leverage.",
    "Last week, ADX stood at 12.",
    "Four hours ago MACD was 20.",
    "ADX above 50 usually marks a very strong trend.",
    "SOL is at 210 and RSI 80 there.",
    "Grounding passed: RSI=80 verified.",
    "RSI approaching overbought.",
    "RSI rose 5 points.",
    "The next support is 92,000.",
    "The bear wrongly claims ADX is 12.",
    "Contrary to the bear's claim of RSI 80, momentum is mild.",
    "Volume of 12,345 BTC",
    "We saw 3 green candles.",
    "",
    "RSI divergence after a test of 65000",
]
