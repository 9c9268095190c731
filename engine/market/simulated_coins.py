"""The coins of the simulated market: price, volatility, price step, turnover."""

from dataclasses import dataclass

from engine.domain.market.instrument import Market


@dataclass(frozen=True)
class Coin:
    """One coin. price: around which it moves, quote units. restless: its daily volatility as a multiple of the ordinary coin's.

    ticks: price steps in one quote unit. turnover: quote units traded per minute on an ordinary perpetual market.
    """

    base: str
    price: float
    restless: float
    ticks: int
    turnover: float


COINS = {
    coin.base: coin
    for coin in (
        Coin("BTC", 86_000.0, 1.0, 10, 8.0e6),
        Coin("ETH", 3_200.0, 1.25, 100, 5.0e6),
        Coin("SOL", 160.0, 1.5, 100, 1.8e6),
        Coin("BNB", 640.0, 1.1, 100, 6.0e5),
        Coin("XRP", 2.2, 1.45, 10_000, 9.0e5),
        Coin("DOGE", 0.21, 1.55, 100_000, 5.0e5),
    )
}
QUOTES = ("USDT", "USDC", "USD")
MARKETS = tuple(Market(base=coin.base, quote="USDT", settle="USDT", price_step=1 / coin.ticks) for coin in COINS.values())
