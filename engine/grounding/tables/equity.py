"""The table of the equities desk: a company, the daily price of its shares with the indicators, and the account that trades them."""

from dataclasses import replace

from engine.grounding.tables.account import ACCOUNT
from engine.grounding.tables.company import COMPANY
from engine.grounding.tables.flows import FLOWS
from engine.grounding.tables.indicator import PRICE, IndicatorSpec
from engine.grounding.tables.market import MARKET
from engine.grounding.tables.table import IndicatorTable, ValueWord
from engine.grounding.tables.thresholds import SIGN_BANDS
from engine.grounding.words.equity import EQUITY_WORDS

_OF_A_CONTRACT = frozenset({"change_24h_pct", "drop_24h_pct", "funding_rate_pct", "oi_change_pct", "fear_greed"})


def _end_of_a_year(end: str, english: str, short: str, label: str, chinese: str, chinese_short: str) -> IndicatorSpec:
    """Return the highest or the lowest price of 52 weeks. end: `high` or `low`. english, chinese: its words behind "52-week"; short,
    chinese_short: those behind "one-year"."""
    return IndicatorSpec(
        f"{end}_52w",
        f"""
        {{,the ,its }}{{52,52-,fifty-two-,fifty-two }}{{week,weeks,wk}} {english}; {{,the ,its }}52 w {short}; {end}_52w; 52w{end[0]};
        {{,the ,its }}{{one-year,1-year,12-month,yearly}} {short};
        52 周{{,的,内}}{chinese}; {{一年,近一年,年内,近一年来}}{{,的,内}}{chinese_short}
        """,
        (f"52-week {end}", f"52周{label}"),
        "price",
        "line",
        PRICE,
    )


_DAY = (
    _end_of_a_year("high", "{high,highs,peak}", "{high,peak}", "最高", "{最高,高点,高位,最高价,最高点,新高}", "{最高,高点,最高价,最高点}"),
    _end_of_a_year("low", "{low,lows,trough}", "{low,trough}", "最低", "{最低,低点,低位,最低价,最低点,新低}", "{最低,低点,最低价,最低点}"),
    IndicatorSpec(
        "previous_close",
        """
        {,the ,its }{previous,prior,preceding,last session 's,yesterday 's} {close,closing price}; {,a ,the }previous close of;
        close of {the,} previous {day,session}; previousclose;
        prev close; prev . close; {昨收,前收,昨日收盘,前收盘,昨收盘,前日收盘,昨天收盘,昨日收盘价,前收盘价,昨收价}{,价}; {前一交易日,
        上一交易日,前一日,上个交易日}{,的}{收盘,收盘价,收盘价格}
        """,
        ("Previous close", "昨收"),
        "price",
        "former_price",
        PRICE,
        change="change_1d_pct",
    ),
    IndicatorSpec(
        "change_1d_pct",
        """
        {day,daily,one-day,1-day,1 day,session} {change,move,gain,performance,return,rise}; {day 's,today 's,the day 's,
        session 's} {change,move,gain,loss,rise,drop}; change on the day;
        {当日,今日,日内,单日,日}{涨跌幅,涨跌,涨幅,涨跌幅度}; 涨跌幅
        """,
        ("Change on the day", "当日涨跌"),
        "percent",
        "change",
        0.05,
        0.2,
        signed=True,
        bands=SIGN_BANDS,
    ),
)


def _daily(spec: IndicatorSpec) -> IndicatorSpec:
    """Return the entry as shares have it: their price moves by the day."""
    if spec.base == "close":
        return replace(spec, change="change_1d_pct", names=f"{spec.names}; {{,the ,its }}{{shares,stock}} price; share price; 股价")
    return spec


EQUITY = IndicatorTable(
    "equity",
    (*ACCOUNT, *COMPANY, *_DAY, *(_daily(spec) for spec in (*MARKET, *FLOWS) if spec.base not in _OF_A_CONTRACT)),
    readings=(
        ValueWord(
            "profitable",
            """
            {,is ,are ,remains ,stays }profitable; {makes,making,turns,turning} {money,a profit}; in the black; earns money;
            solidly profitable; {处于,保持,持续,已经实现,已实现,实现,实现了,维持,稳定}盈利{,状态};
            公司{,是}{盈利,盈利的,赚钱的}; 扭亏为盈; 赚钱; {处在,处于}盈利{状态,之中}
            """,
            frozenset(),
            ("profitable", "盈利"),
            "net_margin_pct",
        ),
        ValueWord(
            "unprofitable",
            """
            {,is ,are ,remains ,stays }unprofitable; {loses,losing} money; loss-making; loss making; {makes,making,runs at,running at,
            posts} a loss; in the red; not yet profitable; {处于,仍在,持续,依然,仍然,还在,正在,仍,陷入,出现,尚在}亏损{,状态};
            公司{,是}{亏损,亏损的}; 亏钱; {未,尚未,没有}{实现,}盈利; 由盈转亏
            """,
            frozenset(),
            ("unprofitable", "亏损"),
            "net_margin_pct",
        ),
        ValueWord("growing", "", frozenset({"growth"}), ("growing", "增长")),
        ValueWord("shrinking", "萎缩; 在萎缩; 正在萎缩; 负增长", frozenset({"growth", "volume"}), ("shrinking", "下降")),
        ValueWord(
            "no_position",
            """
            {we have,we hold,we currently have,we currently hold,there is,there 's,currently,holding,have,hold} no {,open ,existing ,
            current }{position,holding,shares,stake}; no {position,shares,stock} {is,are} {held,open,owned};
            {we,account,book,desk,portfolio} {are,is,'re,remains,remain,stays,stay} {,currently ,still ,now }flat; no shares {held,owned};
            no {,open ,existing ,current }position; {we,} {don't,do not} {,currently }{hold,own,have} {any,a single,a} {shares,share,
            position,stock}; hold nothing; own nothing;
            {账户,目前,当前,我们,我方,}{,目前,当前,仍,仍然}空仓; {,目前,当前,我们,账户,我方}{没有,无,尚无,并无,未}{,任何}持仓; {未,尚未,
            并未,没有}{持有,持仓}{,该股,该股票,任何股份,股票}; 零持仓; 未建仓
            """,
            frozenset({"shares"}),
            ("no position", "无持仓"),
            "shares_held",
        ),
        ValueWord(
            "net_long",
            """
            {we,account,book,desk} {are,is,'re,remains,remain} {,currently ,already ,still ,net }long; net long; {we,} {already,
            currently} {own,hold} {the,this} {stock,shares,name}; {已经,已,目前}{持有该股,持有该股票,有持仓,持仓中}; 处于持仓状态
            """,
            frozenset({"shares"}),
            ("long", "持有"),
            "shares_held",
        ),
    ),
    record=(
        "pe_ratio",
        "ps_ratio",
        "net_margin_pct",
        "return_on_equity_pct",
        "revenue_growth_pct",
        "debt_to_equity",
        "rsi_14",
        "sma_200",
        "shares_held",
        "average_price",
        "position_weight_pct",
        "account_cash",
        "max_drawdown_pct",
        "largest_allowed_order",
    ),
    words=EQUITY_WORDS,
    periods=True,
)
