"""The table of what can be claimed: one entry per indicator.

An entry has the canonical key, its names in both languages, unit, tolerance, the readings it can be said to have, and how a bare number
after it is to be understood. A new indicator is a new entry here and nothing else.

Names are lists of words; `{a,b}` stands for alternatives and `{,a}` for an optional word. Chinese names are matched character by
character, Latin ones word by word, so `macd` is never found inside another word.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.domain.facts import Unit
from engine.grounding.rules import ADX_BANDS, CHANNEL_BANDS, FEAR_BANDS, FUNDING_BANDS, OSCILLATOR_80_BANDS, RSI_BANDS, SIGN_BANDS, Band

AVERAGE_PERIODS = frozenset({5, 6, 7, 8, 9, 10, 12, 13, 14, 20, 21, 25, 26, 30, 34, 50, 55, 60, 89, 90, 99, 100, 120, 144, 150, 200, 233, 250})
OSCILLATOR_PERIODS = frozenset({2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 20, 21, 24, 25, 28})


@dataclass(frozen=True, slots=True)
class Indicator:
    """One thing that can be measured and claimed.

    base: canonical key, without the period where `family` is set (then the key is `base_period`). kind: how sentences treat it: `line`
    (a price level the price can stand above), `price`, `oscillator`, `di`, `macd`, `trend`, `flow`, ... period: the default period, None
    when one has to be written. defaults: parameters that may be written out and change nothing. relative, absolute: tolerance, the larger
    counts. signed: a falling verb before the number makes it negative. sign: a name that is negative by itself ("loss"). magnitude: only
    the size is compared. position: exists only while a position is open. bands: readings in words, by name.
    """

    base: str
    names: str
    label: tuple[str, str]
    unit: Unit
    kind: str
    relative: float = 0.05
    absolute: float = 0.0
    family: bool = False
    period: int | None = None
    periods: frozenset[int] = frozenset()
    defaults: tuple[tuple[int, ...], ...] = ()
    signed: bool = False
    magnitude: bool = False
    position: bool = False
    bare: bool = False
    bands: Mapping[str, Band] = field(default_factory=dict)

    def key(self, period: int | None) -> str:
        """The canonical key for a period (`rsi_14`); the base itself when the indicator has none."""
        return f"{self.base}_{period}" if self.family and period is not None else self.base


PRICE = 0.005


def _average(base: str, names: str, label: tuple[str, str]) -> Indicator:
    return Indicator(base, names, label, "price", "line", PRICE, family=True, periods=AVERAGE_PERIODS)


def _line(base: str, names: str, label: tuple[str, str], kind: str = "line", defaults: tuple[tuple[int, ...], ...] = ()) -> Indicator:
    return Indicator(base, names, label, "price", kind, PRICE, defaults=defaults)


def _oscillator(base: str, names: str, label: tuple[str, str], period: int, bands: Mapping[str, Band]) -> Indicator:
    return Indicator(base, names, label, "index", "oscillator", 0.05, 2, True, period, OSCILLATOR_PERIODS, bands=bands)


def _macd(base: str, names: str, label: tuple[str, str], kind: str = "macd") -> Indicator:
    return Indicator(base, names, label, "macd", kind, 0.05, defaults=((12, 26, 9), (12, 26)), signed=True, bands=SIGN_BANDS)


def _position(base: str, names: str, label: tuple[str, str], unit: Unit = "percent", absolute: float = 0.2, **more: bool) -> Indicator:
    return Indicator(base, names, label, unit, "position", 0.05, absolute, position=True, **more)  # type: ignore[arg-type]


_BB = "{bollinger,bb,boll,bbands}"

INDICATORS: tuple[Indicator, ...] = (
    _line(
        "close",
        "{current,last,latest,market,spot,mark,closing,close}{,_} price; {the,} price; prices; price action; last close; latest close; 现价; 价格; 股价; 币价;"
        "收盘价; 收盘; 最新价; 市价; 当前价; 当前价格; 最新价格; 标记价格; 现货价; 现报; k线收盘; 盘面价格; 行情价格",
        ("Price", "价格"),
        "price",
    ),
    Indicator(
        "change_24h_pct",
        "24 {h,hr,hour,hours}{,-}{,price} {change,move,performance,return}; change over {,the} {last,past} 24 {h,hours}; 24 小时{,价格}{涨跌,涨跌幅,涨幅,变化,变动,变化率,变化幅度};"
        "24 h {涨跌,涨跌幅,涨幅,变化,变动}; {daily,day} change; change 24 h; 24 小时; 近 24 小时; 过去 24 小时; 最近 24 小时; {,the} {last,past} 24 {h,hours}; 24 h; 24 hours;"
        "24{,-}hour; {on,over} the day; {,the} {last,past} day; 日涨跌幅; 日内涨跌幅; 日内涨幅; 当日涨幅; 日涨幅; 一天内; 一日内; change_24h; pricechange24h",
        ("24h change", "24小时涨跌"),
        "percent",
        "change",
        0.05,
        0.2,
        signed=True,
        bands=SIGN_BANDS,
    ),
    _oscillator("rsi", "rsi; relative strength index; 相对强弱指数; 相对强弱指标; 相对强弱", ("RSI", "RSI"), 14, RSI_BANDS),
    Indicator(
        "adx",
        "adx; average directional index; 平均趋向指数; 平均趋向指标; 平均方向指数; 趋向指标; dmi 的 adx",
        ("ADX", "ADX"),
        "index",
        "trend",
        0.05,
        2,
        True,
        14,
        OSCILLATOR_PERIODS,
        bands=ADX_BANDS,
    ),
    Indicator("plus_di", "{+,plus,positive}{, -}di; di+; di plus; pdi; 正di; 正向指标; 正向di; diplus; positive directional indicator", ("+DI", "+DI"), "index", "di", 0.05, 2, defaults=((14,),)),
    Indicator("minus_di", "{-,minus,negative}{, -}di; di-; di minus; mdi; ndi; 负di; 负向指标; 负向di; diminus; negative directional indicator", ("-DI", "-DI"), "index", "di", 0.05, 2, defaults=((14,),)),
    _macd("macd", "macd; macd line; macd 线; macd 快线; macd 值; dif; dif 线; dif 值; diff 线; 快线; 异同移动平均; 异同移动平均线", ("MACD", "MACD")),
    _macd("macd_signal", "{,macd} signal line; macd signal; macd 's signal; {,macd}{,的}信号线; {macd,macd 的}dea; dea; dea 线; dea 值; 慢线; macdsignal; signal", ("MACD signal", "MACD信号线"), "signal"),
    _macd(
        "macd_hist",
        "{,macd} {histogram,hist,bar,bars}; {macd,macd 's} {histogram,hist}; {,macd}{,的}{柱,柱状图,柱线,柱体,柱状线,柱子,柱值,直方图,能量柱}; macdhist; macdhistogram; {dif,macd} minus {dea,signal}",
        ("MACD histogram", "MACD柱"),
        "histogram",
    ),
    _average("ema", "ema; emas; exponential moving average; exponential ma; 指数均线; 指数移动平均; 指数移动平均线; ema 均线; ema 线", ("EMA", "EMA")),
    _average("sma", "sma; smas; ma; mas; simple moving average; simple ma; moving average; moving averages; dma; 均线; 简单均线; 移动平均线; 移动均线; 简单移动平均; 简单移动平均线; sma 均线; ma 均线; 日线均线", ("SMA", "SMA")),
    _line(
        "bb_upper",
        f"{{upper,top}} {_BB} {{,band}}; {_BB}{{, band, bands}} {{upper,top}} {{,band}}; {_BB}{{,带}}{{,的}}上轨; {{upper,top}} band; 上轨; 布林{{,带,线,通道}}{{,的}}{{上轨,上沿}}; bb {{up,high}}; bbupper; 上布林带; 布林上限",
        ("Bollinger upper", "布林上轨"),
        defaults=((20, 2), (20,)),
    ),
    _line(
        "bb_middle",
        f"{{middle,mid}} {_BB} {{,band}}; {_BB}{{, band}} {{middle,mid,midline,basis}} {{,band}}; {_BB}{{,带}}{{,的}}中轨; {{middle,mid}} band; 中轨; 布林{{,带,线,通道}}{{,的}}中轨; bb mid; bbmiddle; bollinger midline; 布林中线",
        ("Bollinger middle", "布林中轨"),
        defaults=((20, 2), (20,)),
    ),
    _line(
        "bb_lower",
        f"{{lower,bottom}} {_BB} {{,band}}; {_BB}{{, band, bands}} {{lower,bottom}} {{,band}}; {_BB}{{,带}}{{,的}}下轨; {{lower,bottom}} band; 下轨; 布林{{,带,线,通道}}{{,的}}{{下轨,下沿}}; bb {{low,down}}; bblower; 下布林带; 布林下限",
        ("Bollinger lower", "布林下轨"),
        defaults=((20, 2), (20,)),
    ),
    Indicator("bands", f"{_BB} band; {_BB} bands; {_BB} channel; {_BB}; the bands; 布林带; 布林; 布林线; 布林通道; 布林轨道", ("Bollinger bands", "布林带"), "price", "channel", defaults=((20, 2), (20,))),
    _line("vwap", "vwap; volume weighted average price; volume-weighted average price; 成交量加权均价; 成交量加权平均价; 成交均价; 加权均价", ("VWAP", "VWAP")),
    Indicator("atr", "atr; average true range; 平均真实波幅; 平均真实波动幅度; 真实波幅; 平均波幅; 平均真实区间", ("ATR", "ATR"), "price", "atr", 0.05, 0.0, True, 14, OSCILLATOR_PERIODS),
    Indicator(
        "atr_pct",
        "atr {%,pct,percent,percentage}; atr 百分比; atr 占比; atr 比例; atr 波动率; natr; atrpct; {,atr} {volatility,atr} as {,a} {percent,percentage} of {,the} {price,close}",
        ("ATR %", "ATR占比"),
        "percent",
        "atr_pct",
        0.05,
        0.1,
    ),
    Indicator(
        "volume_ratio_20",
        "relative volume; rel volume; rvol; volume ratio; 量比; 相对成交量; 成交量比; 成交量比率; 成交量比值; volumeratio; volume_ratio; 20 {周期,均,期,日}量比; 量比率",
        ("Volume ratio", "量比"),
        "ratio",
        "volume",
        0.05,
        0.1,
        bare=True,
    ),
    Indicator(
        "volume_ratio_20",
        "volume; volumes; trading volume; turnover; 成交量; 交易量; 量能; 成交; 成交额; vol; current volume; 24 h volume; 24 小时成交量; 成交量能; 量",
        ("Volume ratio", "量比"),
        "ratio",
        "volume",
        0.05,
        0.1,
    ),
    Indicator("stoch_k", "{stochastic,stoch,stochastics,stochastic oscillator} {,'s}{%,}{, }k; {stochastic,stoch,stochastics,stochastic oscillator}; {stoch,} %k; k值; kdj 的k值; {随机指标,kd,kdj,kd指标,kdj指标,随机}{,的}{,%}k{,值,线}; 随机指标; 随机振荡指标; {kdj,kd}; k线值; 快速k值; k 值; %k 线; %k 值", ("Stochastic %K", "随机指标K值"), "index", "oscillator", 0.05, 2, defaults=((14, 3, 3), (14, 3), (14,), (9, 3, 3)), bands=OSCILLATOR_80_BANDS),
    Indicator("stoch_d", "{stochastic,stoch,stochastics,stochastic oscillator} {,'s}{%,}{, }d; %d; d值; d 值; {随机指标,kd,kdj,kd指标,kdj指标,随机}{,的}{,%}d{,值,线}; %d 线; %d 值", ("Stochastic %D", "随机指标D值"), "index", "oscillator", 0.05, 2, defaults=((14, 3, 3), (14, 3), (14,), (9, 3, 3)), bands=OSCILLATOR_80_BANDS),
    Indicator("cci", "cci; commodity channel index; 顺势指标; 商品通道指数; 商品通道指标", ("CCI", "CCI"), "index", "cci", 0.05, 5, True, 20, OSCILLATOR_PERIODS, signed=True, bands=CHANNEL_BANDS),
    _oscillator("mfi", "mfi; money flow index; 资金流量指数; 资金流量指标; 资金流指标; 资金流向指标; 资金流指数; 资金流量", ("MFI", "MFI"), 14, OSCILLATOR_80_BANDS),
    Indicator("obv_trend", "obv; on{-, }balance{-, }volume; 能量潮; obv 趋势; obv {trend,line}; obv 线; obv 指标; 能量潮指标", ("OBV", "OBV"), "word", "flow"),
    Indicator(
        "funding_rate_pct",
        "funding; funding rate; funding rates; {,perp,perpetual} funding{, rate}; 资金费率; 资金费; 资金利率; 永续资金费率; 费率; fundingrate; fundingratepct; 合约资金费率",
        ("Funding rate", "资金费率"),
        "percent",
        "funding",
        0.05,
        0.005,
        signed=True,
        bands=FUNDING_BANDS,
    ),
    Indicator(
        "oi_change_pct",
        "open interest; oi; {open interest,oi} change; change in open interest; 未平仓合约; 未平仓量; 未平仓合约量; 持仓量; 未平仓; 合约持仓量; {oi,持仓量,未平仓量,未平仓合约}{变化,变动,变化率,变化幅度}; openinterest; oichange; 全网持仓; 总持仓; 合约持仓",
        ("OI change", "OI变化"),
        "percent",
        "oi",
        0.05,
        0.3,
        signed=True,
        bands=SIGN_BANDS,
    ),
    Indicator(
        "fear_greed",
        "fear {and,&} greed{, index}; fear greed{, index}; fear/greed{, index}; fear-greed{, index}; f&g{, index}; fng; greed index; 恐惧{,与,和,/}贪婪{,指数,指标}; 恐慌{,与,和,/}贪婪{,指数,指标}; 贪婪恐惧指数; 贪恐指数; 恐贪指数; 贪婪指数; 恐惧指数; 恐慌指数; feargreed; sentiment index; 市场情绪指数; 情绪指数",
        ("Fear & Greed", "恐惧贪婪指数"),
        "index",
        "mood",
        0.05,
        2,
        bands=FEAR_BANDS,
    ),
    _line("support", "{,the} {key,major,nearest,main,immediate,critical,local,horizontal,price,} support{, level}{, zone}; supports; support levels; {,关键,主要,重要,最近,核心,近期}{支撑,支撑位,支撑线,支撑价,支撑价位,支撑区,支撑区域}; keysupport; s1; 下方支撑; 下方支撑位", ("Support", "支撑位"), "level"),
    _line("resistance", "{,the} {key,major,nearest,main,immediate,critical,local,horizontal,price,overhead,} resistance{, level}{, zone}; resistances; resistance levels; {,关键,主要,重要,最近,核心,近期}{阻力,阻力位,阻力线,压力,压力位,压力线,阻力价,阻力价位,压力区,阻力区,阻力区域}; keyresistance; r1; 上方阻力; 上方压力; 上方阻力位; 上方压力位", ("Resistance", "阻力位"), "level"),
    _position("side", "position side; 持仓方向; 仓位方向; positionside", ("Side", "方向"), "word"),
    Indicator("entry_price", "{,average,avg,our,my,the} entry{, price}; average entry; cost basis; entered {at,around,near}; opened at; {入场,开仓,建仓,进场,持仓}{价,价格,均价,成本,点位,位}; {持仓,}成本{,价}; 成本价; 成本均价; entryprice; avgentry; entry level; entry point; 入场于; 开仓于; 入场点; 买入价; 开空价; 开多价", ("Entry price", "入场价"), "price", "position", PRICE, position=True),
    _position("profit_pct", "{unrealised,unrealized,open,floating,paper,current,}{, }{profit,gain,gains,pnl,p&l,p/l,profits,return}; {未实现,浮动,当前,账面,现有,}{盈亏,收益,收益率,盈亏率,利润,盈亏比例}; upnl; 浮盈; 盈利; 账面盈利; 未实现盈利; 浮动盈利; 获利; profitpct; pnlpct; in profit by; up by; 当前浮盈; 盈亏幅度; position profit", ("Profit", "浮动盈亏"), signed=True, bands=SIGN_BANDS),
    _position("loss_pct", "{unrealised,unrealized,open,floating,paper,current} {loss,losses}; {,a} loss of; 浮亏; 亏损; 账面亏损; 未实现亏损; 浮动亏损; 当前浮亏", ("Loss", "浮动亏损"), signed=True),
    _position("roe_pct", "roe; return on {equity,margin}; roi; margin return; leveraged {return,profit,gain,pnl}; 保证金{收益,收益率,回报率,回报}; 杠杆{收益,收益率,盈亏}; 含杠杆{收益,收益率,盈亏,浮盈}; 回报率; 投资回报率", ("ROE", "保证金收益率"), absolute=0.0, signed=True),
    _position(
        "mfe_pct",
        "mfe; {maximum,max} favo{,u}rable excursion; favo{,u}rable excursion; {peak,best,max,maximum,highest} {,unrealised,unrealized,open,floating,paper} {profit,gain,pnl,return,move}; 最大{浮盈,有利偏移,有利变动,有利波动,有利幅度,盈利,浮动盈利,利润,有利行情}; 最高{浮盈,盈利,浮动盈利}; 峰值{浮盈,盈利,利润,收益}; 浮盈{峰值,高点,最高}; 最大顺向波动; 最大有利变动幅度; 盈利峰值",
        ("MFE", "最大浮盈"),
        signed=False,
    ),
    _position(
        "mae_pct",
        "mae; {maximum,max} adverse excursion; adverse excursion; {worst,max,maximum,deepest,largest} {,unrealised,unrealized,open,floating,paper} {loss,drawdown,heat,pain}; worst {excursion,point}; 最大{浮亏,不利偏移,不利变动,不利波动,不利幅度,亏损,浮动亏损,回撤,不利行情}; 最深{浮亏,回撤}; 最大逆向波动; 最大不利变动幅度",
        ("MAE", "最大浮亏"),
        magnitude=True,
    ),
    _position(
        "drawdown_from_peak_pct",
        "drawdown{, from {,the,its,our} {peak,top,high,best point,best,mfe}}; {pullback,retracement,giveback,decline,drop} from {,the,its,our} {peak,top,high,best point,best,mfe}; {giveback,given back,gave back,give back,giving back,handed back,surrendered}; 回撤; 利润回撤; 浮盈回撤; {从,自,较,距}{,浮盈,盈利,利润}{峰值,高点,最高点,最高浮盈,最大浮盈}{,已}{回撤,回落,回吐}; 峰值回撤; 高点回撤; {利润,浮盈,盈利}{,已,已经}{回吐,回撤,吐回}; 回吐; 回吐了; drawdownpct; 盈利回撤",
        ("Drawdown from peak", "峰值回撤"),
        magnitude=True,
    ),
    _position("hold_count", "{,bars,candles} held; {held,holding,open} {,for}; hold count; holding {time,period,duration}; time in {,the} trade; bars in {,the} {trade,position}; in {,the,this} {trade,position} {for,since}; {已,已经,}{持仓,持有}{,了,时间,时长,周期,周期数,已,已有,k线数,根数}; holdcount; barsheld; 持仓周期数; 持仓k线数量; 持仓 k 线", ("Bars held", "持仓K线数"), "bars", 1),
    Indicator("leverage", "leverage; lev; leverage of; 杠杆; 杠杆倍数; 杠杆率; 杠杆倍率; leveraged; 倍杠杆", ("Leverage", "杠杆"), "multiple", "position", 0.05, position=True),
    Indicator("size", "position size; size; contracts; quantity; 持仓数量; 仓位数量; 仓位大小; 持仓规模; 头寸规模; 头寸; 持仓张数; positionsize; 仓位规模; 合约张数; 数量", ("Size", "持仓数量"), "amount", "position", 0.05, position=True),
    Indicator("liquidation_price", "{liquidation,liq}{, .}{, price}{, level}; {强平,爆仓,清算}{,价,价格,价位,线}; 强制平仓价; liquidationprice; liqprice; 强平于; 爆仓于", ("Liquidation price", "强平价"), "price", "position", PRICE, position=True),
    Indicator("ema_alignment", "{ema,moving average,ma}{, s} {alignment,stack,order,ribbon}; {,ema,短中长期}{均线,ema}{排列,系统,组合,结构}; the emas; all emas; emas; moving averages; 各均线; 三条均线; 三线", ("EMA alignment", "均线排列"), "word", "alignment"),
)

BY_BASE: Mapping[str, Indicator] = {indicator.base: indicator for indicator in reversed(INDICATORS)}
"""Indicators by their base key; the first entry where two share one."""
