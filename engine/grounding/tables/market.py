"""The table of what can be claimed about the price and its indicators: averages, bands, oscillators, trend, levels."""

from collections.abc import Mapping

from engine.grounding.tables.indicator import AVERAGE_PERIODS, OSCILLATOR_PERIODS, PRICE, IndicatorSpec
from engine.grounding.tables.thresholds import ADX_BANDS, CHANNEL_BANDS, OSCILLATOR_80_BANDS, RSI_BANDS, SIGN_BANDS, Band


def _average(base: str, names: str, label: tuple[str, str], either: str = "") -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "price", "line", PRICE, family=True, periods=AVERAGE_PERIODS, either=either)


def _line(base: str, names: str, label: tuple[str, str], kind: str = "line", defaults: tuple[tuple[int, ...], ...] = ()) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "price", kind, PRICE, defaults=defaults)


def _oscillator(base: str, names: str, label: tuple[str, str], period: int, bands: Mapping[str, Band]) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "index", "oscillator", 0.05, 2, True, period, OSCILLATOR_PERIODS, bands=bands)


def _stochastic(base: str, names: str, label: tuple[str, str]) -> IndicatorSpec:
    defaults = ((14, 3, 3), (14, 3), (14,), (9, 3, 3))
    return IndicatorSpec(base, names, label, "index", "oscillator", 0.05, 2, defaults=defaults, bands=OSCILLATOR_80_BANDS)


def _change(base: str, names: str) -> IndicatorSpec:
    label = ("24h change", "24小时涨跌")
    return IndicatorSpec(base, names, label, "percent", "change", 0.05, 0.2, signed=True, bands=SIGN_BANDS)


def _macd(base: str, names: str, label: tuple[str, str], kind: str = "macd") -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "macd", kind, 0.05, defaults=((12, 26, 9), (12, 26)), signed=True, bands=SIGN_BANDS)


_BB = "{bollinger,bb,boll,bbands}"

MARKET: tuple[IndicatorSpec, ...] = (
    _line(
        "close",
        """
        last {:,=}; px; last {print,quote,seen,seen at,quoted at}; {current,last,latest,market,spot,mark,closing,close}{,_} price; spot;
        last trade;
        last print; the last;
        {the,this} {coin,token}; {the,} {stock,shares,pair};
        the market; market :; 盘中价; 报价; {the,} price; prices; price action; last close; latest close;
        现价; 价格; 股价; 币价; 盘面报; {,we} {'re,are} back at;
        """
        """
        {最新,}成交价; 收盘价; 收盘; 最新价; 市价; 当前价; 当前价格; 最新价格; 标记价格; 现货价; k线收盘; 盘面价格; 行情价格;
        """,
        ("Price", "价格"),
        "price",
    ),
    _change(
        "change_24h_pct",
        """
        24{,-, }{h,hr,hour,hours}{,-, }{gain,rise,advance,pop,jump}; 24{,-, }{h,hr,hour,hours}{,-}{,price} {change,move,performance,return};
        change over {,the} {last,past} 24 {h,hours};
        24 小时{,价格}{涨跌,涨跌幅,涨幅,变化,变动,变化率,变化幅度};
        """
        """
        24 h {涨跌,涨跌幅,涨幅,变化,变动}; {the,} day 's {gain,advance,rise,jump,move,change}; since this time yesterday;
        since yesterday; during {the,} {last,past} {24 h,24 hours,day}; in {a single,one} day; in 24 hours; {daily,day} change;
        change 24 h; 24 小时;
        近 24 小时; 过去 24 小时; 最近 24 小时;
        {,the} {last,past} 24 {h,hours}; 24 h; 24 hours;
        """
        """
        in {the,} {last,past} 24 {h,hours}; in the {last,past} day; 24{,-}hour; in a day; {daily,one-day} {gain,rise,jump,advance};
        {on,over} the day; since yesterday; 24h performance; 单日;
        日内{涨,跌}; 一天; 当日{涨,跌}; {,the} {last,past} day; 日涨跌幅; 日内涨跌幅; 日内涨幅; 当日涨幅; 日涨幅; 一天内; 一日内;
        change_24h; pricechange24h;
        """,
    ),
    _change(
        "drop_24h_pct",
        """
        {the,} day 's {loss,drop,decline,fall,slide}; 24{,-, }{h,hr,hour,hours}{,-, }{loss,drop,decline,fall,slide,dip,slump};
        {daily,one-day} {loss,drop,decline,fall,slide,dip};
        24 小时{跌幅,下跌,跌掉}; 日内跌幅; 当日跌幅; 日跌幅; 单日跌幅;
        """,
    ),
    _oscillator("rsi", "rsi; relative strength index; 相对强弱指数; 相对强弱指标; 相对强弱", ("RSI", "RSI"), 14, RSI_BANDS),
    IndicatorSpec(
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
    IndicatorSpec(
        "plus_di",
        """
        {+,plus,positive}{, -}di; {plus,positive}{ ,-}di; di+; di plus; pdi; 正di; 正向指标; 正向di; diplus; positive directional indicator;
        """,
        ("+DI", "+DI"),
        "index",
        "di",
        0.05,
        2,
        defaults=((14,),),
    ),
    IndicatorSpec(
        "minus_di",
        """
        {-,−,–,minus,negative}{, -}di; {minus,negative}{ ,-}di; di-; di minus; mdi; ndi; 负di; 负向指标; 负向di; diminus;
        negative directional indicator;
        """,
        ("-DI", "-DI"),
        "index",
        "di",
        0.05,
        2,
        defaults=((14,),),
    ),
    _macd(
        "macd",
        """
        macd 主线; 主线; macd; macd line; macd 线; macd 快线; macd 值; dif; dif 线; dif 值; diff 线; 快线; 异同移动平均; 异同移动平均线;
        """,
        ("MACD", "MACD"),
    ),
    _macd(
        "macd_signal",
        """
        {,macd} signal line; macd signal; macd 's signal; {,macd}{,的}信号线; {macd,macd 的}dea; dea; dea 线; dea 值; 慢线; macdsignal;
        signal;
        """,
        ("MACD signal", "MACD信号线"),
        "signal",
    ),
    _macd(
        "macd_hist",
        """
        柱状值; 柱状图值; {,macd} {histogram,hist}; macd {bar,bars}; {macd,macd 's} {histogram,hist};
        {,macd}{,的}{柱,柱状图,柱线,柱体,柱状线,柱子,柱值,直方图,能量柱}; macdhist; macdhistogram; {dif,macd} minus {dea,signal};
        """,
        ("MACD histogram", "MACD柱"),
        "histogram",
    ),
    _average(
        "ema",
        """
        ema; emas; exponential average; exponential moving average; exponential ma; 指数均线; 指数移动平均; 指数移动平均线; ema 均线;
        ema 线;
        """,
        ("EMA", "EMA"),
    ),
    _average(
        "sma",
        """
        sma; smas; simple average; simple {, }mean average; simple moving average; simple ma; 简单均线; 简单移动平均; 简单移动平均线;
        sma 均线;
        """,
        ("SMA", "SMA"),
    ),
    _average(
        "sma",
        """
        ma; mas; moving average; moving averages; dma; 均线; 移动平均线; 移动均线; ma 均线; 日线均线;
        """,
        ("SMA", "SMA"),
        either="ema",
    ),
    _line(
        "bb_upper",
        f"""
        {{upper,top}} {_BB} {{,band}}; {_BB}{{, band, bands}} {{upper,top}} {{,band}}; {_BB}{{,带}}{{,的}}上轨;
        {{upper,top}} {{band,rail}}; {{upper,top}} {_BB} {{line,rail}}; 上轨;
        布林{{,带,线,通道}}{{,的}}{{上轨,上沿}}; bb {{up,high}}; {_BB} {{ceiling,roof,top}};
        {{the,}} upper one; {{upper,top}} {{envelope,boundary,edge}}; bbupper; 上布林带; 布林上限;
        """,
        ("Bollinger upper", "布林上轨"),
        defaults=((20, 2), (20,)),
    ),
    _line(
        "bb_middle",
        f"""
        {{middle,mid}} {_BB} {{,band}}; {_BB}{{, band}} {{middle,mid,midline,basis}} {{,band}}; {_BB}{{,带}}{{,的}}中轨;
        {{middle,mid,central}} {{band,rail}}; mid-band; midband; {{middle,mid}} {_BB} {{line,rail}}; 中轨;
        布林{{,带,线,通道}}{{,的}}中轨; bb mid; the basis; basis line; midline; its midline; {{the,}} middle one; {{middle,mid}} line;
        {_BB} basis; bbmiddle;
        bollinger midline; 布林中线;
        """,
        ("Bollinger middle", "布林中轨"),
        defaults=((20, 2), (20,)),
    ),
    _line(
        "bb_lower",
        f"""
        {{lower,bottom}} {_BB} {{,band}}; {_BB}{{, band, bands}} {{lower,bottom}} {{,band}}; {_BB}{{,带}}{{,的}}下轨;
        {{lower,bottom}} {{band,rail}}; {{lower,bottom}} {_BB} {{line,rail}}; 下轨; 布林{{,带,线,通道}}{{,的}}{{下轨,下沿}};
        {_BB} {{floor,base,bottom}}; {{the,}} lower one; {{lower,bottom}} {{envelope,boundary,edge}}; bb {{low,down}}; bblower;
        下布林带; 布林下限;
        """,
        ("Bollinger lower", "布林下轨"),
        defaults=((20, 2), (20,)),
    ),
    IndicatorSpec(
        "bands",
        f"""
        {{band,bands}} edges; {_BB} edges; {_BB} band; {_BB} bands; {_BB} channel; {_BB}; the bands; the envelope;
        布林{{,带}}上中下{{,三}}轨; 布林带; 布林; 布林线; 布林通道;
        布林轨道;
        """,
        ("Bollinger bands", "布林带"),
        "price",
        "channel",
        defaults=((20, 2), (20,)),
    ),
    _line(
        "vwap",
        """
        vwap; volume weighted average price; volume-weighted average price; 成交量加权均价; 成交量加权平均价; 成交均价; 加权均价;
        """,
        ("VWAP", "VWAP"),
    ),
    IndicatorSpec(
        "atr",
        "the average true range; atr; atrs; average true range; 平均真实波幅; 平均真实波动幅度; 真实波幅; 平均波幅; 平均真实区间",
        ("ATR", "ATR"),
        "price",
        "atr",
        0.05,
        0.0,
        True,
        14,
        OSCILLATOR_PERIODS,
    ),
    IndicatorSpec(
        "atr_pct",
        """
        atr {%,pct,percent,percentage}; atr/{价格,现价,price,close}; atr 百分比; atr 占比; atr 比例; atr 波动率; natr; atrpct;
        {,atr} {volatility,atr} as {,a} {percent,percentage} of {,the} {price,close};
        """,
        ("ATR %", "ATR占比"),
        "percent",
        "atr_pct",
        0.05,
        0.1,
    ),
    _stochastic(
        "stoch_k",
        """
        {,%}k line; stochastic line; {stochastic,stoch,stochastics,stochastic oscillator} {,'s}{%,}{, }k;
        {stochastic,stoch,stochastics,stochastic oscillator};
        {stoch,} %k; k值; kdj 的k值; {随机指标,kd,kdj,kd指标,kdj指标,随机}{,的}{,%}k{,值,线}; {随机指标,随机,kd,kdj}{,的}{,%}k/{,%}d;
        随机指标; 随机振荡指标; {kdj,kd}; k线值;
        快速k值; k 值; %k 线; %k 值; {,stoch ,stochastic }{%,}k/{%,}d; kd 值;
        """,
        ("Stochastic %K", "随机指标K值"),
    ),
    _stochastic(
        "stoch_d",
        """
        {,%}d line; {stochastic,stoch,stochastics,stochastic oscillator} {,'s}{%,}{, }d; %d; d值; d 值;
        {随机指标,kd,kdj,kd指标,kdj指标,随机}{,的}{,%}d{,值,线}; d 线; d线值; %d 线; %d 值;
        """,
        ("Stochastic %D", "随机指标D值"),
    ),
    IndicatorSpec(
        "cci",
        "cci; commodity channel index; 顺势指标; 商品通道指数; 商品通道指标",
        ("CCI", "CCI"),
        "index",
        "cci",
        0.05,
        5,
        True,
        20,
        OSCILLATOR_PERIODS,
        signed=True,
        bands=CHANNEL_BANDS,
    ),
    _oscillator(
        "mfi",
        """
        mfi; money flow; {money flow,money-flow} {index,oscillator}; 资金流量指数; 资金流量指标; 资金流指标; 资金流向指标; 资金流指数;
        资金流量;
        """,
        ("MFI", "MFI"),
        14,
        OSCILLATOR_80_BANDS,
    ),
    _line(
        "support",
        """
        {,the} {key,major,nearest,main,immediate,critical,local,horizontal,price,} support{, level}{, zone}; sup; supp;
        {key,major,main} floor; supports; support levels;
        {,关键,主要,重要,最近,核心,近期}{支撑,支撑位,支撑线,支撑价,支撑价位,支撑区,支撑区域}; keysupport; s1; 下方支撑; 下方支撑位;
        """,
        ("Support", "支撑位"),
        "level",
    ),
    _line(
        "resistance",
        """
        res; ceiling; {,the} {key,major,nearest,main,immediate,critical,local,horizontal,price,overhead,} resistance{, level}{, zone};
        resistances;
        resistance levels; {,关键,主要,重要,最近,核心,近期}{阻力,阻力位,阻力线,压力,压力位,压力线,阻力价,阻力价位,压力区,阻力区,阻力区域};
        keyresistance; r1; 上方阻力; 上方压力; 上方阻力位; 上方压力位;
        """,
        ("Resistance", "阻力位"),
        "level",
    ),
    IndicatorSpec(
        "ema_alignment",
        """
        {ema,moving average,ma}{, s} {alignment,stack,order,ribbon}; {,ema,短中长期}{均线,ema}{排列,系统,组合,结构}; the emas; all emas;
        emas; moving averages; 各均线; 三条均线; 三线;
        """,
        ("EMA alignment", "均线排列"),
        "word",
        "alignment",
    ),
)
