"""The table of what can be claimed about an open position: side, entry, profit, excursions, drawdown, age, leverage, size, liquidation."""

from engine.domain.facts import Unit
from engine.grounding.tables.indicator import PRICE, IndicatorSpec
from engine.grounding.tables.thresholds import SIGN_BANDS


def _position(
    base: str,
    names: str,
    label: tuple[str, str],
    unit: Unit = "percent",
    absolute: float = 0.2,
    *,
    signed: bool = False,
    magnitude: bool = False,
) -> IndicatorSpec:
    bands = SIGN_BANDS if signed else {}
    return IndicatorSpec(
        base, names, label, unit, "position", 0.05, absolute, position=True, signed=signed, magnitude=magnitude, bands=bands
    )


POSITION: tuple[IndicatorSpec, ...] = (
    _position("side", "position side; 方向; 持仓方向; 仓位方向; positionside", ("Side", "方向"), "word"),
    IndicatorSpec(
        "entry_price",
        """
        {we,i} {paid,initiated at,established at}; {we,i} opened {,the ,this ,our }{trade,position,long,short} at; our {breakeven,
        break-even}{, point, price, level}; {,the ,our ,this }{trade,position,long,short} was {opened,established,initiated,put on,
        entered,taken} {,at,around};
        {,average,avg,our,my,the} entry{, price}; average entry; cost basis; entered {at,around,near}; opened at;
        {入场,开仓,建仓,进场,持仓}{价,价格,均价,成本,点位,位}; {持仓,}成本{,价}; 成本价; 成本均价; {入场,开仓,进场,建仓,entry} {:,=};
        entryprice; avgentry; entry level; {shorting,longing,shorted,longed} {,it,them} {,in} at; fill; {,our,my,the} fill price;
        {,we} {bought,sold,shorted,longed,filled} {,in,it,them} {at,from};
        {,持仓,我们}均价;
        we {shorted,longed,bought}; {,we ,they ,i }got in {at,from}; {short,long,trade,position} opened {,at,from}; {average,avg} cost;
        {,we ,i ,they }went in at; {进场,建仓}于; entry point;
        {做空,做多,开空,开多}均价; {空头,多头,空单,多单}入场; 入场于; 开仓于; 入场点; 买入价;
        开空价; 开多价;
        """,
        ("Entry price", "入场价"),
        "price",
        "position",
        PRICE,
        position=True,
    ),
    _position(
        "profit_pct",
        """
        {unrealised,unrealized,open,floating,paper,current,}{, }{profit,gain,gains,pnl,p&l,p/l,profits,return};
        {未实现,浮动,当前,账面,现有,}{盈亏,收益,收益率,盈亏率,利润,盈亏比例}; upnl; 浮盈; 盈利; 账面盈利; 未实现盈利; 浮动盈利; 获利;
        profitpct; pnlpct; unreali{s,z}ed; {we are,we 're,i am} sitting on; cushion; banked on paper; cushion of;
        {is,are} {,still} left{, on the table}; left on the table; {remains,remaining} on the table; floating;
        {has,have} {,only,just} earned; 现盈; 现浮盈; in profit by; mark-to-market; 还赚; 当前浮盈;
        账面; 赚; 赚了; 赚着; 净赚; 盈亏幅度; position profit;
        """,
        ("Profit", "浮动盈亏"),
        signed=True,
    ),
    _position(
        "loss_pct",
        """
        {unrealised,unrealized,open,floating,paper,current} {loss,losses}; {,a} loss of; the loss; loss; losing; 亏; 亏了; 亏着; 净亏;
        浮亏; 亏损; 已套; 套了;
        账面亏损; 未实现亏损; 浮动亏损;
        当前浮亏;
        """,
        ("Loss", "浮动亏损"),
        signed=True,
    ),
    _position(
        "roe_pct",
        """
        按保证金{算,计算}{,的}{收益率,回报率}; 保证金口径{,的}{收益率,回报率}; roe; return on {equity,margin}; roi; margin return;
        leveraged {return,profit,gain,pnl}; 保证金{收益,收益率,回报率,回报};
        杠杆{收益,收益率,盈亏}; 含杠杆{收益,收益率,盈亏,浮盈}; 回报率; 投资回报率;
        """,
        ("ROE", "保证金收益率"),
        absolute=0.0,
        signed=True,
    ),
    _position(
        "mfe_pct",
        """
        run in {our,its,the} favour; {ahead,up} at {the,its,our} {best,high} {point,mark}; {top,high} tick;
        the best {this,the} {short,long,trade,position} {ever,} {showed,saw,had,got}; {最多,最高}{,只,也只,曾}赚{,到}过;
        {,it ,trade ,we }ran {as far as,to as much as,as high as}; {largest,biggest,greatest} favo{,u}rable {move,excursion,swing};
        peak unreali{s,z}ed; {,a ,the ,its ,our }best point of; best moment; best mark ever seen; best print;
        {best,max} {run-up,runup}; {,a,the,our} best of; best unreali{s,z}ed;
        peak; crest; peak 时有; 最好时; 最风光时; 最高时{,浮盈}; 最高摸到; 最高时浮盈一度摸到; at its best; best mark;
        {topping out,topped out} at; {,its,a,the} high-water mark; {best,peak} run; peaking at;
        a peak of; peak of;
        {favorable,favourable} peak; {best,peak} excursion; mfe;
        {,it,we,the trade,position} {peaked,topped out,crested} at;
        the best {it,we} {ever,} {saw,had};
        the high{, }-{, }water mark of; {maximum,max} favo{,u}rable excursion;
        最高{曾,曾经,}{赚,赚过,赚到}; 本单最高赚过; 顶峰; 盈利顶峰; {最远,最大}顺行; 顺行{最远,最大}; 峰值; favo{,u}rable excursion;
        {peak,best,max,maximum,highest} {,unrealised,unrealized,open,floating,paper} {profit,gain,pnl,return,move};
        最大{浮盈,有利偏移,有利变动,有利波动,有利幅度,盈利,浮动盈利,利润,有利行情}; 最高{浮盈,盈利,浮动盈利}; 峰值{浮盈,盈利,利润,收益};
        浮盈{峰值,高点,最高}; 最大顺向波动; 最大有利变动幅度; 盈利峰值;
        """,
        ("MFE", "最大浮盈"),
        signed=False,
    ),
    _position(
        "mae_pct",
        """
        adverse swing; 最深的时候{,到过}; 最深亏{,到,过}; {largest,biggest,greatest} adverse {one,move,excursion,swing};
        最糟糕时{,浮亏,亏到}; 最糟时{,浮亏}; 最惨时浮亏; 最差时浮亏; 不利波动{最多,最大,}; as bad as; worst; most pain;
        {最难看的时候,最坏时,最惨时,最深时}{,的,套了,亏过,也才亏过,亏了,套过};
        {deepest,worst,largest} {excursion,moment,adverse move,dip};
        the worst {it,we,this trade,the trade,this position,the position} {ever,} {looked,saw,had,was}; the {heat,pain} we {took,take};
        the deepest it {,ever} {went,ran,got} against {us,it,me};
        历史最深浮亏; {maximum,max} adverse move; mae; heat;
        {,maximum,max,worst} heat {of,taken}; the worst {it,we} {ever,} {saw,had,was}; {,an} excursion of; against us by;
        at {,its,the} worst;
        {最深,最大,最多}{,只,仅}{逆行,套过,亏过}; 逆行; {maximum,max} adverse excursion; adverse excursion;
        {worst,max,maximum,deepest,largest} {,unrealised,unrealized,open,floating,paper} {loss,drawdown,heat,pain};
        worst {excursion,point}; 最大{浮亏,不利偏移,不利变动,不利波动,不利幅度,亏损,浮动亏损,回撤,不利行情}; 最深{浮亏,回撤};
        最大逆向波动; 最大不利变动幅度;
        """,
        ("MAE", "最大浮亏"),
        magnitude=True,
    ),
    _position(
        "drawdown_from_peak_pct",
        """
        {slide,swing,retreat,fall,fade,slippage} from {that,the,its,our} {profit peak,peak,best{, point},high,top,crest};
        {profit,gain,gains} {has,have} {fallen,slipped,slid,dropped,come} {,back} by;
        {drawdown,pullback} from {the,its,our} profit {peak,high}; dd{_, }from{_, }peak; 离峰值{,究竟,已经,已}{回撤,回吐};
        {has,have} been {surrendered,given back,handed back,lost} from {the,its,our} {peak,top,high};
        {has,have} {evaporated,gone,vanished,slipped away} since {the,its,our} {peak,top,high}; {points,pts,pp} from {the,its} top;
        {从,自,较,距}{最高浮盈,最大浮盈,峰值}处{,已,已经}{回撤,回落,回吐}; {has,have} been returned{, since}; {points,pts,pp} are gone;
        从{最优点,最佳点,最好点位}{退了,回落了,回撤了,回落,回撤}; drawdown_from_peak; drawdownfrompeak;
        drawdown{, from {,the,that,its,our} {peak profit,best profit,peak gain,peak,top,high,best point,best,mfe}};
        {pullback,retracement,give-back,giveback,decline,drop} from {,the,that,its,our} {peak,top,high,best point,best,mfe};
        {points,pts,pp,percentage points} {from,off,below} {the,its,our,that} {peak,high,top,best,high-water mark};
        {come,comes,came} off {the,its,that} {peak,top,high-water mark}; have come off {the,its} {peak,top};
        从峰值{掉下来,掉了,掉下,落下,跌下}; {points,pts,pp} {handed,given} back;
        {points,pp} of {pullback,giveback,give-back} from {,the,that,its} peak;
        {从,自,较,距}{,浮盈}{峰值,高点,最高点,顶部}{,已,已经}{吐了,吐回,吐回了,吐掉,吐出};
        {pullback,retracement,giveback,decline,drop} from {,the,its,our} {peak,best} {profit,gain};
        {giveback,give-back,coughed up,given back,gave back,give back,giving back,handed back,surrendered}; 回撤; 利润回撤; 浮盈回撤;
        {从,自,较,距}{,浮盈,盈利,利润}{峰值,高点,最高点,最高浮盈,最大浮盈}{,已}{回撤,回落,回吐}; 峰值回撤; 高点回撤;
        {利润,浮盈,盈利}{,已,已经}{回吐,回撤,吐回}; 回吐; 回吐了; drawdownpct; 盈利回撤;
        """,
        ("Drawdown from peak", "峰值回撤"),
        magnitude=True,
    ),
    _position(
        "hold_count",
        """
        into {the,this,our} {hold,trade,short,long,position}; been in {,this trade,it} for;
        sitting in {this,the,our} {short,long,trade,position} for; {hold,trade,position,long,short} has lasted; hold {=,:};
        {,the} bar count; has lasted; {has,have} {passed,elapsed,gone by}{, since entry, since the entry, since we entered}; 走了;
        has aged; age;
        elapsed; of holding; carried {,for}; {run,running} for; {,bars,candles} held; on the clock; {bars,candles} in;
        {已扛,扛了,已熬,熬过,熬了,空了,拿了,已拿,才拿了,已持,已拿了,持有了,拿单,拿住了,距入场已过,距入场,入场已,已走}; 持仓不过; 持仓已;
        {held,holding,open} {,for}; hold count; holding {time,period,duration}; time in {,the} trade;
        bars in {,the} {trade,position}; in {,the,this} {trade,position} {for,since};
        {已,已经,}{持仓,持有}{,了,时间,时长,周期,周期数,已,已有,k线数,根数}; holdcount; barsheld; 持仓周期数; 持仓k线数量; 持仓 k 线;
        """,
        ("Bars held", "持仓K线数"),
        "bars",
        1,
    ),
    IndicatorSpec(
        "leverage",
        "{we,i} run here; leverage; geared; gearing; lev; lever; leverage of; 杠杆; 杠杆倍数; 杠杆率; 杠杆倍率; leveraged; 倍杠杆",
        ("Leverage", "杠杆"),
        "multiple",
        "position",
        0.05,
        position=True,
    ),
    IndicatorSpec(
        "size",
        """
        position size; size; contracts; quantity; 持仓数量; 仓位数量; 仓位大小; 持仓规模; 头寸规模; 头寸; 持仓张数; positionsize;
        仓位规模; 规模; 合约张数; 数量;
        """,
        ("Size", "持仓数量"),
        "amount",
        "position",
        0.05,
        position=True,
    ),
    IndicatorSpec(
        "liquidation_price",
        """
        {liquidation,liq}{, .}{, price}{, level}; {强平,爆仓,清算}{,价,价格,价位,线}; 强制平仓价; {强平价,爆仓价}设在; liquidationprice;
        强制平仓线; 强平位; {,gets,is,be} liquidated at; liquidates at;
        liqprice; 强平于;
        爆仓于;
        """,
        ("Liquidation price", "强平价"),
        "price",
        "position",
        PRICE,
        position=True,
    ),
)
