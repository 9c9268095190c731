"""The table of what can be claimed about how much is traded and by whom: volume, on-balance volume, funding, open interest, mood."""

from engine.grounding.tables.indicator import IndicatorSpec
from engine.grounding.tables.thresholds import FEAR_BANDS, FUNDING_BANDS, SIGN_BANDS

FLOWS: tuple[IndicatorSpec, ...] = (
    IndicatorSpec(
        "volume_ratio_20",
        """
        {20-bar,20-period} ratio; volume{, }/{, }{20,20-bar,20-period,20期,20周期,20日}{,均量,平均,average,mean,avg};
        成交量/{,20周期,20期,20日}均量;
        vol ratio; relative volume; rel volume; rvol; volume ratio; 量比; 相对成交量; 成交量比; 成交量比率; 成交量比值;
        volume/{ma20,sma20}; vol/{ma20,sma20}; 成交量/ma20; vol_ratio; volratio; volumeratio;
        volume_ratio;
        20 {周期,均,期,日}量比; 量比率;
        """,
        ("Volume ratio", "量比"),
        "ratio",
        "volume",
        0.05,
        0.1,
        bare=True,
    ),
    IndicatorSpec(
        "volume_ratio_20",
        """
        volume; volumes; trading volume; turnover; 成交量; 交易量; 量能; 成交; 成交额; vol; current volume; 24 h volume; 24 小时成交量;
        成交量能; 量;
        """,
        ("Volume ratio", "量比"),
        "ratio",
        "volume",
        0.05,
        0.1,
    ),
    IndicatorSpec(
        "obv_trend",
        "obv; on{-, }balance{-, }volume; 能量潮; obv 趋势; obv 方向; obv {trend,line}; obv 线; obv 指标; 能量潮指标",
        ("OBV", "OBV"),
        "word",
        "flow",
    ),
    IndicatorSpec(
        "funding_rate_pct",
        """
        funding; longs {pay,are paying}; funding rate; funding rates; {,perp,perpetual} funding{, rate}; 资金费率; 资金费; 资金利率;
        永续资金费率; 费率;
        fundingrate; fundingratepct; 合约资金费率;
        """,
        ("Funding rate", "资金费率"),
        "percent",
        "funding",
        0.05,
        0.005,
        signed=True,
        bands=FUNDING_BANDS,
    ),
    IndicatorSpec(
        "oi_change_pct",
        """
        open interest; oi; {open interest,oi} change; change in open interest; 未平仓合约; 未平仓量; 未平仓合约量; 持仓量; 未平仓;
        合约持仓量; {oi,持仓量,未平仓量,未平仓合约}{变化,变动,变化率,变化幅度}; oichangepct; {oi,open interest} delta; openinterest;
        oichange; 全网持仓; 总持仓;
        合约持仓;
        """,
        ("OI change", "OI变化"),
        "percent",
        "oi",
        0.05,
        0.3,
        signed=True,
        bands=SIGN_BANDS,
    ),
    IndicatorSpec(
        "fear_greed",
        """
        fear {and,&} greed{, index}; {fear,feargreed,fear-greed}index; fear & greed gauge; {fear,greed} {index,gauge};
        greed {and,&} fear{, index}; {贪婪,恐贪,情绪}读数; fear-and-greed {scale,gauge,reading};
        sentiment {gauge,score}; crowd mood; fear greed{, index};
        fear/greed{, index}; fear-greed{, index}; f&g{, index}; fng; greed index;
        恐贪; 恐惧{,与,和,/,&,及}贪婪{,指数,指标}; 恐慌{,与,和,/}贪婪{,指数,指标}; 贪婪恐惧指数; 贪恐指数; 恐贪指数; 贪婪指数; 恐惧指数;
        恐慌指数;
        feargreed; sentiment index; mood index; 市场情绪指数; 情绪指数;
        """,
        ("Fear & Greed", "恐惧贪婪指数"),
        "index",
        "mood",
        0.05,
        2,
        bands=FEAR_BANDS,
    ),
)
