"""Proposals on an exchange account, made by hand and answered by the real rooms: journal, checks, delivery, ccxt client, loopback venue."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

from pydantic import SecretStr

from engine.approvals.approval_service import ApprovalService
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import ApprovalRules
from engine.approvals.holdings import Holdings
from engine.approvals.order_dispatch import OrderDispatcher
from engine.brokers.ccxt.broker import ExchangeBroker
from engine.brokers.ccxt.journal_records import journal_records
from engine.brokers.ccxt.sending import Deadlines
from engine.domain.account_ref import AccountRef
from engine.domain.alert import Alert, AlertTopic
from engine.domain.clock import utc_now
from engine.domain.decision import Signal
from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.proposal import Basis, Figures, OrderPlan, Proposal
from engine.domain.risk import RiskConfig
from engine.journal.store import Journal, open_journal
from engine.market.exchange import ExchangeFeed
from engine.venue.keys import Keys
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET

PLACE = AccountRef(broker="exchange", feed="live", exchange="binanceusdm")
ACCOUNT = "exchange:binanceusdm"
TERMS = MarketTerms(
    price_step=Decimal("0.1"),
    amount_step=Decimal("0.001"),
    min_amount=Decimal("0.001"),
    min_cost=Decimal(100),
    taker_fee=Decimal("0.0004"),
    maker_fee=Decimal("0.0002"),
)


@dataclass
class Process:
    """One process on the account: its own broker, feed and delivery, the journal of all. dead: names of processes that have ended.
    market_clock: where its own is wrong."""

    journal: Journal
    venue: LoopbackExchange
    owner: str
    clock: Callable[[], datetime] = utc_now
    dead: Collection[str] = ()
    market_clock: Callable[[], datetime] | None = None
    broker: ExchangeBroker = field(init=False)
    feed: ExchangeFeed = field(init=False)
    answers: ApprovalService = field(init=False)
    dispatcher: OrderDispatcher = field(init=False)
    holdings: Holdings = field(init=False)
    alerts: list[Alert] = field(default_factory=list)

    def send(self, alert: Alert) -> None:
        self.alerts.append(alert)

    def wants(self, topic: AlertTopic) -> bool:
        return True

    def __post_init__(self) -> None:
        keys, records = Keys(SecretStr(API_KEY), SecretStr(SECRET)), journal_records(self.journal, ACCOUNT, self.clock, self)
        within = Deadlines(request_s=30.0, reading_s=60.0, backoff_s=0.02, doubt_s=0.5, filling_s=60.0)
        self.broker = ExchangeBroker("binanceusdm", self.venue.url, keys, self.clock, sandbox=False, records=records, deadlines=within)
        self.feed = ExchangeFeed("binanceusdm", self.venue.url, self.market_clock or self.clock)
        sources = ApprovalDeps(
            journal=self.journal,
            broker=lambda _: self.broker,
            feed=lambda _: self.feed,
            may_send=lambda _: None,
            rules=ApprovalRules(900.0),
            clock=self.clock,
            owner=self.owner,
            is_dead=lambda owner: owner in self.dead,
        )
        self.dispatcher = OrderDispatcher(sources)
        self.answers = ApprovalService(sources, self.dispatcher)
        self.holdings = Holdings(sources, (PLACE,))

    async def look(self) -> list[str]:
        """Look after the account once, as every command and the server do; returns what was found."""
        await self.dispatcher.recover(send=False)
        await self.holdings.recover()
        return await self.holdings.reconcile()

    async def close(self) -> None:
        await asyncio.gather(self.broker.close(), self.feed.close())


def journal_in(folder: Path) -> Journal:
    return open_journal(folder, None)


def file_entry(
    journal: Journal,
    venue: LoopbackExchange,
    base: str,
    *,
    risk: RiskConfig,
    amount: str = "0.05",
    atr: float = 600.0,
    held: Holding | None = None,
) -> Proposal:
    """A long that waits for a signature, 2 % to its stop. held: what it adds to."""
    price = float(venue.account.prices[f"{base}USDT"])
    stop, target = (TERMS.price(exact(price * share)) for share in (0.98, 1.06))
    plan = OrderPlan(side="buy", amount=Decimal(amount), leverage=5, stop=stop, target=target)
    return _file(journal, base, plan, price, Signal.ADJUST if held is not None else Signal.ENTRY_LONG, held, risk, atr)


def file_exit(journal: Journal, venue: LoopbackExchange, base: str, held: Holding, *, risk: RiskConfig) -> Proposal:
    plan = OrderPlan(side="sell" if held.side == "long" else "buy", amount=exact(held.size), reduce_only=True)
    return _file(journal, base, plan, float(venue.account.prices[f"{base}USDT"]), Signal.EXIT, held, risk, 600.0)


def _file(
    journal: Journal, base: str, plan: OrderPlan, price: float, action: Signal, held: Holding | None, risk: RiskConfig, atr: float
) -> Proposal:
    now = utc_now()
    before = sum(each.basis.symbol.startswith(base) for each in journal.proposal_store.proposals())
    run = f"{base}-{before}" if before else base
    basis = Basis(
        run_id=f"run-{run}", snapshot_hash="s", context_hash="c", place=PLACE, account=ACCOUNT, symbol=f"{base}/USDT:USDT",
        timeframe="15m", snapshot_at=now, price=price, atr=atr, action=action, confidence=80.0, holding=held, risk=risk, terms=TERMS,
    )  # fmt: skip
    notional = plan.amount * exact(price)
    figures = Figures(price=exact(price), notional=notional, margin=notional / 5, fees=Decimal(0), slippage=Decimal(0), funding=Decimal(0))
    proposal = Proposal(
        id=f"p-{run}", basis=basis, created_at=now, expires_at=now + timedelta(minutes=15), state="pending", machine=plan,
        machine_figures=figures, plan=plan, figures=figures, changed_at=now, changed_by="machine",
    )  # fmt: skip
    assert journal.proposal_store.add(proposal)
    return proposal
