"""The table of what can be claimed about a company: multiples, margins, returns, growth, income, balance sheet, dividends.

Keys, units and tolerances are those of the grounding convention, "Company and account facts". A period (`quarterly.revenue`) is read like
a timeframe: one that has no facts is never compared with another.
"""

from engine.grounding.tables.indicator import IndicatorSpec
from engine.grounding.tables.thresholds import GROWTH_BANDS, SIGN_BANDS

_POINTS = 0.5
_SMALL_POINTS = 0.2
_EARNINGS = "{net income,net profit,net profits,net earnings,earnings,profits,profit}"
_EARNINGS_ZH = "{归母净利润,归母净利,净利润,净利,归属净利润,盈利,利润}"
_SALES = "{revenue,revenues,sales,net sales,top line,top-line}"
_SALES_ZH = "{营收,营业收入,营业总收入,收入,销售额,销售收入}"
_CASH_FLOW = "{free cash flow,free-cash-flow,free cashflow,fcf}"
_RATE_ZH = "{率,比率,比例}"
_YEAR = "{yoy,y/y,year-on-year,year on year,year-over-year,year over year}"


def _multiple(base: str, names: str, label: tuple[str, str]) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "ratio", "valuation", 0.03)


def _ratio(base: str, names: str, label: tuple[str, str]) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "ratio", "balance", 0.03)


def _percent(base: str, names: str, label: tuple[str, str], kind: str = "share", absolute: float = _POINTS) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "percent", kind, 0.03, absolute, bands=SIGN_BANDS)


def _growth(base: str, names: str, label: tuple[str, str]) -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "percent", "growth", 0.03, _POINTS, signed=True, bands=GROWTH_BANDS)


def _amount(base: str, names: str, label: tuple[str, str], change: str = "") -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "amount", "amount", 0.02, bands=SIGN_BANDS, change=change)


def _per_share(base: str, names: str, label: tuple[str, str], change: str = "") -> IndicatorSpec:
    return IndicatorSpec(base, names, label, "price", "per_share", 0.01, bands=SIGN_BANDS, change=change)


COMPANY: tuple[IndicatorSpec, ...] = (
    _multiple(
        "pe_ratio",
        """
        {,the ,a ,trailing }{p/e,pe,p / e,p-e,price/earnings,price-earnings,price-to-earnings,price to earnings,earnings multiple}
        {,ratio,multiple,multiples}; trailing {multiple,p/e}; peratio; {当前,滚动,}市盈率{,ttm,(ttm),( ttm )}; 市盈; pe值;
        pe倍数;
        {滚动,}pe{估值,}; {pe,p/e}{-ttm,ttm,(ttm), ttm, (ttm)}; 市盈率{倍数,估值}
        """,
        ("P/E", "市盈率"),
    ),
    _multiple(
        "forward_pe",
        """
        {forward,fwd,prospective,one-year forward,next-year,expected} {p/e,pe,price/earnings,price-to-earnings,multiple,earnings multiple}
        {,ratio,multiple}; {远期,预期,前瞻,动态,静态,未来}{市盈率,pe}; {static} {p/e,pe};
        {industry,sector,peer,average,median,historical,five-year}
        {,average,median} {p/e,pe}; {行业,同行,板块,历史}{,平均}{市盈率,pe}; {shiller,cyclically adjusted} {p/e,pe}
        """,
        ("Forward P/E", "远期市盈率"),
    ),
    _multiple(
        "pb_ratio",
        """
        {,the ,a }{p/b,pb,p / b,price/book,price-book,price-to-book,price to book,price-to-book-value,book multiple}{, ratio,, multiple};
        pbratio;
        市净率; pb值; 市净率{倍数,估值}
        """,
        ("P/B", "市净率"),
    ),
    _multiple(
        "ps_ratio",
        """
        {,the ,a }{p/s,ps,p / s,price/sales,price-sales,price-to-sales,price to sales,sales multiple,price-to-revenue}{, ratio,, multiple};
        psratio; 市销率; ps值; 市销率{倍数,估值}
        """,
        ("P/S", "市销率"),
    ),
    _multiple(
        "peg_ratio",
        """
            {,the ,a }{peg,price/earnings-to-growth,price-earnings-to-growth}{, ratio}; pegratio; peg值; 市盈率相对盈利增长{比率,率};
            市盈增长{比率,比}
        """,
        ("PEG", "PEG"),
    ),
    _multiple(
        "ev_to_ebitda",
        """
        {ev/ebitda,ev / ebitda,ev-to-ebitda,ev to ebitda,enterprise value/ebitda,enterprise value to ebitda,enterprise-value-to-ebitda,
        enterprise multiple,ebitda multiple}{, ratio,, multiple}; 企业价值倍数; 企业价值/ebitda; 企业价值对ebitda; ev/ebitda{倍数,比率}
        """,
        ("EV/EBITDA", "EV/EBITDA"),
    ),
    _multiple(
        "ev_to_revenue",
        """
        {ev/revenue,ev/sales,ev / revenue,ev / sales,ev-to-revenue,ev-to-sales,ev to revenue,ev to sales,enterprise value to
        {revenue,sales},enterprise value/{revenue,sales}}{, ratio,, multiple}; {ev,企业价值}/{销售额,营收,收入,营业收入}
        """,
        ("EV/revenue", "EV/营收"),
    ),
    _percent("gross_margin_pct", "gross {,profit }{margin,margins}; 毛利率; 销售毛利率; 毛利润率; 综合毛利率", ("Gross margin", "毛利率")),
    _percent(
        "operating_margin_pct",
        "{operating,op,ebit} {,profit ,income }{margin,margins}; {营业,经营}{利润率,利益率,净利率}; 经营性利润率; 营业利润率水平",
        ("Operating margin", "营业利润率"),
    ),
    _percent(
        "net_margin_pct",
        "net {,profit ,income }{margin,margins}; profit margin; profit margins; {销售,}净利率; 净利润率; 销售净利润率",
        ("Net margin", "净利率"),
    ),
    _percent(
        "return_on_equity_pct",
        """
            return on {,shareholders' ,shareholder ,common }equity; {,the }roe; returns on equity; 净资产{收益率,回报率}; 股东权益{回报率,
            收益率}; 股本回报率
        """,
        ("ROE", "净资产收益率"),
    ),
    _percent(
        "return_on_assets_pct",
        "return on {,total }assets; returns on assets; roa; {总,}资产{收益率,回报率}; 总资产报酬率",
        ("ROA", "总资产收益率"),
    ),
    _percent(
        "return_on_invested_capital_pct",
        "{return,returns} on {,invested }capital; roic; 投入{资本,资金}{,的}{回报率,收益率}; 资本回报率; 投资资本回报率",
        ("ROIC", "投入资本回报率"),
    ),
    _growth(
        "revenue_growth_pct",
        f"""
        {_SALES} {{growth,growth rate}}; growth in {_SALES}; {_SALES} growth {_YEAR}; {_YEAR} {_SALES} growth;
        {_SALES} {_YEAR}; {_SALES_ZH}{{,的}}{{,同比}}{{增速,增长率,增幅,增长幅度}}; {_SALES_ZH}{{,同比}}{{变动,变化}}
        """,
        ("Revenue growth", "营收增速"),
    ),
    _growth(
        "earnings_growth_pct",
        f"""
        {_EARNINGS} {{growth,growth rate}}; growth in {_EARNINGS}; {_YEAR} {_EARNINGS} growth; {_EARNINGS} {_YEAR};
        {_EARNINGS_ZH}{{,的}}{{,同比}}{{增速,增长率,增幅,增长幅度}}; {_EARNINGS_ZH}{{,同比}}{{变动,变化}}; 盈利增长率
        """,
        ("Earnings growth", "净利润增速"),
    ),
    _growth(
        "eps_growth_pct",
        f"""
            {{eps,earnings per share,earnings-per-share}} {{growth,growth rate,{_YEAR}}}; growth in eps; {{eps,每股收益,每股盈利}}{{,
            的}}{{,同比}}{{增速,增长率,增幅}}
        """,
        ("EPS growth", "每股收益增速"),
    ),
    _growth(
        "fcf_growth_pct",
        f"{_CASH_FLOW} {{growth,growth rate,{_YEAR}}}; growth in {_CASH_FLOW}; {{自由现金流,fcf}}{{,的}}{{,同比}}{{增速,增长率,增幅}}",
        ("FCF growth", "自由现金流增速"),
    ),
    _percent(
        "fcf_yield_pct",
        f"{_CASH_FLOW}{{, ,-}}yield; yield on {_CASH_FLOW}; {{,the }}cash yield; {{自由现金流,fcf}}{{,的}}{{收益率,回报率,收益}}",
        ("FCF yield", "自由现金流收益率"),
        absolute=_SMALL_POINTS,
    ),
    _percent(
        "dividend_yield_pct",
        """
            {dividend,div,trailing dividend}{, }{yield,yields}; {,the }dividend yields; yields; {,the }yield; 股息{率,收益率,回报率};
            股利{率,收益率}; 分红收益率
        """,
        ("Dividend yield", "股息率"),
        absolute=_SMALL_POINTS,
    ),
    _percent(
        "payout_ratio_pct",
        f"""
            {{dividend ,}}payout{{, ratio,-ratio}}; pay-out ratio; 派息{{率,比率,比例}}; 分红{_RATE_ZH}; 股利支付{_RATE_ZH};
            股息支付{_RATE_ZH}; 派现{_RATE_ZH}
        """,
        ("Payout ratio", "派息率"),
        absolute=_SMALL_POINTS,
    ),
    _per_share(
        "eps",
        """
            {trailing ,diluted ,basic ,}{eps,earnings per share,earnings-per-share,earnings a share,profit per share}; 每股{收益,盈利,
            盈余,净利润,净利}
        """,
        ("EPS", "每股收益"),
        "eps_growth_pct",
    ),
    _per_share("eps_loss", "loss per share; loss a share; 每股{,净}亏损", ("Loss per share", "每股亏损")),
    _per_share(
        "book_value_per_share",
        "book value{, per share, a share,/share}; bvps; book per share; tangible book per share; 每股{净资产,账面价值,净值}",
        ("Book value per share", "每股净资产"),
    ),
    _per_share(
        "fcf_per_share",
        f"{_CASH_FLOW} {{per,a}} share; {_CASH_FLOW}/share; fcfps; 每股自由现金流",
        ("FCF per share", "每股自由现金流"),
    ),
    _ratio("current_ratio", "current{, }ratio; 流动比率; 流动比", ("Current ratio", "流动比率")),
    _ratio("quick_ratio", "{quick ratio,acid-test ratio,acid test}; quickratio; 速动比率; 速动比", ("Quick ratio", "速动比率")),
    _ratio(
        "debt_to_equity",
        """
        {debt/equity,debt-to-equity,debt to equity,debt-equity,d/e,d / e,d-to-e,de}{, ratio}; debttoequity; gearing ratio;
        {负债,债务}{权益,股权,股东权益,净资产}{比,比率}; {负债,债务}与{权益,股权}{之比,比,比率}; 产权比率; 权益负债比; 负债股权比率;
        债务股本比
        """,
        ("Debt to equity", "负债权益比"),
    ),
    _ratio(
        "interest_coverage",
        """
            interest{, }{coverage,cover}{, ratio}; times interest earned; {,the }interest is covered; interest covered; 利息{保障,覆盖,
            偿付,保障倍数,覆盖倍数}{倍数,率,}; 已获利息倍数
        """,
        ("Interest coverage", "利息保障倍数"),
    ),
    _amount(
        "market_cap",
        """
        {,a ,the }{market cap,market-cap,marketcap,market capitalization,market capitalisation,market value,capitalization,capitalisation,
        mkt cap}; {公司,股票,当前,}{总,}市值; 市价总值
        """,
        ("Market cap", "总市值"),
    ),
    _amount("enterprise_value", "{enterprise value,ev}; 企业价值; 企业总价值", ("Enterprise value", "企业价值")),
    _amount(
        "revenue",
        f"{_SALES}; total {_SALES}; trailing {_SALES}; turnover; {_SALES_ZH}; 总{{营收,收入}}",
        ("Revenue", "营收"),
        "revenue_growth_pct",
    ),
    _amount(
        "net_income",
        f"{_EARNINGS}; bottom line; {_EARNINGS_ZH}; 归属于母公司{{股东,所有者}}的净利润",
        ("Net income", "净利润"),
        "earnings_growth_pct",
    ),
    _amount("net_loss", "net {loss,losses}; {净亏损,净亏}; 归母净亏损", ("Net loss", "净亏损")),
    _amount("free_cash_flow", f"{_CASH_FLOW}; 自由现金流; 自由现金流量; 自由现金", ("Free cash flow", "自由现金流"), "fcf_growth_pct"),
    _amount(
        "cash_burn",
        "cash burn; {burns,burned,burning,burnt} {,through }; negative free cash flow of; 烧钱; 烧掉",
        ("Cash burn", "现金消耗"),
    ),
)
