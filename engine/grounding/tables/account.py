"""The table of what can be claimed about a cash account and the shares in it: cash, total, shares, average price, weight, drawdown.

The position of a perpetual contract (`position.py`) has no names here beside those of its profit: an account holds shares or it does not,
without leverage or a side, and a statement about shares can be checked when there are none.
"""

from dataclasses import replace

from engine.domain.facts import Unit
from engine.grounding.tables.indicator import PRICE, IndicatorSpec
from engine.grounding.tables.position import POSITION
from engine.grounding.tables.thresholds import SIGN_BANDS

_ACCOUNT_ZH = "{账户,总账户,帐户}"
_WHOLE_ZH = "{账户,总资产,组合,总仓位,总市值,账户总值,账户净值,账户资产,投资组合,净值,资金}"
_NAMED = {
    "profit_pct": "{unrealised,unrealized,paper} {profit,gain,pnl,p&l}; 浮盈; 浮动盈亏; 浮动盈利; 账面{盈利,浮盈,收益}",
    "loss_pct": "{unrealised,unrealized,paper} loss; 浮亏; 浮动亏损; 账面{亏损,浮亏}",
}


def _account(
    base: str, names: str, label: tuple[str, str], kind: str = "account", unit: Unit = "amount", relative: float = 0.01
) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, unit, kind, relative, bands=SIGN_BANDS)


ACCOUNT: tuple[IndicatorSpec, ...] = (
    _account(
        "account_cash",
        """
        {,available ,free ,idle ,uninvested ,settled ,spare }cash{, balance, pile, available, position, on hand, in the account,
        in hand, at hand}; {account,our,available} cash; cash {in,of} {the,our} account; buying power;
        {账户,可用,剩余,闲置,手头,手中,账上,账户可用}{,的}{现金,资金}; 现金{余额,}; 可用{余额,资金}; 现金{储备,头寸}; 账户里的现金
        """,
        ("Cash", "现金"),
    ),
    _account(
        "account_total_value",
        f"""
        {{,the ,our ,whole }}account{{, total}} {{value,equity,size,balance}}; {{,the ,our }}{{account,portfolio}} is worth; {{,
        the }}value of the account;
        total {{account,portfolio}} value; {{portfolio,total}} value; the whole account; net liquidation value; account total;
        total {{equity,assets of the account}}; {_ACCOUNT_ZH}{{,的}}{{总值,总资产,总市值,净值,总额,权益,总权益,资产总值,资产}}; 总资产;
        组合{{总值,净值}}
        """,
        ("Account value", "账户总值"),
    ),
    _account(
        "position_value",
        """
        {,the ,our }{position,holding,stake}{, 's} {value,market value,is worth}; value of {the,our} {position,holding,stake,shares};
        {,a ,the }{position,holding,stake} worth; {shares,position,holding,stake} {is,are} worth; {,a }position of; {持仓,持股,仓位,
        头寸}{,的}{市值,价值,金额,总值}; 所持市值
        """,
        ("Position value", "持仓市值"),
    ),
    _account(
        "largest_allowed_order",
        """
        {,the ,our }{largest,biggest,maximum,max} {,allowed ,permitted ,permissible ,possible ,single }{order,buy,purchase,trade}
        {,size ,value }{, allowed, permitted, we may place, we can place, available};
        {order,trade} {limit,ceiling,cap}; {an order of,orders of} {at most,up to}; {,单笔,单次,系统允许的,允许的,当前}{最大,最高}{,可,
        允许,可允许}{,的}
        {下单,订单,买入,委托}{,金额,额,额度,规模}; {,最大}可下单{,金额,额,额度}{,的}{上限,}; 下单{上限,限额,额度}; 单笔{上限,限额};
        最大订单{金额,额,};
        最大可下单{金额,额,}; 单笔最大可下单{金额,额,}
        """,
        ("Largest allowed order", "最大可下单金额"),
    ),
    _account(
        "shares_held",
        """
        {shares,number of shares,stock} {held,owned,in the account}; current holding{, is}; holding {:,=}; {position,holding} size;
        number of shares; {持股,持仓}{数,数量,股数}; {持有,所持}{股数,股份数}; 持仓股数
        """,
        ("Shares held", "持股数"),
        "shares",
        relative=0.0,
    ),
    _account(
        "average_price",
        """
        {,the ,an }{average,avg,avg .,mean} {price,cost,entry,purchase price,entry price,
        cost basis,fill}{, paid, per share, a share}; cost basis; {,
        an ,the }average of;
        {our,the,its} {entry,entry price,basis,cost}; entry price;
        {bought,acquired,purchased} at{, an average of}; {,持仓,买入,平均,持股,建仓}{均价,成本,成本价,
        平均成本,平均价,平均价格}; 平均{成本,价格};
        {持仓,买入,持股}{成本,均价}; 成本
        """,
        ("Average price", "持仓均价"),
        "price",
        "price",
        PRICE,
    ),
    IndicatorSpec(
        "position_weight_pct",
        f"""
        {{position,portfolio,its,our}} weight; weight; weighting; {{,a }}weight of; weight in {{the,our}} {{account,portfolio,book}};
        position_weight; {{仓位,持仓,该股,该仓位,该持仓}}{{,已,已经,仅,只,目前,现}}占{{,了}}{{,我们}}{_WHOLE_ZH}{{,的}}{{,比例,比,比重}};
        占{{,了}}{{,我们}}{_WHOLE_ZH}{{,的}}{{,比例,比,比重}}; {{仓位,持仓,}}占比; 仓位{{比例,占比,权重,}}; {{持仓,组合}}{{权重,比例,
        比重}}; 权重
        """,
        ("Position weight", "仓位占比"),
        "percent",
        "weight",
        0.03,
        0.5,
    ),
    IndicatorSpec(
        "max_drawdown_pct",
        f"""
        {{,the ,our ,account }}{{max,maximum,worst,largest,deepest,peak-to-trough,account}} {{drawdown,draw-down,dd}}; drawdown; {{,历史,
        {_ACCOUNT_ZH}}}{{最大,}}回撤{{,幅度,率}};
        {_ACCOUNT_ZH}{{,的}}{{,历史}}{{最大,}}回撤
        """,
        ("Max drawdown", "最大回撤"),
        "percent",
        "drawdown",
        0.05,
        0.2,
        magnitude=True,
    ),
    *(replace(spec, names=_NAMED.get(spec.base, "")) for spec in POSITION),
)
