"""Names of facts, states and candlestick patterns in English and Chinese. A name not listed is shown as its key, underscores as spaces."""

from collections.abc import Mapping

from engine.domain.text.language import Language
from pages.words.company_facts import COMPANY_FACTS, PERIODS

Pair = tuple[str, str]

FACTS: Mapping[str, Pair] = {
    "close": ("Price", "价格"),
    "change_24h_pct": ("24h change", "24小时涨跌"),
    "rsi_14": ("RSI(14)", "RSI(14)"),
    "rsi_7": ("RSI(7)", "RSI(7)"),
    "adx_14": ("ADX(14)", "ADX(14)"),
    "plus_di": ("+DI", "+DI"),
    "minus_di": ("−DI", "−DI"),
    "macd": ("MACD", "MACD"),
    "macd_signal": ("MACD signal", "MACD 信号线"),
    "macd_hist": ("MACD histogram", "MACD 柱"),
    "ema_10": ("EMA 10", "EMA 10"),
    "ema_20": ("EMA 20", "EMA 20"),
    "ema_50": ("EMA 50", "EMA 50"),
    "ema_100": ("EMA 100", "EMA 100"),
    "ema_200": ("EMA 200", "EMA 200"),
    "sma_20": ("SMA 20", "SMA 20"),
    "sma_50": ("SMA 50", "SMA 50"),
    "sma_200": ("SMA 200", "SMA 200"),
    "ema_alignment": ("EMA order", "均线排列"),
    "bb_upper": ("Upper band", "布林上轨"),
    "bb_middle": ("Middle band", "布林中轨"),
    "bb_lower": ("Lower band", "布林下轨"),
    "vwap": ("VWAP", "VWAP"),
    "atr_14": ("ATR(14)", "ATR(14)"),
    "atr_pct": ("ATR in percent", "ATR 百分比"),
    "volume_ratio_20": ("Volume ratio", "量比"),
    "stoch_k": ("Stochastic %K", "随机 K 值"),
    "stoch_d": ("Stochastic %D", "随机 D 值"),
    "cci_20": ("CCI(20)", "CCI(20)"),
    "mfi_14": ("MFI(14)", "MFI(14)"),
    "obv_trend": ("OBV", "OBV"),
    "funding_rate_pct": ("Funding", "资金费率"),
    "oi_change_pct": ("Open interest change", "持仓量变化"),
    "fear_greed": ("Fear and greed", "恐惧贪婪指数"),
    "support": ("Support", "支撑位"),
    "resistance": ("Resistance", "阻力位"),
    "side": ("Side", "方向"),
    "entry_price": ("Entry price", "入场价"),
    "profit_pct": ("Profit", "浮动盈亏"),
    "roe_pct": ("Return on margin", "保证金收益率"),
    "mfe_pct": ("MFE", "最大浮盈"),
    "mae_pct": ("MAE", "最大浮亏"),
    "drawdown_from_peak_pct": ("Given back from the peak", "自高点回撤"),
    "hold_count": ("Bars held", "持有K线数"),
    "leverage": ("Leverage", "杠杆"),
    "size": ("Size", "数量"),
    "liquidation_price": ("Liquidation price", "强平价"),
    **COMPANY_FACTS,
}

STATES: Mapping[str, Pair] = {
    "oversold": ("oversold", "超卖"),
    "overbought": ("overbought", "超买"),
    "neutral": ("neutral", "中性"),
    "not_oversold": ("not oversold", "未超卖"),
    "not_overbought": ("not overbought", "未超买"),
    "bullish_divergence": ("bullish divergence", "底背离"),
    "bearish_divergence": ("bearish divergence", "顶背离"),
    "weak_trend": ("weak trend", "弱趋势"),
    "moderate_trend": ("moderate trend", "中等趋势"),
    "strong_trend": ("strong trend", "强趋势"),
    "very_strong": ("very strong trend", "极强趋势"),
    "plus_above_minus": ("+DI above −DI", "+DI 高于 −DI"),
    "minus_above_plus": ("−DI above +DI", "−DI 高于 +DI"),
    "golden_cross": ("above its signal", "高于信号线"),
    "dead_cross": ("below its signal", "低于信号线"),
    "not_golden_cross": ("not above its signal", "未高于信号线"),
    "above_zero": ("above zero", "零轴之上"),
    "below_zero": ("below zero", "零轴之下"),
    "positive": ("positive", "为正"),
    "negative": ("negative", "为负"),
    "price_above": ("price above", "价格在其上"),
    "price_below": ("price below", "价格在其下"),
    "price_near": ("price near", "价格贴近"),
    "price_inside": ("price inside the bands", "价格在布林带内"),
    "above_ema_50": ("above EMA 50", "高于 EMA 50"),
    "below_ema_50": ("below EMA 50", "低于 EMA 50"),
    "below_ema_200": ("below EMA 200", "低于 EMA 200"),
    "below_sma_200": ("below SMA 200", "低于 SMA 200"),
    "bullish_align": ("bullish order", "多头排列"),
    "bearish_align": ("bearish order", "空头排列"),
    "mixed": ("mixed order", "排列混乱"),
    "k_above_d": ("%K above %D", "K 高于 D"),
    "k_below_d": ("%K below %D", "K 低于 D"),
    "broken": ("broken", "已跌破"),
    "unbroken": ("not broken", "未突破"),
    "breached": ("breached", "已突破"),
    "surge": ("surge", "放量"),
    "above_avg": ("above average", "高于均量"),
    "below_avg": ("below average", "低于均量"),
    "shrinking": ("shrinking", "缩量"),
    "rising": ("rising", "上升"),
    "falling": ("falling", "下降"),
    "flat": ("flat", "走平"),
    "extreme_fear": ("extreme fear", "极度恐惧"),
    "fear": ("fear", "恐惧"),
    "greed": ("greed", "贪婪"),
    "extreme_greed": ("extreme greed", "极度贪婪"),
    "in_profit": ("in profit", "浮盈"),
    "in_loss": ("in loss", "浮亏"),
    "gave_back_half": ("gave back half", "回吐过半"),
    "not_gave_back_half": ("did not give back half", "未回吐过半"),
    "kept_half": ("kept more than half", "保住过半"),
    "long": ("long", "多头"),
    "short": ("short", "空头"),
}

PATTERNS: Mapping[str, Pair] = {
    "2crows": ("Two crows", "两只乌鸦"),
    "3blackcrows": ("Three black crows", "三只乌鸦"),
    "3inside": ("Three inside", "三内部"),
    "3linestrike": ("Three-line strike", "三线打击"),
    "3outside": ("Three outside", "三外部"),
    "3starsinsouth": ("Three stars in the south", "南方三星"),
    "3whitesoldiers": ("Three white soldiers", "红三兵"),
    "abandonedbaby": ("Abandoned baby", "弃婴"),
    "advanceblock": ("Advance block", "大敌当前"),
    "belthold": ("Belt hold", "捉腰带线"),
    "breakaway": ("Breakaway", "脱离"),
    "closingmarubozu": ("Closing marubozu", "收盘秃线"),
    "concealbabyswall": ("Concealing baby swallow", "藏婴吞没"),
    "counterattack": ("Counterattack", "反击线"),
    "darkcloudcover": ("Dark cloud cover", "乌云盖顶"),
    "doji": ("Doji", "十字"),
    "dojistar": ("Doji star", "十字星"),
    "dragonflydoji": ("Dragonfly doji", "蜻蜓十字"),
    "engulfing": ("Engulfing", "吞没"),
    "eveningdojistar": ("Evening doji star", "十字暮星"),
    "eveningstar": ("Evening star", "暮星"),
    "gapsidesidewhite": ("Gap, side-by-side white", "跳空并列阳线"),
    "gravestonedoji": ("Gravestone doji", "墓碑十字"),
    "hammer": ("Hammer", "锤子线"),
    "hangingman": ("Hanging man", "上吊线"),
    "harami": ("Harami", "孕线"),
    "haramicross": ("Harami cross", "十字孕线"),
    "highwave": ("High wave", "风高浪大线"),
    "hikkake": ("Hikkake", "陷阱"),
    "hikkakemod": ("Modified hikkake", "修正陷阱"),
    "homingpigeon": ("Homing pigeon", "家鸽"),
    "identical3crows": ("Identical three crows", "三胞胎乌鸦"),
    "inneck": ("In-neck", "颈内线"),
    "invertedhammer": ("Inverted hammer", "倒锤线"),
    "kicking": ("Kicking", "反冲"),
    "kickingbylength": ("Kicking by length", "长反冲"),
    "ladderbottom": ("Ladder bottom", "梯底"),
    "longleggeddoji": ("Long-legged doji", "长脚十字"),
    "longline": ("Long line", "长蜡烛"),
    "marubozu": ("Marubozu", "光头光脚"),
    "matchinglow": ("Matching low", "相同低价"),
    "mathold": ("Mat hold", "铺垫"),
    "morningdojistar": ("Morning doji star", "十字晨星"),
    "morningstar": ("Morning star", "晨星"),
    "onneck": ("On-neck", "颈上线"),
    "piercing": ("Piercing", "刺透"),
    "rickshawman": ("Rickshaw man", "黄包车夫"),
    "risefall3methods": ("Three methods", "三法"),
    "separatinglines": ("Separating lines", "分离线"),
    "shootingstar": ("Shooting star", "流星"),
    "shortline": ("Short line", "短蜡烛"),
    "spinningtop": ("Spinning top", "纺锤"),
    "stalledpattern": ("Stalled", "停顿"),
    "sticksandwich": ("Stick sandwich", "条形三明治"),
    "takuri": ("Takuri", "探水竿"),
    "tasukigap": ("Tasuki gap", "跳空并列阴阳"),
    "thrusting": ("Thrusting", "插入"),
    "tristar": ("Tristar", "三星"),
    "unique3river": ("Unique three river", "奇特三河床"),
    "upsidegap2crows": ("Upside gap two crows", "向上跳空两乌鸦"),
    "xsidegap3methods": ("Gap three methods", "跳空三法"),
}


def fact_name(key: str, language: Language) -> str:
    """Return `RSI(14)` for `rsi_14`; a timeframe prefix is left to `fact_timeframe`."""
    plain = key.rpartition(".")[2]
    return _of(FACTS, plain, language)


def fact_timeframe(key: str) -> str | None:
    """Return the timeframe a key names, None for one of the main timeframe."""
    return key.rpartition(".")[0] or None


def period_name(period: str, language: Language) -> str:
    """Return `twelve months` for `ttm`; a timeframe is called the same in every language."""
    return PERIODS[period][language == "zh"] if period in PERIODS else period


def state_name(state: str, language: Language) -> str:
    """Return `below its signal` for `dead_cross`."""
    return _of(STATES, state.lower().strip(": "), language)


def pattern_name(name: str, language: Language) -> str:
    """Return `Shooting star` for `shootingstar` or `CDLSHOOTINGSTAR`."""
    return _of(PATTERNS, name.lower().removeprefix("cdl").replace("_", "").replace(" ", ""), language, name)


def _of(table: Mapping[str, Pair], key: str, language: Language, shown: str | None = None) -> str:
    found = table.get(key)
    return found[language == "zh"] if found else (shown or key).replace("_", " ")
