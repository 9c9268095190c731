"""Whose the position of a market is, counted from the fills at the loopback exchange."""

from dataclasses import dataclass, field
from decimal import Decimal

from engine.brokers.ccxt.orders import base_of
from tests.servers.exchange_account import ExchangeAccount


@dataclass
class Shares:
    """Whose the position of one market is, by its fills. An account has one position a market: ours is what our entries bought and our
    exits have not sold, and never more than the position has been since; the rest is the stranger's. amount: all of it, negative = short.
    ours: likewise. lost: what the stranger has closed of ours, signed; a stop that was placed before stays as large until somebody looks.
    touched: what orders of ours took of the stranger's. ahead: of that, by entry, what its own stop or target took before the rest of it
    was filled, since it is as large as the entry: the rest gives that back, and is not held by us. met: our entries that a stranger's
    opposite position took up."""

    amount: Decimal = Decimal(0)
    ours: Decimal = Decimal(0)
    lost: Decimal = Decimal(0)
    touched: Decimal = Decimal(0)
    ahead: dict[str, Decimal] = field(default_factory=dict)
    met: int = 0

    def take(self, signed: Decimal, *, by_us: bool, enters: bool, entry: str = "", unseen: bool = False, whole: bool = False) -> None:
        """Take in a fill. enters: it is one of an entry. entry: the client id of that, or of the entry that it protects. unseen: no process
        of ours has read the account since the stranger's last trade. whole: of a stop that closes all there is, the last resort where its
        size was refused."""
        before, self.amount = self.amount, self.amount + signed
        if by_us and enters:
            self.met += before * signed < 0
            back = min(abs(signed), self.ahead.get(entry, Decimal(0)))
            self.ahead[entry] = self.ahead.get(entry, Decimal(0)) - back
            self.touched -= back
            self.ours += signed - back.copy_sign(signed)
        elif by_us:
            rest = abs(signed) - (min(abs(signed), abs(self.ours)) if self.ours * signed < 0 else 0)
            same = before == self.ours + self.lost  # closed and bought again as large as it was: the stop goes on as it is
            late = min(rest, abs(self.lost)) if (unseen or same) and self.lost * signed < 0 else Decimal(0)
            self.lost -= late.copy_sign(self.lost)
            late = rest if unseen and whole else late
            self.touched += rest - late
            self.ahead[entry] = self.ahead.get(entry, Decimal(0)) + rest - late
            self.ours = self.ours + signed if abs(signed) < abs(self.ours) else Decimal(0)
        kept = Decimal(0) if self.amount * self.ours <= 0 else min(abs(self.ours), abs(self.amount)).copy_sign(self.ours)
        self.lost += self.ours - kept
        self.ours = kept

    @property
    def held(self) -> Decimal:
        """How much of what is held is ours, base units."""
        return abs(self.ours)


def shares_of(account: ExchangeAccount, unseen: int = 0) -> dict[str, Shares]:
    """Return whose the positions are, by market. unseen: how many of the first fills came while nothing of ours may have looked."""
    orders = {each["orderId"]: each for each in list(account.orders)}
    algos = {f"triggered-{each['algoId']}": each for each in list(account.algos)}
    found: dict[str, Shares] = {}
    for place, trade in enumerate(list(account.trades)):
        order = orders[trade["orderId"]]
        algo = algos.get(order["clientOrderId"], {})
        name = algo.get("clientAlgoId", order["clientOrderId"])
        signed = Decimal(trade["qty"]) * (1 if trade["side"] == "BUY" else -1)
        by_us = str(name).startswith("tb-")
        enters, whole = by_us and not order["reduceOnly"], bool(algo.get("closePosition"))
        found.setdefault(trade["symbol"], Shares()).take(
            signed, by_us=by_us, enters=enters, entry=base_of(str(name)), unseen=place < unseen, whole=whole
        )
    return found
