"""English for measured values. Verbs are plain on purpose: what can be checked is said so that it can be found."""

from collections.abc import Mapping

from engine.flows.decision.script.lexicon import ByLean, FactWords

_CLAUSES = {
    "rsi_14": ("{tf}RSI(14) reads {v}", "{tf}RSI(14) stands at {v}", "{tf}RSI(14) prints {v}"),
    "adx_14": ("{tf}ADX(14) reads {v}", "{tf}ADX(14) stands at {v}", "{tf}ADX(14) prints {v}"),
    "plus_di": ("{tf}+DI reads {v}", "{tf}+DI is at {v}", "{tf}+DI stands at {v}"),
    "minus_di": ("{tf}-DI reads {v}", "{tf}-DI is at {v}", "{tf}-DI stands at {v}"),
    "macd": ("the {tf}MACD line is at {v}", "the {tf}MACD line reads {v}", "{tf}MACD stands at {v}"),
    "macd_signal": ("the {tf}MACD signal line is at {v}", "the {tf}MACD signal line reads {v}"),
    "macd_hist": ("the {tf}MACD histogram reads {v}", "the {tf}MACD histogram is at {v}", "the {tf}MACD histogram stands at {v}"),
    "ema": ("the {tf}EMA {n} stands at {v}", "the {tf}EMA{n} is at {v}", "the {tf}{n} EMA sits at {v}"),
    "sma": ("the {tf}SMA {n} stands at {v}", "the {tf}SMA{n} is at {v}", "the {tf}{n} SMA sits at {v}"),
    "bb_upper": ("the {tf}Bollinger upper band is at {v}", "the {tf}Bollinger upper band stands at {v}"),
    "bb_middle": ("the {tf}Bollinger middle band is at {v}", "the {tf}Bollinger middle band stands at {v}"),
    "bb_lower": ("the {tf}Bollinger lower band is at {v}", "the {tf}Bollinger lower band stands at {v}"),
    "vwap": ("{tf}VWAP is at {v}", "{tf}VWAP stands at {v}"),
    "atr_14": ("{tf}ATR(14) is {v}", "{tf}ATR(14) stands at {v}", "{tf}ATR(14) reads {v}"),
    "atr_pct": ("{tf}ATR is {v}% of price", "{tf}ATR is {v}%"),
    "volume_ratio_20": ("volume is {v}x its 20-bar average", "volume runs at {v}x the 20-bar average"),
    "stoch_k": ("the {tf}stochastic %K reads {v}", "{tf}stochastic %K is at {v}", "the {tf}stochastic %K stands at {v}"),
    "stoch_d": ("the {tf}stochastic %D reads {v}", "{tf}stochastic %D is at {v}"),
    "cci_20": ("{tf}CCI(20) reads {v}", "{tf}CCI(20) is at {v}", "{tf}CCI(20) stands at {v}"),
    "mfi_14": ("{tf}MFI(14) reads {v}", "{tf}MFI(14) is at {v}", "{tf}MFI(14) stands at {v}"),
    "obv_trend": ("{tf}OBV is {v}", "the {tf}OBV trend is {v}"),
    "change_24h_pct": ("the 24h change is {v}%", "the 24-hour change stands at {v}%"),
    "funding_rate_pct": ("the funding rate is {v}%", "funding stands at {v}%", "funding is {v}%"),
    "oi_change_pct": ("the open interest change is {v}%", "the change in open interest is {v}%"),
    "fear_greed": ("the Fear & Greed index reads {v}", "the Fear & Greed index is at {v}", "the Fear & Greed index stands at {v}"),
    "support": ("key support is at {v}", "support stands at {v}", "key support sits at {v}"),
    "resistance": ("key resistance is at {v}", "resistance stands at {v}", "key resistance sits at {v}"),
    "close": ("price trades at {v}", "price is at {v}", "the last price is {v}"),
    "profit_pct": ("unrealised profit is {v}%", "unrealised PnL stands at {v}%", "unrealised PnL is {v}%"),
    "mfe_pct": ("MFE is {v}%", "MFE stands at {v}%", "the maximum favourable excursion is {v}%"),
    "mae_pct": ("MAE is {v}%", "MAE stands at {v}%", "the maximum adverse excursion is {v}%"),
    "drawdown_from_peak_pct": ("the drawdown from the peak is {v}%", "drawdown from the peak stands at {v}%"),
    "hold_count": ("the position has been held for {v} bars", "the position has now been held for {v} bars"),
    "entry_price": ("the entry price is {v}", "the position was entered at {v}"),
    "liquidation_price": ("the liquidation price is {v}", "liquidation stands at {v}"),
    "leverage": ("leverage is {v}x", "the position runs at {v}x leverage"),
}

_STATES = {
    "oversold": (", oversold", ", in oversold territory"),
    "overbought": (", overbought", ", in overbought territory"),
    "mid_zone": (", neither overbought nor oversold",),
    "weak_trend": (", a weak trend",),
    "strong_trend": (", a strong trend",),
    "over_signal": (", above its signal line",),
    "under_signal": (", below its signal line",),
    "positive": (", positive", ", in positive territory"),
    "negative": (", negative", ", in negative territory"),
    "price_above": (", with price above the {line}", ", and price is above the {line}"),
    "price_below": (", with price below the {line}", ", and price is below the {line}"),
    "extreme_fear": (", extreme fear",),
    "fear": (", in fear territory",),
    "greed": (", in greed territory",),
    "extreme_greed": (", extreme greed",),
    "above_average": (", above average",),
    "below_average": (", below average",),
    "in_profit": (", so the position is in profit",),
    "in_loss": (", so the position is at a loss",),
    "gave_back_half": (", more than half of the best gain given back",),
    "kept_half": (", less than half of the best gain given back",),
}

_TAILS: Mapping[str, ByLean] = {
    "momentum": {
        1: (", which speaks for buyers", ", so momentum leans up", ", and that helps the upside", ", a point for buyers"),
        -1: (", which speaks for sellers", ", so momentum leans down", ", and that helps the downside", ", a point for sellers"),
        0: (", which settles little", ", without a clear lean", ", and that leaves momentum undecided"),
    },
    "trend": {
        1: (", and the structure favours buyers", ", which keeps buyers in control of the structure", ", a plus for the upside"),
        -1: (", and the structure favours sellers", ", which keeps sellers in control of the structure", ", a plus for the downside"),
        0: (", a line the market is still fighting over", ", which gives neither camp the structure"),
    },
    "level": {
        1: (", which gives buyers something to lean on", ", and the location favours buyers", ", good ground for a bid"),
        -1: (", which gives sellers something to lean on", ", and the location favours sellers", ", good ground for an offer"),
        0: (", with room left to travel", ", a level to watch", ""),
    },
    "flow": {
        1: (", so participation backs buyers", ", and the flow sides with buyers", ", a sign of demand"),
        -1: (", so participation backs sellers", ", and the flow sides with sellers", ", a sign of supply"),
        0: (", so the flow takes no side", ", which adds little either way"),
    },
    "crowd": {
        1: (
            ", so the crowd leaves room for a squeeze upward",
            ", which makes fading the gloom attractive",
            ", a contrarian plus for buyers",
        ),
        -1: (", so the crowd is a risk to buyers", ", which makes chasing the move expensive", ", a contrarian plus for sellers"),
        0: (", so positioning is no obstacle", ", which tells little of the crowd"),
    },
    "position": {
        1: (", which rewards patience", ", and that argues for staying in", ", a reason for patience"),
        -1: (", which argues for less exposure", ", and that calls for protection", ", a reason for caution"),
        0: (", which does not force a decision", ", and that leaves the choice open"),
    },
    "stretch": {
        1: (", so sellers look exhausted", ", which argues against chasing the downside", ", and that leaves room for a rebound"),
        -1: (", so buyers look exhausted", ", which argues against chasing the upside", ", and that leaves room for a setback"),
        0: (", a stretched reading without a follower",),
    },
    "strength": {0: (", which sets how far direction can be trusted", ", a measure of force and not of direction", "")},
    "measure": {0: ("", ", the yardstick for the distances here", "")},
    "context": {0: ("",)},
}

ENGLISH_FACTS = FactWords(
    clauses=_CLAUSES,
    states=_STATES,
    tails=_TAILS,
    joint={
        1: ("; both speak for buyers", "; the pair leans to the upside", "; together they favour the upside"),
        -1: ("; both speak for sellers", "; the pair leans to the downside", "; together they favour the downside"),
        0: ("", "; neither settles the matter", "; the pair decides nothing alone"),
    },
    contrast=(", while ", ", whereas ", "; by contrast, "),
    both=", and ",
    words={"rising": "rising", "falling": "falling", "flat": "flat"},
    line="{tf}{n} {kind}",
    units={"m": "{n}m ", "h": "{n}h ", "d": "{n}d ", "w": "{n}w "},
    stop=".",
    gap=" ",
)
