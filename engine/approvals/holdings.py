"""What is held: every open position with how it has gone, and closing one by hand."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from engine.approvals.account_state import thesis_of
from engine.approvals.closed_positions import closed_positions
from engine.approvals.closing import STILL_WORKS, Amount, end_entries, most_to_close, size_to_close, whose_of
from engine.approvals.deps import ApprovalDeps, client_id
from engine.approvals.held_position import AccountStatus, ClosedPosition, HeldPosition
from engine.approvals.own_position import CLOSES, is_under_way, note_gone, own_position, unprotected_positions
from engine.approvals.share_progress import share_candles, share_progress
from engine.approvals.share_sale import sale_of
from engine.domain.account_ref import AccountRef
from engine.domain.alert import UnprotectedPosition
from engine.domain.errors import BadInput, BrokerRefused, MarketError, NotAllowed, StoreError, TribunalError
from engine.domain.facts import FactSheet
from engine.domain.holding import utc_ms
from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import Order, OrderReport, Outcome, Position
from engine.domain.proposal import Proposal
from engine.facts.thesis import check_thesis
from engine.market.snapshot import take_snapshot
from engine.trading.history.position_history import break_even
from engine.trading.protocol import Broker, ShareQuotes

_TIMEFRAME: Final = "15m"
_FACTS: Final = ("mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "profit_pct")
_AUDIT_ROWS: Final = 50  # rows of the audit chain, for what an earlier process found and left alone
_BEFORE_DAYS: Final = 120  # of a company's sessions before its shares were bought
_LEFT_ALONE: Final = "left alone"
_log = logging.getLogger(__name__)


class Holdings:
    """The open positions of every account in use. On the engine's loop. account_refs: accounts named by the settings, beside those that
    have been used."""

    def __init__(self, deps: ApprovalDeps, account_refs: tuple[AccountRef, ...] = ()) -> None:
        self._deps, self._account_refs = deps, account_refs
        self._reported: dict[str, set[str]] = {}

    async def all(self) -> list[HeldPosition]:
        """Return every open position of every account; while the journal cannot be read, of those that the settings name. Raises a
        BrokerError, MarketError or StoreError: not to know is not to be flat."""
        found = []
        for ref in await self._accounts():
            broker = self._deps.broker(ref)
            for position in await broker.positions(None):
                measured = await self._measured(ref, broker.account, position)
                stays = ref.feed == "recorded" or await broker.instant(position.symbol) is not None
                whose = await whose_of(broker, position)
                ours = whose.ours if whose is not None else None
                found.append(replace(measured, stands_still=stays and measured.at is not None, ours=ours))
        return found

    async def outcome(self, proposal: Proposal) -> Outcome | None:
        """Return what the order of a proposal has come to; None where there is none, or nobody can say."""
        if proposal.state != "filled":
            return None
        return await self._deps.broker(proposal.basis.place).outcome(proposal.order_ids[-1])

    async def held(self, symbol: str, account: str | None = None) -> tuple[AccountRef, Broker, Position]:
        """Return the one position in a market, and where it is held. Raises NotAllowed when there is none, BadInput when it is not clear
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
            raise NotAllowed(f"no position in {symbol} is open")
        if len(found) > 1:
            names = ", ".join(broker.account for _, broker, _ in found)
            raise BadInput(f"{symbol} is held in several accounts: name one with --account ({names})")
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

        amount: base units, `ours` or `all`; None = all of it, where all of it is ours. Raises NotAllowed when there is none, BadInput when
        it is not clear which one is meant, NotOnlyOurs when it is not clear how much of one.
        """
        brokers = [self._deps.broker(ref) for ref in await self._readable()]
        ended, working = await end_entries(self._deps, [each for each in brokers if account in {None, each.account}], symbol, who)
        try:
            ref, broker, position = await self.held(symbol, account)
        except NotAllowed as problem:
            if not (ended or working):
                raise
            what = f"the entry that still worked ({', '.join(ended)}) was cancelled" if ended else STILL_WORKS.format(", ".join(working))
            raise NotAllowed(f"{problem}; {what}") from None
        if position.instrument == "shares":
            size = await sale_of(self._deps, ref, position, None if isinstance(amount, str) else amount)
        else:
            size = await size_to_close(lambda: self._deps.feed(ref), broker, position, amount)
        order = Order(
            client_id=client_id("close", broker.account, symbol, secrets.token_hex(8)),
            symbol=symbol,
            side="sell" if position.side == "long" else "buy",
            amount=size,
            reduce_only=True,
        )
        failover = self._deps.journal.failover
        await asyncio.to_thread(
            failover.write_order, order, broker.account, f"{'close' if size == position.size else 'reduce'} {symbol}"[:48], who
        )
        asks = broker.name == "exchange" and amount in {None, "ours"}
        try:
            report = await broker.place_order(order, None, partial(most_to_close, broker, symbol) if asks else None)
        except NotAllowed as problem:
            refused = OrderReport(client_id=order.client_id, state="refused", at=self._deps.clock(), why=str(problem))
            await asyncio.to_thread(failover.report, refused)
            raise
        await asyncio.to_thread(failover.report, report)
        if report.state == "refused" or (report.state == "cancelled" and report.filled == 0):
            raise BrokerRefused(f"the broker refused to close {symbol}: {report.why}")
        left = f"{report.filled:f} of {size:f} {symbol} was closed; the rest stays open, with its stop: close it again"
        notes = [left if report.filled < size else "", STILL_WORKS.format(", ".join(working)) if working else "", report.why]
        return report.model_copy(update={"why": "; ".join(each for each in notes if each) or None})

    async def recover(self) -> None:
        """Find out what became of orders to close that a dead process left. They are never sent again: what they were to close may be
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
                found.extend(await self._note_gone(broker) if broker.name == "exchange" else ())
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
        journal, account, lines = self._deps.journal, broker.account, []
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
            line = f"{symbol}: the position is gone; the venue or another hand has closed it"
            await asyncio.to_thread(note_gone, journal, account, symbol, own.through, line)
            lines.append(line)
        return lines

    async def unprotected(self) -> list[UnprotectedPosition]:
        """Return the positions without a stop, by what any process read back last."""
        return await asyncio.to_thread(unprotected_positions, self._deps.journal)

    async def uses_exchange(self) -> bool:
        """Return whether an exchange's account is in use: by the settings, or by an order that was once written for it."""
        return any(ref.broker == "exchange" for ref in await self._accounts())

    async def account_statuses(self) -> list[AccountStatus]:
        """Return the status of every exchange account; one that cannot be read says why in `problem`."""
        found: dict[str, AccountStatus] = {}
        for ref in await self._accounts():
            if ref.broker != "exchange":
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
        """Return what somebody should know of the accounts in use, a line each."""
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

    async def _accounts(self) -> list[AccountRef]:
        journal, names = self._deps.journal, list[str]()
        try:
            names = [*await asyncio.to_thread(journal.ledger.accounts), *await asyncio.to_thread(journal.proposal_store.accounts)]
        except StoreError as problem:  # which accounts have been used only the journal knows; a venue can be asked without it
            if not self._account_refs:
                raise
            _log.warning("%s: only the accounts that the settings name are checked (%s)", problem, _names(self._account_refs))
        used = [AccountRef.of_account(name) for name in dict.fromkeys(names)]
        return list({ref.account: ref for ref in (*used, *self._account_refs)}.values())

    async def _measured(self, ref: AccountRef, account: str, position: Position) -> HeldPosition:
        """Measure a position since its entry. What cannot be measured says so in `why`; the other fields stay None."""
        empty: dict[str, float | None] = dict.fromkeys(_FACTS)
        if position.instrument == "shares":
            return await self._measured_shares(ref, account, position, empty)
        holding = position.holding()
        if holding is None:
            return HeldPosition(account, position, None, None, empty, why="nobody knows since when it is held")
        try:
            proposal = await asyncio.to_thread(self._deps.journal.proposal_store.last_filled, account, position.symbol)
            thesis = await asyncio.to_thread(thesis_of, self._deps.journal, account, position.symbol, holding)
        except StoreError as problem:
            return HeldPosition(account, position, None, None, empty, why=str(problem))
        timeframe = proposal.basis.timeframe if proposal is not None else _TIMEFRAME
        htf = proposal.basis.timeframe_htf if proposal is not None else None
        at = await self._deps.broker(ref).instant(position.symbol)
        try:
            snapshot = await take_snapshot(
                self._deps.feed(ref),
                symbol=position.symbol,
                timeframe=Timeframe.parse(timeframe),
                htf=Timeframe.parse(htf) if htf else None,
                at=at,
                holding=holding,
            )
        except BadInput as problem:  # a clock that was put back: it is held, and what it went through is to come
            return HeldPosition(account, position, None, None, empty, thesis, why=str(problem))
        sheet = await asyncio.to_thread(_sheet, snapshot)
        checked = check_thesis(thesis, sheet) if thesis is not None else ()
        found = HeldPosition(account, position, exact(snapshot.price), snapshot.at, _facts(sheet), thesis, checked)
        terms = proposal.basis.terms if proposal is not None else None
        series = await asyncio.to_thread(_series, snapshot.candles)
        return replace(found, candles=snapshot.candles, forming=snapshot.forming, series=series, **await self._course(ref, position, terms))

    async def _measured_shares(self, ref: AccountRef, account: str, position: Position, empty: dict[str, float | None]) -> HeldPosition:
        """Measure shares against the average price that was paid, since their first fill. Where the source does not reach back to it, only
        at the last price, and `why` says so."""
        at, quotes, why = await self._deps.broker(ref).instant(position.symbol), self._deps.share_quotes(ref), ""
        terms = await quotes.terms(position.symbol)
        since = utc_ms(position.opened_at) if position.opened_at is not None else None
        try:
            path, known = await quotes.path(position.symbol, since, at), position
        except MarketError as problem:
            path, known = await quotes.path(position.symbol, None, at), position.model_copy(update={"opened_at": None})
            why = f"its best and worst price are not known: {problem}"
        facts = empty | share_progress(known, path)
        holding = position.holding()
        thesis = None
        if holding is not None:
            with suppress(StoreError):  # what it was bought for is shown where it is known
                thesis = await asyncio.to_thread(thesis_of, self._deps.journal, account, position.symbol, holding)
        currency = terms.shares.currency if terms.shares is not None else ""
        found = HeldPosition(account, position, path.price, path.at, facts, thesis, why=why, currency=currency)
        candles = await self._share_candles(quotes, position, at)
        series = await asyncio.to_thread(_series, candles) if candles is not None else {}
        return replace(found, candles=candles, series=series, **await self._course(ref, position, terms))

    async def _share_candles(self, quotes: ShareQuotes, position: Position, at: datetime | None) -> Candles | None:
        """Return the sessions of a company from some before its shares were bought; as far back as the source reaches, None without any."""
        if position.opened_at is None:
            return None
        for days in (_BEFORE_DAYS, 0):
            with suppress(MarketError):
                return share_candles(await quotes.path(position.symbol, utc_ms(position.opened_at - timedelta(days=days)), at))
        return None

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
    return TribunalError(f"a fault of the program: {type(problem).__name__}: {problem}"[:300])


def _sheet(snapshot: Snapshot) -> FactSheet:
    from engine.facts.sheet import build_sheet  # noqa: PLC0415 - no page need wait for TA-Lib

    return build_sheet(snapshot)


def _series(candles: Candles) -> dict[str, list[float | None]]:
    from engine.facts.series import indicator_series  # noqa: PLC0415 - late, as above

    return dict(indicator_series(candles, None))


def _facts(sheet: FactSheet) -> dict[str, float | None]:
    return {key: sheet.number(key) for key in _FACTS}


def _names(account_refs: tuple[AccountRef, ...]) -> str:
    return ", ".join(ref.account for ref in account_refs)
