"""What was true at the venue in the end, beside what people were told and what the limits allow."""

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from engine.brokers.ccxt.orders import base_of
from engine.domain.proposal import Proposal
from engine.domain.risk import RiskConfig
from tests.benchmarks.order_actors import Said
from tests.servers.exchange_account import ExchangeAccount

ENTRY_PCT = 30.0  # what one entry takes of the equity, notional
FEE_PCT = ENTRY_PCT * 0.0004
WIDE = {"max_exposure_pct": 5_000.0, "max_open_positions": 20, "max_position_pct": 100.0, "max_orders_per_hour": 100}
LIMITS = ("max_open_positions", "max_exposure_pct", "max_orders_per_hour", "max_daily_loss_pct", "max_drawdown_pct")
LOSSES = LIMITS[3:]


GONE = ("is gone already", "already gone")


def limits_of(limit: str, allowed: int) -> RiskConfig:
    """Return a configuration that lets `allowed` entries through before `limit` binds, and no other limit does."""
    bound: dict[str, float | int] = {
        "max_open_positions": allowed,
        "max_exposure_pct": (allowed + 0.2) * ENTRY_PCT,
        "max_orders_per_hour": allowed,
        "max_daily_loss_pct": (allowed - 0.5) * FEE_PCT,
        "max_drawdown_pct": (allowed - 0.5) * FEE_PCT,
    }
    return RiskConfig(**{**WIDE, "max_drift_atr": 0.5, limit: bound[limit]})  # type: ignore[arg-type]


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


@dataclass
class Most:
    """The most of ours that ever was at once. positions: count. exposure: notional at entry, percent of the wallet."""

    positions: int = 0
    exposure: float = 0.0
    _trades: int = -1

    def see(self, account: ExchangeAccount) -> None:
        """Take in how the account stands at a moment."""
        if len(account.trades) == self._trades:
            return
        self._trades = len(account.trades)
        held = {name: shares.held for name, shares in shares_of(account).items() if shares.held > 0}
        self.positions = max(self.positions, len(held))
        entries = {name: position.entry for name, position in list(account.positions.items())}
        notional = sum((size * entries.get(name, Decimal(0)) for name, size in held.items()), Decimal(0))
        self.exposure = max(self.exposure, float(notional / account.wallet) * 100)


def bare(account: ExchangeAccount) -> list[str]:
    """Return the markets where the open stops do not close all that is ours."""
    found = []
    for name, shares in shares_of(account).items():
        side = "SELL" if shares.amount > 0 else "BUY"
        stops = [each for each in account.open_algos() if (each["symbol"], each["side"], each["orderType"]) == (name, side, "STOP_MARKET")]
        covered = sum((abs(shares.amount) if each["closePosition"] else Decimal(each["quantity"]) for each in stops), Decimal(0))
        if covered < shares.held:
            found.append(name)
    return found


@dataclass
class Truth:
    """An account after everything has ended. proposals: by id, as the journal has them. filled_in: the numbers of the rows of the audit
    chain that say so, by id; clocks are moved."""

    account: ExchangeAccount
    proposals: dict[str, Proposal]
    filled_in: dict[str, int]
    filled: dict[str, dict[str, Any]] = field(init=False)
    entries: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        done = [each for each in self.account.orders if float(each["executedQty"]) > 0]
        self.filled = {str(each["clientOrderId"]): each for each in done}
        ours = [str(each["clientOrderId"]) for each in done if not each["reduceOnly"]]
        self.entries = Counter(name for name in ours if name.startswith("tb-"))

    def twice(self) -> list[str]:
        """Return the client ids under which more than one entry was filled."""
        return [name for name, count in self.entries.items() if count > 1]

    def bare(self) -> list[str]:
        """Return the markets whose position of ours has no stop."""
        return bare(self.account)

    def touched(self, unseen: int) -> list[str]:
        """Return what our orders took of the stranger's, a market each. unseen: see `shares_of`."""
        return [f"{name}: {shares.touched:f}" for name, shares in shares_of(self.account, unseen).items() if shares.touched > 0]

    def breached(self, limit: str, risk: RiskConfig, most: Most) -> list[str]:
        """Return how the one limit that binds was broken; nothing when it held."""
        bound, entries = getattr(risk, limit), len(self.entries)
        if limit == "max_open_positions":
            return [f"{most.positions} positions at most {bound}"] if most.positions > bound else []
        if limit == "max_exposure_pct":
            return [f"{most.exposure:.1f} % exposure at most {bound} %"] if most.exposure > bound else []
        allowed = bound if limit == "max_orders_per_hour" else round(bound / FEE_PCT + 0.5)
        return [f"{entries} entries where {limit} allows {allowed}"] if entries > allowed else []

    def untold(self, said: list[Said]) -> list[str]:
        """Return what people were told and is not so, and what the journal states and is not so."""
        wrong = [f"{each.act.what} said {each.state}: {each.words}" for each in said if not self._is_true(each, said)]
        return wrong + [
            f"{each.id} is {each.state}"
            for each in self.proposals.values()
            if not each.plan.protects
            and each.state in {"filled", "failed", "pending", "blocked"}
            and (each.state == "filled") != self._reached(each.id)
        ]

    def _is_true(self, said: Said, others: list[Said]) -> bool:
        judges = {"approve": self._approve, "close": self._close, "protect": self._protect, "halt": self._halt, "decide": self._decide}
        judge = judges[said.act.what]
        return judge(said, others)

    def _approve(self, said: Said, others: list[Said]) -> bool:
        """`filled`: it was; protected, if so told, by a stop that the venue knows of, unless somebody was told that it is closed again. An
        error that says that nothing was ordered: nothing was, unless somebody else pressed as well."""
        reached = self._reached(said.act.target)
        if said.state == "filled":
            closed = any((each.act.what, each.act.target, each.state) == ("close", self._symbol(said), "filled") for each in others)
            known = said.unprotected or closed or any(each in said.words for each in GONE)
            return reached and (known or self._had_a_stop(said.act.target))
        alone = sum(each.act == said.act for each in others) == 1
        if said.state == "error" and "nothing was ordered" in said.words and ("was approved" in said.words or alone):
            return not reached or "stays as it is" in said.words
        return said.state != "error" or bool(said.words)

    def _close(self, said: Said, _: list[Said]) -> bool:
        """`filled`: the order that closes was, to the end or as much as was told. Refused: not a part of it."""
        if said.state == "error":
            return bool(said.words)
        done = self.filled.get(said.order_id)
        return (said.state == "filled") == (done is not None and done["status"] == "FILLED") if said.state != "open" else True

    def _protect(self, said: Said, _: list[Said]) -> bool:
        """`filled`: a stop was placed under the name of the order that asked for it, or that level stood already."""
        if said.state == "error":
            return bool(said.words)
        asked = [each.plan.stop for each in self.proposals.values() if said.order_id and said.order_id in each.order_ids]
        name = _name_of(said.act.target)
        stood = any(algo["symbol"] == name and Decimal(algo["triggerPrice"]) in asked for algo in self.account.algos)
        return stood or any(str(algo["clientAlgoId"]).startswith(said.order_id) for algo in self.account.algos if said.order_id)

    def astray(self) -> list[str]:
        """Return the markets whose stops are not where they were signed last."""
        found = []
        ours = shares_of(self.account)
        for name, held in self.account.positions.items():
            if name not in ours or ours[name].held == 0:
                continue
            signed = [each for each in self.proposals.values() if each.state == "filled" and _name_of(each.basis.symbol) == name]
            last = max((each for each in signed if each.plan.stop is not None), key=lambda each: self.filled_in[each.id], default=None)
            stops = {
                Decimal(algo["triggerPrice"])
                for algo in self.account.open_algos()
                if algo["symbol"] == name and algo["orderType"] == "STOP_MARKET"
            }
            if last is not None and stops != {last.plan.stop}:
                found.append(f"{name} of {held.amount} stops at {sorted(map(str, stops))}, signed {last.plan.stop}")
        return found

    def _halt(self, said: Said, _: list[Said]) -> bool:
        """No entry reaches the venue after the word, but those that were named as under way; what was called off never does."""
        if said.state == "error":
            return bool(said.words)
        later = {
            str(each["clientOrderId"])
            for each in self.account.orders
            if each["clientOrderId"].startswith("tb-") and not each["reduceOnly"] and each["time"] > said.at_ms
        }
        named = {each for proposal, what in said.named if what == "under_way" for each in self._orders(proposal)}
        off = {each for proposal, what in said.named if what != "under_way" for each in self._orders(proposal)}
        return later <= named and not off & set(self.entries)

    def _decide(self, said: Said, _: list[Said]) -> bool:
        """A run that is `done` ends in an action; one that is not says why."""
        return said.words not in {"", "None"}

    def _orders(self, proposal: str) -> tuple[str, ...]:
        return self.proposals[proposal].order_ids if proposal in self.proposals else ()

    def _symbol(self, said: Said) -> str:
        return self.proposals[said.act.target].basis.symbol

    def _reached(self, proposal: str) -> bool:
        """Whether the last order of a proposal was filled, at least in part."""
        orders = self._orders(proposal)
        return bool(orders) and orders[-1] in self.filled

    def _had_a_stop(self, proposal: str) -> bool:
        name = _name_of(self.proposals[proposal].basis.symbol)
        return any(algo["symbol"] == name and algo["orderType"] == "STOP_MARKET" for algo in self.account.algos)


def _name_of(symbol: str) -> str:
    """Return the venue's name of a market."""
    return re.sub("[/:].*", "", symbol) + "USDT"
