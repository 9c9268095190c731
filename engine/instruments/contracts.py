"""Contracts: margin, leverage and funding."""

import asyncio
from decimal import Decimal
from typing import Final

from engine.domain.account_ref import AccountRef
from engine.domain.decision import ACTIONS, Action
from engine.domain.errors import BadInput, StoreError
from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import Order, Position
from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.reason import Reason
from engine.facts.thesis import check_thesis
from engine.instruments.conditions import LiveConditions, drift_collar
from engine.instruments.contract_conditions import last_contract_price, newer_run, read_contract_price
from engine.instruments.contract_fills import entries_of_order
from engine.instruments.contract_sale import size_to_close
from engine.instruments.instrument import LivePrice, MarketAccess, Progress, Recall
from engine.instruments.limits import Circumstances, check_limits
from engine.instruments.measured_facts import FACTS, no_facts, series_of, sheet_of
from engine.instruments.shadow import follow_contract
from engine.market.snapshot import take_snapshot
from engine.trading.book import Book
from engine.trading.figures import plan_figures
from engine.trading.protocol import MarketPath
from engine.trading.sizing import TooSmall, positive, whole_steps

_TIMEFRAME: Final = "15m"


async def contract_progress(access: MarketAccess, ref: AccountRef, position: Position, recall: Recall) -> Progress:
    """Measure a position since its entry. What cannot be measured says so in `why`."""
    holding = position.holding()
    if holding is None:
        return Progress(no_facts(), why=Reason("nobody_knows_since_when_it_is_held"))
    try:
        proposal, thesis = await asyncio.to_thread(recall)
    except StoreError as problem:
        return Progress(no_facts(), why=str(problem))
    timeframe = proposal.basis.timeframe if proposal is not None else _TIMEFRAME
    htf = proposal.basis.timeframe_htf if proposal is not None else None
    at = await access.broker(ref).instant(position.symbol)
    try:
        snapshot = await take_snapshot(
            access.feed(ref),
            symbol=position.symbol,
            timeframe=Timeframe.parse(timeframe),
            htf=Timeframe.parse(htf) if htf else None,
            at=at,
            holding=holding,
        )
    except BadInput as problem:  # a clock that was put back: it is held, and what it went through is to come
        return Progress(no_facts(), thesis=thesis, why=str(problem))
    sheet = await asyncio.to_thread(sheet_of, snapshot)
    return Progress(
        {key: sheet.number(key) for key in FACTS},
        price=exact(snapshot.price),
        at=snapshot.at,
        thesis=thesis,
        checked=check_thesis(thesis, sheet) if thesis is not None else (),
        candles=snapshot.candles,
        forming=snapshot.forming,
        series=await asyncio.to_thread(series_of, snapshot.candles),
        terms=proposal.basis.terms if proposal is not None else None,
    )


class Contracts:
    """Implements `Instrument`."""

    judged_as_decided = True
    follow = staticmethod(follow_contract)
    read_price = staticmethod(read_contract_price)
    last_price = staticmethod(last_contract_price)
    newer_run = staticmethod(newer_run)
    progress = staticmethod(contract_progress)
    size_to_close = staticmethod(size_to_close)

    def limits(self, price: float, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
        age_bars = None
        if conditions.market_at is None:
            age_bars = 0.0
        elif (age_s := (conditions.market_at - basis.snapshot_at).total_seconds()) >= 0:
            age_bars = age_s * 1000 / Timeframe.parse(basis.timeframe).ms
        return check_limits(
            _action_of(basis),
            confidence=basis.confidence,
            leverage=plan.leverage,
            price=price,
            stop=float(plan.stop) if plan.stop is not None else None,
            target=float(plan.target) if plan.target is not None else None,
            adjustment_pct=basis.adjustment_pct,
            holding=conditions.holding,
            risk=conditions.limits(basis),
            figures=plan_figures(plan, basis, price) if positive(price) else None,
            around=Circumstances(
                symbol=basis.symbol,
                account=conditions.account,
                price_gap_pct=conditions.price_gap_pct,
                age_bars=age_bars,
                amount=plan.amount,
                maintenance_margin=float(basis.terms.maintenance_margin),
            ),
            reversal_facts=basis.reversal_facts,
        )

    def unfit(self, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> str:
        """Return "": what a contract's market takes is measured where it is sized."""
        return ""

    def changed_size(self, size: Decimal, plan: OrderPlan, basis: Basis) -> Decimal:
        """See the protocol. In whole steps of the market."""
        held = exact(basis.holding.size) if basis.holding else size
        try:
            return whole_steps(min(size, held) if plan.reduce_only else size, exact(basis.price), basis.terms)
        except TooSmall as problem:
            raise BadInput(str(problem)) from None

    def changed_leverage(self, leverage: int, terms: MarketTerms) -> int:
        if not 1 <= leverage <= terms.max_leverage:
            raise BadInput(Reason("leverage_is_not_from_1_to", leverage=leverage, max_leverage=terms.max_leverage))
        return leverage

    def changed_limit(self, entry: float | None, terms: MarketTerms, *, at_market: bool) -> Decimal | None:
        """Raise BadInput: contracts are ordered at market."""
        raise BadInput(Reason("contract_is_ordered_at_market"))

    def collar(self, plan: OrderPlan, basis: Basis, risk: RiskConfig) -> Decimal | None:
        """See the protocol. Where the ATR is not known, the price of the decision."""
        return drift_collar(plan, basis, risk)

    def decided_at(self, basis: Basis) -> Decimal | None:
        return exact(basis.price) if basis.market_clock is not None else None

    def entries_of_order(self, book: Book, order: Order, path: MarketPath, price: Decimal, terms: MarketTerms) -> list[LedgerEntry]:
        return entries_of_order(book, order, price, terms, path.at)

    async def read_cash(self, access: MarketAccess, basis: Basis, found: LivePrice, risk: RiskConfig) -> None:
        """Return None: a contract is not paid in full."""


def _action_of(basis: Basis) -> Action:
    """Return the action a proposal is for."""
    kinds = [action for action in ACTIONS if action.signal is basis.action]
    adds = basis.adjustment_pct is None or basis.adjustment_pct > 0
    return next((action for action in kinds if action.adjustment is None or (action.adjustment[0] > 0) == adds), kinds[0])


CONTRACTS: Final = Contracts()
