"""The companies of the simulated exchanges: how dear, how restless, how profitable. Names are those of real ones; no figure is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from engine.domain.equity.share_events import Split

EPOCH_YEAR = 2015
"""The year whose beginning `price` and `shares` are of."""


@dataclass(frozen=True)
class Company:
    """One company.

    price: where its shares begin, currency, in the shares of after its last split. shares: how many, in the same. growth: of revenue,
    profit and price, a year, as a fraction. beta, restless: its part in the market's moves, and its own daily spread as a fraction.
    pe: price to a year's earnings at the beginning. gross, operating, net: margins as fractions. debt_to_equity, equity_share: debt over
    equity, equity over market value at the beginning. payout: dividends over earnings.
    """

    symbol: str
    name: str
    sector: str
    price: float
    shares: float
    growth: float
    beta: float
    restless: float
    pe: float
    gross: float
    operating: float
    net: float
    debt_to_equity: float
    equity_share: float
    payout: float
    splits: tuple[Split, ...] = ()


_SPLIT = (Split(date=date(2024, 6, 10), ratio=10.0),)

COMPANIES: Mapping[str, Company] = {
    company.symbol: company
    for company in (
        Company("AAPL", "Apple", "Technology", 27.0, 15.4e9, 0.19, 1.15, 0.011, 22.0, 0.45, 0.31, 0.26, 1.5, 0.12, 0.15),
        Company("MSFT", "Microsoft", "Technology", 46.0, 7.4e9, 0.21, 1.05, 0.010, 26.0, 0.69, 0.44, 0.36, 0.4, 0.14, 0.25),
        Company("NVDA", "NVIDIA", "Technology", 4.8, 24.6e9, 0.32, 1.6, 0.019, 34.0, 0.72, 0.52, 0.46, 0.25, 0.10, 0.02, _SPLIT),
        Company("AMZN", "Amazon", "Consumer discretionary", 42.0, 10.4e9, 0.15, 1.25, 0.014, 38.0, 0.47, 0.09, 0.07, 0.6, 0.16, 0.0),
        Company("JPM", "JPMorgan Chase", "Financials", 82.0, 2.9e9, 0.08, 1.05, 0.010, 11.5, 0.62, 0.40, 0.31, 1.3, 0.62, 0.30),
        Company("XOM", "Exxon Mobil", "Energy", 78.0, 4.2e9, 0.03, 0.85, 0.012, 13.0, 0.31, 0.14, 0.10, 0.2, 0.50, 0.45),
        Company("JNJ", "Johnson & Johnson", "Health care", 110.0, 2.4e9, 0.04, 0.6, 0.007, 18.0, 0.68, 0.27, 0.20, 0.5, 0.22, 0.45),
        Company("600519.SH", "贵州茅台", "食品饮料", 480.0, 1.256e9, 0.11, 0.9, 0.012, 28.0, 0.91, 0.67, 0.50, 0.0, 0.20, 0.45),
        Company("600036.SH", "招商银行", "银行", 22.0, 25.2e9, 0.06, 0.9, 0.010, 7.5, 0.60, 0.48, 0.40, 0.9, 0.95, 0.12),
        Company("600028.SH", "中国石化", "石油石化", 5.2, 121.0e9, 0.01, 0.7, 0.009, 10.5, 0.17, 0.04, 0.02, 0.5, 1.15, 0.18),
        Company("300750.SZ", "宁德时代", "电力设备", 85.0, 4.4e9, 0.12, 1.4, 0.018, 31.0, 0.24, 0.15, 0.12, 0.7, 0.18, 0.20),
        Company("688981.SH", "中芯国际", "电子", 32.0, 7.9e9, 0.09, 1.3, 0.017, 55.0, 0.28, 0.12, 0.08, 0.4, 0.55, 0.0),
    )
}


@dataclass(frozen=True)
class Basket:
    """An index, or a fund that holds one: the market value of its companies over a divisor. level: where it begins."""

    symbol: str
    name: str
    members: tuple[str, ...]
    level: float


_AMERICAN = tuple(symbol for symbol in COMPANIES if "." not in symbol)
_CHINESE = tuple(symbol for symbol in COMPANIES if "." in symbol)
BASKETS: Mapping[str, Basket] = {
    basket.symbol: basket
    for basket in (
        Basket("^GSPC", "S&P 500 (simulated: seven companies)", _AMERICAN, 2058.0),
        Basket("SPY", "S&P 500 fund (simulated)", _AMERICAN, 205.8),
        Basket("000300.SH", "沪深300 (模拟: 五家公司)", _CHINESE, 3530.0),
    )
}
SYMBOLS = (*COMPANIES, *BASKETS)
