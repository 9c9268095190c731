"""Chinese for measured values. Verbs are plain on purpose: what can be checked is said so that it can be found."""

from collections.abc import Mapping

from engine.flows.decision.script.lexicon import ByLean, FactWords

_CLAUSES = {
    "rsi_14": ("{tf}RSI(14)为{v}", "{tf}RSI(14)报{v}", "{tf}RSI(14)读数为{v}"),
    "adx_14": ("{tf}ADX(14)为{v}", "{tf}ADX(14)报{v}", "{tf}ADX(14)读数为{v}"),
    "plus_di": ("{tf}+DI为{v}", "{tf}+DI报{v}"),
    "minus_di": ("{tf}-DI为{v}", "{tf}-DI报{v}"),
    "macd": ("{tf}MACD为{v}", "{tf}MACD快线为{v}", "{tf}DIF为{v}"),
    "macd_signal": ("{tf}MACD信号线为{v}", "{tf}DEA为{v}"),
    "macd_hist": ("{tf}MACD柱为{v}", "{tf}MACD柱状图为{v}"),
    "ema": ("{tf}EMA{n}在{v}", "{tf}EMA{n}为{v}", "{tf}EMA{n}报{v}"),
    "sma": ("{tf}SMA{n}在{v}", "{tf}SMA{n}为{v}"),
    "bb_upper": ("{tf}布林上轨位于{v}", "{tf}布林带上轨为{v}"),
    "bb_middle": ("{tf}布林中轨位于{v}", "{tf}布林带中轨为{v}"),
    "bb_lower": ("{tf}布林下轨位于{v}", "{tf}布林带下轨为{v}"),
    "vwap": ("{tf}VWAP为{v}", "{tf}VWAP位于{v}"),
    "atr_14": ("{tf}ATR(14)为{v}", "{tf}ATR(14)读数为{v}"),
    "atr_pct": ("{tf}ATR为{v}%", "{tf}ATR相当于{v}%"),
    "volume_ratio_20": ("成交量为20根均量的{v}倍", "成交量是20周期均量的{v}倍"),
    "stoch_k": ("{tf}随机指标%K为{v}", "{tf}随机指标K值为{v}"),
    "stoch_d": ("{tf}随机指标%D为{v}", "{tf}随机指标D值为{v}"),
    "cci_20": ("{tf}CCI(20)为{v}", "{tf}CCI(20)报{v}"),
    "mfi_14": ("{tf}MFI(14)为{v}", "{tf}MFI(14)报{v}"),
    "obv_trend": ("{tf}OBV{v}", "{tf}OBV目前{v}"),
    "change_24h_pct": ("24小时涨跌幅为{v}%", "24h涨跌幅为{v}%"),
    "funding_rate_pct": ("资金费率为{v}%", "资金费率报{v}%"),
    "oi_change_pct": ("未平仓量变化为{v}%", "未平仓量的变化为{v}%"),
    "fear_greed": ("恐惧贪婪指数为{v}", "恐惧与贪婪指数报{v}"),
    "support": ("关键支撑位于{v}", "支撑位为{v}"),
    "resistance": ("关键阻力位于{v}", "阻力位为{v}"),
    "close": ("最新价为{v}", "现价为{v}", "当前价格为{v}"),
    "profit_pct": ("浮动盈亏为{v}%", "未实现盈亏为{v}%"),
    "mfe_pct": ("MFE为{v}%", "最大有利波动为{v}%"),
    "mae_pct": ("MAE为{v}%", "最大不利波动为{v}%"),
    "drawdown_from_peak_pct": ("自峰值回撤为{v}%", "峰值回撤为{v}%"),
    "hold_count": ("已持有{v}根K线", "持仓时间为{v}根K线"),
    "entry_price": ("入场价为{v}", "开仓价为{v}"),
    "liquidation_price": ("强平价为{v}", "强平价格为{v}"),
    "leverage": ("杠杆为{v}倍", "当前杠杆为{v}倍"),
}

_STATES = {
    "oversold": ("，已超卖", "，处于超卖区"),
    "overbought": ("，已超买", "，处于超买区"),
    "mid_zone": ("，未超买也未超卖", "，处于中性区"),
    "weak_trend": ("，趋势偏弱",),
    "strong_trend": ("，趋势强劲",),
    "over_signal": ("，高于信号线", "，位于信号线上方"),
    "under_signal": ("，低于信号线", "，位于信号线下方"),
    "positive": ("，为正值",),
    "negative": ("，为负值",),
    "price_above": ("，价格在{line}上方", "，价格高于{line}"),
    "price_below": ("，价格在{line}下方", "，价格低于{line}"),
    "extreme_fear": ("，属极度恐惧",),
    "fear": ("，属恐惧区间",),
    "greed": ("，属贪婪区间",),
    "extreme_greed": ("，属极度贪婪",),
    "above_average": ("，高于均量", "，放量"),
    "below_average": ("，低于均量", "，缩量"),
    "in_profit": ("，处于浮盈",),
    "in_loss": ("，处于浮亏",),
    "gave_back_half": ("，利润回吐过半",),
    "kept_half": ("，利润回吐不到一半",),
}

_TAILS: Mapping[str, ByLean] = {
    "momentum": {
        1: ("，对买方有利", "，动能偏向上行", "，为上行添了一分依据", "，买方得一分"),
        -1: ("，对卖方有利", "，动能偏向下行", "，为下行添了一分依据", "，卖方得一分"),
        0: ("，说明不了太多", "，没有明显倾向", "，动能尚无定论"),
    },
    "trend": {
        1: ("，结构对买方有利", "，结构的主动权在买方手里", "，利于上行"),
        -1: ("，结构对卖方有利", "，结构的主动权在卖方手里", "，利于下行"),
        0: ("，买卖双方仍在争夺这条线", "，结构上谁也没有占优"),
    },
    "level": {
        1: ("，买方有位置可守", "，所处位置对买方有利", "，适合买盘承接"),
        -1: ("，卖方有位置可守", "，所处位置对卖方有利", "，适合卖盘施压"),
        0: ("，其间仍有回旋余地", "，是需要盯住的位置", ""),
    },
    "flow": {
        1: ("，资金参与偏向买方", "，量能站在买方一边", "，需求有所体现"),
        -1: ("，资金参与偏向卖方", "，量能站在卖方一边", "，供给压力有所体现"),
        0: ("，资金没有选边", "，两边都谈不上帮助"),
    },
    "crowd": {
        1: ("，情绪面给反弹留了余地", "，逆向看对买方有利", "，悲观之中有机会"),
        -1: ("，情绪面对买方是隐患", "，逆向看对卖方有利", "，此处追高代价不小"),
        0: ("，情绪面不构成阻碍", "，情绪面给不出方向"),
    },
    "position": {
        1: ("，值得多一点耐心", "，支持留在场内", "，可以让利润继续跑"),
        -1: ("，应当降低敞口", "，需要加强保护", "，是减小风险的理由"),
        0: ("，并不逼人做决定", "，去留都说得通"),
    },
    "stretch": {
        1: ("，卖方显得力竭", "，此处不宜追空", "，为反弹留出余地"),
        -1: ("，买方显得力竭", "，此处不宜追多", "，为回调留出余地"),
        0: ("，读数偏极端却无人跟随",),
    },
    "strength": {0: ("，决定了方向可信到什么程度", "，衡量力度而非方向", "")},
    "measure": {0: ("", "，其余距离以此为尺度", "")},
    "context": {0: ("",)},
}

CHINESE_FACTS = FactWords(
    clauses=_CLAUSES,
    states=_STATES,
    tails=_TAILS,
    joint={
        1: ("，两者都对买方有利", "，合起来看偏向上行", "，两项一致指向上行"),
        -1: ("，两者都对卖方有利", "，合起来看偏向下行", "，两项一致指向下行"),
        0: ("", "，两者都定不了方向", "，单凭这两项还下不了结论"),
    },
    contrast=("，而", "，相比之下，", "；另一方面，"),
    both="，",
    words={"rising": "上升", "falling": "下降", "flat": "走平"},
    line="{tf}{kind}{n}",
    units={"m": "{n}分钟", "h": "{n}小时", "d": "{n}日", "w": "{n}周", "1d": "日线", "1w": "周线"},
    stop="。",
    gap="",
)
