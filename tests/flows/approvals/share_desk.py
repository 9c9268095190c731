"""Orders for shares of the simulated companies, filed as a flow files them, on engines of the test's own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.domain.account_ref import AccountRef
from engine.domain.clock import utc_now
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.proposal import NewProposal, Proposal
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRecord, RunRequest
from engine.equity.snapshot import read_equity

if TYPE_CHECKING:
    from engine.api import Engine

REF = AccountRef(feed="simulated", seed=3)


class ShareRequest(RunRequest):
    """A run that decided about a company."""

    flow: Literal["shares-desk"] = "shares-desk"
    symbol: str
    place: AccountRef

    @property
    def account_ref(self) -> AccountRef:
        return self.place

    @property
    def subject(self) -> str:
        return self.symbol


RISK = RiskConfig(equity=100_000.0, cooldown_minutes=0)


@dataclass
class ShareDesk:
    """home: where the engines keep everything. ref: the account, and whose prices."""

    make: "Callable[..., Engine]"
    home: Path
    ref: AccountRef = REF
    made: "list[Engine]" = field(default_factory=list)

    @property
    def engine(self) -> "Engine":
        if not self.made:
            self.another()
        return self.made[0]

    @property
    def trading(self) -> Any:
        return self.engine.trading

    def another(self, **settings: object) -> "Engine":
        """A further engine on the same journal: another process, as far as answers go."""
        self.made.append(self.make(**{"home": self.home, "risk": RISK, **settings}))
        return self.made[-1]

    def ask(self, question: Any, engine: "Engine | None" = None) -> Any:
        return (engine or self.engine)._container.loop.submit(question).result(60)

    def known(self, symbol: str, day: date, session: SessionMoment = "post_close") -> EquitySnapshot:
        """What was known of a company at a moment."""
        source = self.engine._container.providers.equities(self.ref.feed, self.ref.data_dir, self.ref.seed)
        found: EquitySnapshot = self.ask(read_equity(source, symbol, day, session))
        return found

    def account(self, snapshot: EquitySnapshot, risk: RiskConfig = RISK) -> CashAccount:
        service = self.engine._container.approvals.proposal_service
        found: CashAccount = self.ask(service.cash_account(self.ref, snapshot.listing, snapshot.moment, risk))
        return found

    def decided(self, snapshot: EquitySnapshot, run_id: str) -> dict[str, Any]:
        """The final state of a run about a company, which the journal keeps from now on."""
        moment, journal = snapshot.moment, self.engine._container.journal
        state = {"trade_date": moment.trade_date.isoformat(), "trading_session": moment.trading_session, "run": run_id}
        if journal.run(run_id) is None:
            now = utc_now()
            request = ShareRequest(symbol=snapshot.listing.symbol, place=self.ref)
            record = RunRecord(run_id=run_id, created_at=now, status="running", request=request)
            journal.add_run(record, "test", now)
            journal.add_inputs(run_id, snapshot)
            journal.end_run(record.model_copy(update={"status": "finished", "finished_at": now, "result": state}))
        return state

    def ticket(self, snapshot: EquitySnapshot, side: str = "buy", quantity: int = 100, **more: Any) -> ShareTicket:
        run_id = more.pop("run_id", f"r-{len(self.trading.proposals()) + 1:04}")
        self.decided(snapshot, run_id)
        if side == "buy":
            more.setdefault("stop", round(snapshot.current_price * 0.96, 2))
        return ShareTicket(
            run_id=run_id,
            snapshot_hash=snapshot.hash,
            place=self.ref,
            listing=snapshot.listing,
            moment=snapshot.moment,
            price=snapshot.current_price,
            side=side,  # type: ignore[arg-type]
            quantity=quantity,
            confidence=more.pop("confidence", 70.0),
            risk=more.pop("risk", RISK),
            atr=more.pop("atr", snapshot.current_price * 0.02),
            **more,
        )

    def file(self, ticket: ShareTicket, engine: "Engine | None" = None) -> Proposal:
        at = engine or self.engine
        moment = ticket.moment
        state = {"trade_date": moment.trade_date.isoformat(), "trading_session": moment.trading_session, "run": ticket.run_id}
        service, store = at._container.approvals.proposal_service, at._container.journal.proposal_store
        filing: NewProposal = self.ask(service.prepare_shares(state, ticket), at)
        store.add(filing.proposal, filing.supersede)
        return at.trading.proposal(filing.proposal.id)

    def propose(self, snapshot: EquitySnapshot, side: str = "buy", quantity: int = 100, **more: Any) -> Proposal:
        return self.file(self.ticket(snapshot, side, quantity, **more))
