"""What is held: every open position with how it has gone, and closing one by hand."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from engine.approvals.account_state import thesis_of
from engine.approvals.closing import end_entries, most_to_close
from engine.approvals.deps import ApprovalDeps, client_id
from engine.approvals.held_position import AccountStatus, ClosedPosition, HeldPosition
from engine.approvals.own_position import CLOSES, is_under_way, note_gone, own_position, unprotected_positions
from engine.domain.account_ref import AccountRef
from engine.domain.alert import UnprotectedPosition
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.errors import BadInput, BrokerRefused, NotAllowed, StoreError, TribunalError
from engine.domain.invalidation import Thesis
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Order, OrderReport, Outcome, Position
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import REFUSED, Proposal
from engine.domain.text.reason import Reason, bounded
from engine.instruments.contract_sale import whose_of
from engine.instruments.instrument import Amount
from engine.instruments.kinds import instrument_of
from engine.journal.store import Journal
from engine.trading.history.position_history import break_even
from engine.trading.protocol import Broker
from engine.trading.signed_book import stopped_result

_AUDIT_ROWS: Final = 50  # rows of the audit chain, for what an earlier process found and left alone
_LEFT_ALONE: Final = "left alone"
_log = logging.getLogger(__name__)


class Holdings:
    """The open positions of every account in use. On the engine's loop. account_refs: accounts named by the settings, beside those that
    have been used."""

    def __init__(self, deps: ApprovalDeps, account_refs: tuple[AccountRef, ...] = ()) -> None:
        self._deps, self._account_refs = deps, account_refs
        self._reported: dict[str, set[str]] = {}

    def name_accounts(self, account_refs: tuple[AccountRef, ...]) -> None:
        """Take other accounts for those that the settings name."""
        self._account_refs = account_refs

    async def all(self) -> list[HeldPosition]:
        """Return every open position of every account; while the journal cannot be read, of those that the settings name. Raises a
        BrokerError, MarketError or StoreError: not to know is not to be flat."""
        found = []
        for ref in await self._accounts(every=True):
            broker = self._deps.broker(ref)
            for position in await broker.positions(None):
                measured = await self._measured(ref, broker.account, position)
                stays = ref.feed == "recorded" or await broker.instant(position.symbol) is not None
                whose = await whose_of(broker, position)
                ours = whose.ours if whose is not None else None
                found.append(replace(measured, stands_still=stays and measured.at is not None, ours=ours))
        return found

    async def held_of(self, ref: AccountRef, at: datetime | None) -> tuple[tuple[Position, ...], dict[str, MarketTerms]]:
        """Return the positions of one account, and the terms of the markets that a proposal opened here.
        at: the market's instant, None = its present. Raises a BrokerError, MarketError or StoreError."""
        broker = self._deps.broker(ref)
        held = await broker.positions(at)

        def recall() -> dict[str, MarketTerms]:
            opened = {each.symbol: self._deps.journal.proposal_store.last_filled(broker.account, each.symbol) for each in held}
            return {symbol: proposal.basis.terms for symbol, proposal in opened.items() if proposal is not None}

        return held, await asyncio.to_thread(recall)

    async def outcome(self, proposal: Proposal) -> Outcome | None:
        """Return the outcome of a proposal's order; None if it has no order or the outcome is unknown."""
        if proposal.state != "filled":
            return None
        return await self._deps.broker(proposal.basis.place).outcome(proposal.order_ids[-1])

    async def outcome_on_paper(self, proposal: Proposal) -> Outcome | None:
        """Return what a refused proposal would have come to in money, or the machine's plan where a person changed it and it was
        filled; `OutcomeService` tells the percent. None for any other proposal, for one without a stop to be followed by, and for an
        order that was never filled. The plan is followed by the rules of the paper broker from the decision's instant; nothing is written.

        Raises MarketError when the market's way since cannot be read.
        """
        is_changed = proposal.state == "filled" and proposal.is_edited
        plan, basis = (proposal.machine if is_changed else proposal.plan), proposal.basis
        if not (is_changed or proposal.state in REFUSED) or plan.reduce_only or plan.protects:
            return None
        followed = await instrument_of(basis.instrument).follow(self._deps, plan, basis, client_id("shadow", proposal.id))
        if followed is None or (record := followed.record) is None:
            return None
        result = record.result_at(followed.paths[-1].price)
        assert result is not None  # on paper every cost is known
        return Outcome(result=result, ended=record.ended)

    async def held(self, symbol: str, account: str | None = None) -> tuple[AccountRef, Broker, Position]:
        """Return the one position in a market, and where it is held. Raises NotAllowed if none is open, BadInput if it is not clear
        which one is meant."""
        found, unread = [], None
        for ref in await self._accounts():
            try:
                broker = self._deps.broker(ref)
                if account in {None, broker.account}:
                    found += [(ref, broker, each) for each in await broker.positions(None) if each.symbol == symbol]
            except TribunalError as problem:  # an account that cannot be read must not keep another one's position open
                unread = problem
        if not found and unread is not None:
            raise unread
        if not found:
            raise NotAllowed(Reason("no_position_in_is_open", symbol=symbol))
        if len(found) > 1:
            names = ", ".join(broker.account for _, broker, _ in found)
            raise BadInput(Reason("is_held_in_several_accounts", symbol=symbol, names=names))
        return found[0]

    async def closed(self) -> list[ClosedPosition]:
        """Return every position that is over, the one that ended last first. Accounts that cannot be read are left out."""
        found: list[ClosedPosition] = []
        for ref in await self._readable():
            broker = self._deps.broker(ref)
            ended = [each for each in await broker.history() if each.closed_at is not None]
            found += await asyncio.to_thread(closed_positions, self._deps.journal, broker.account, ended)
        return sorted(found, key=lambda each: each.record.closed_at or each.record.opened_at, reverse=True)

    async def close(self, symbol: str, who: str, account: str | None = None, amount: Amount = None) -> OrderReport:
        """Close a position by hand, or a part of it. Allowed while trading is halted: it takes risk away. Entries of ours that still work
        in that market are cancelled first, and their end is waited for.

        amount: base units, `ours` or `all`; None = all of it, where all of it is ours. Raises NotAllowed if there is none, BadInput if
        it is not clear which one is meant, NotOnlyOurs when it is not clear how much of one, StoreError for one on paper while the journal
        cannot be written: nothing has happened then.
        """
        brokers = [self._deps.broker(ref) for ref in await self._readable()]
        ended, working = await end_entries(self._deps, [each for each in brokers if account in {None, each.account}], symbol, who)
        try:
            ref, broker, position = await self.held(symbol, account)
        except NotAllowed as problem:
            if not (ended or working):
                raise
            what = (
                Reason("entry_that_still_worked", ended=", ".join(ended))
                if ended
                else Reason("entry_may_still_be_filled", working=", ".join(working))
            )
            raise NotAllowed(Reason.listed([str(problem), what])) from None
        size = await instrument_of(position.instrument).size_to_close(self._deps, ref, position, amount)
        order = Order(
            client_id=client_id("close", broker.account, symbol, secrets.token_hex(8)),
            symbol=symbol,
            side="sell" if position.side == "long" else "buy",
            amount=size,
            reduce_only=True,
        )
        at_venue, journal = broker.capabilities.at_venue, self._deps.journal
        write = journal.close_orders.write if at_venue else journal.proposal_store.write_order  # a paper account is in the journal itself
        report_to = journal.close_orders.report if at_venue else journal.proposal_store.report
        await asyncio.to_thread(write, order, broker.account, f"{'close' if size == position.size else 'reduce'} {symbol}"[:48], who)
        asks = at_venue and amount in {None, "ours"}
        try:
            report = await broker.place_order(order, None, partial(most_to_close, broker, symbol) if asks else None)
        except NotAllowed as problem:
            refused = OrderReport(client_id=order.client_id, state="refused", at=self._deps.clock(), why=str(problem))
            await asyncio.to_thread(report_to, refused)
            raise
        await asyncio.to_thread(report_to, report)
        if report.state == "refused" or (report.state == "cancelled" and report.filled == 0):
            raise BrokerRefused(Reason("broker_refused_to_close", symbol=symbol, why=report.why))
        left = Reason("part_was_closed", filled=f"{report.filled:f}", size=f"{size:f}", symbol=symbol)
        notes = [
            left if report.filled < size else "",
            Reason("entry_may_still_be_filled", working=", ".join(working)) if working else "",
            report.why,
        ]
        return report.model_copy(update={"why": Reason.listed(each for each in notes if each) or None})

    async def recover(self) -> None:
        """Find the outcome of orders to close that a dead process left. They are never sent again: what they were to close may be
        gone. Raises the first error after every account has had its turn."""
        await self._each(self._recovered)

    async def _recovered(self, broker: Broker) -> None:
        proposal_store = self._deps.journal.proposal_store
        for each in await asyncio.to_thread(proposal_store.orders_of, broker.account):
            if (each.report is None or each.report.state == "open") and each.subject.startswith(CLOSES):
                report = await broker.get_order(each.order.client_id, each.order.symbol)
                if report is not None:
                    await asyncio.to_thread(proposal_store.report, report)

    async def reconcile(self) -> list[str]:
        """Let every broker put in order what a crash may have left. Returns what was found, a line each. Raises the first error after every
        account has had its turn."""
        found: list[str] = []

        async def ordered(broker: Broker) -> None:
            try:
                found.extend(await self._note_gone(broker) if broker.capabilities.at_venue else ())
            except StoreError as problem:  # what cannot be written down must not keep a position from its stop
                _log.warning("what has become of positions cannot be written down: %s", problem)
            lines = await broker.reconcile()
            found.extend(lines)
            await self._note(broker.account, lines)

        await self._each(ordered)
        return found

    async def _note(self, account: str, lines: tuple[str, ...]) -> None:
        """Write every line of a reconciliation into the audit chain once for as long as it stays true: what is left alone is found again
        each time."""
        before, self._reported[account] = self._reported.get(account), set(lines)
        with suppress(StoreError):  # it was done; the log has it
            if before is None and lines:
                rows = await asyncio.to_thread(self._deps.journal.audit.history, account, _AUDIT_ROWS)
                before = {row.why for row in rows if row.why.endswith(_LEFT_ALONE)}
            for line in lines:
                if line not in (before or ()):
                    _log.info("%s: %s", account, line)
                    await asyncio.to_thread(self._deps.journal.audit.note, "reconciled", account, account, line)

    async def _each(self, act: Callable[[Broker], Coroutine[Any, Any, None]]) -> None:
        problems: list[BaseException] = []
        for ref in await self._readable():
            outcomes = await asyncio.gather(act(self._deps.broker(ref)), return_exceptions=True)
            problems += [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if problems:
            raise as_tribunal_error(problems[0])

    async def _note_gone(self, broker: Broker) -> list[str]:
        """Write down the positions that the venue has ended by itself (a stop, a target, another program), so that the next one in that
        market is not taken for ours. Returns a line each."""
        journal, account = self._deps.journal, broker.account
        lines: list[str] = []
        orders = await asyncio.to_thread(
            journal.proposal_store.orders_of, account
        )  # before the positions: what is filled later is not missed
        known = {each.order.client_id for each in orders if each.report is not None and (each.report.filled > 0 or each.order.protects)}
        held = {position.symbol for position in await broker.positions(None)}
        for symbol in sorted({each.order.symbol for each in orders} - held):
            own = await asyncio.to_thread(own_position, journal, account, symbol)
            if own is None or own.since[-1].order.client_id not in known:
                continue
            if await asyncio.to_thread(is_under_way, journal, account, symbol, self._deps.clock()):
                continue
            line = Reason("position_is_gone", symbol=symbol)
            await asyncio.to_thread(note_gone, journal, account, symbol, own.through, line)
            lines.append(line)
        return lines

    async def unprotected(self) -> list[UnprotectedPosition]:
        """Return the positions without a stop, by what any process read back last."""
        return await asyncio.to_thread(unprotected_positions, self._deps.journal)

    async def uses_exchange(self) -> bool:
        """Return whether an exchange's account is in use: by the settings, or by an order that was once written for it."""
        return any(capabilities_of(ref.broker).at_venue for ref in await self._accounts())

    async def account_statuses(self) -> list[AccountStatus]:
        """Return the status of every exchange account; one that cannot be read says why in `problem`."""
        found: dict[str, AccountStatus] = {}
        for ref in await self._accounts():
            if not capabilities_of(ref.broker).at_venue:
                continue
            account = ref.account
            try:
                broker = self._deps.broker(ref)
                account = broker.account
                positions, unprotected = await broker.positions(None), list[UnprotectedPosition]()
                with suppress(StoreError):  # since when one has no stop; that it has none was just read
                    unprotected = await asyncio.to_thread(unprotected_positions, self._deps.journal, account)
                found[account] = AccountStatus(account, positions, tuple(unprotected))
            except TribunalError as problem:
                found[account] = AccountStatus(account, problem=str(problem))
        return list(found.values())

    async def curves(self) -> dict[str, list[tuple[datetime, float]]]:
        """Return equity over time by account, oldest first: (instant, quote units). Accounts that cannot be read are left out."""
        found = {}
        for ref in await self._readable():
            broker = self._deps.broker(ref)
            if points := list(await broker.curve()):
                found[broker.account] = points
        return found

    async def warnings(self) -> list[str]:
        """Return what needs attention about the accounts in use, a line each."""
        return [line for ref in await self._readable() for line in await self._deps.broker(ref).warnings()]

    async def _readable(self) -> list[AccountRef]:
        """Return the accounts whose broker can be made: one without its keys or its folder does not keep the others from being checked."""
        found = []
        for ref in await self._accounts():
            try:
                self._deps.broker(ref)
                found.append(ref)
            except TribunalError as problem:
                _log.warning("account %s cannot be checked: %s", ref.account, problem)
        return found

    async def _accounts(self, *, every: bool = False) -> list[AccountRef]:
        """Return the accounts in use. One of a broker that is no longer registered does not keep the others from being read; with `every`
        it raises BadInput."""
        journal, names = self._deps.journal, list[str]()
        try:
            names = [*await asyncio.to_thread(journal.ledger.accounts), *await asyncio.to_thread(journal.proposal_store.accounts)]
        except StoreError as problem:  # which accounts have been used only the journal knows; a venue can be asked without it
            if not self._account_refs:
                raise
            _log.warning("%s: only the accounts that the settings name are checked (%s)", problem, _names(self._account_refs))
        used = []
        for name in dict.fromkeys(names):
            try:
                used.append(AccountRef.of_account(name))
            except BadInput as problem:
                if every:
                    raise
                _log.warning("%s", problem)
        return list({ref.account: ref for ref in (*used, *self._account_refs)}.values())

    async def _measured(self, ref: AccountRef, account: str, position: Position) -> HeldPosition:
        """Measure a position since its entry. What cannot be measured says so in `why`; the other fields stay None."""
        journal, holding = self._deps.journal, position.holding()

        def recall() -> tuple[Proposal | None, Thesis | None]:
            proposal = journal.proposal_store.last_filled(account, position.symbol)
            return proposal, thesis_of(journal, account, position.symbol, holding) if holding is not None else None

        found = await instrument_of(position.instrument).progress(self._deps, ref, position, recall)
        course = await self._course(ref, position, found.terms) if found.price is not None else {}
        if found.price is not None and found.terms is not None:
            course["stopped"] = stopped_result(position, float(found.price), found.terms)
        return HeldPosition(account, position, **found.fields(), **course)

    async def _course(self, ref: AccountRef, position: Position, terms: MarketTerms | None) -> dict[str, Any]:
        """Return the record of an open position and where it comes out even, as fields of a HeldPosition; none of them where that is not
        known."""
        try:
            records = await self._deps.broker(ref).history()
        except StoreError:
            return {}
        record = next((each for each in reversed(records) if each.symbol == position.symbol and each.closed_at is None), None)
        if record is None or record.side != position.side:
            return {}
        return {"record": record, "break_even": break_even(position, record, terms) if terms is not None else None}


def as_tribunal_error(problem: BaseException) -> TribunalError:
    """Return a failure as a TribunalError; anything else is a fault of the program and goes to the log with its traceback."""
    if isinstance(problem, TribunalError):
        return problem
    _log.error("accounts could not be checked", exc_info=problem)
    return TribunalError(bounded(Reason("fault_of_program", name=type(problem).__name__, problem=problem), 300))


def _names(account_refs: tuple[AccountRef, ...]) -> str:
    return ", ".join(ref.account for ref in account_refs)


def closed_positions(journal: Journal, account: str, records: Sequence[PositionRecord]) -> list[ClosedPosition]:
    """Return what is known of positions that have ended. records: of one account."""
    store = journal.proposal_store
    subjects = {each.order.client_id: each.subject for each in store.orders_of(account)} if records else {}
    found = []
    for record in records:
        proposal, closer = store.proposal(subjects.get(record.opened_by or "", "")), record.closed_by
        written = journal.audit.last("order.written", closer) if closer is not None else None
        found.append(_beside(record, proposal, written.who if written else "", subjects.get(closer or "", "").startswith("close ")))
    return found


def _beside(record: PositionRecord, proposal: Proposal | None, who: str, by_hand: bool) -> ClosedPosition:
    quote = record.symbol.partition("/")[2].partition(":")[0]
    if proposal is None:
        return ClosedPosition(record, closed_by=who, by_hand=by_hand, currency=quote)
    basis = proposal.basis
    currency = basis.listing.currency if basis.listing is not None else quote
    step, planned = float(basis.terms.price_step), proposal.figures.reward_risk_net
    return ClosedPosition(record, basis.run_id, basis.thesis, who, by_hand, step, currency, planned)
