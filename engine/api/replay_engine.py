"""Engines that replays are played on: each on a home of its own, with paper money, a clock that is moved, and a lens."""

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import SecretStr

from engine.api.engine import Engine
from engine.desks import DESKS, desk_of
from engine.domain.clock import use_clock, utc_now
from engine.domain.errors import BadInput, BrokerError, PastAccount
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import IN_FLIGHT, Proposal
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.reason import Reason
from engine.replay.clock import ReplayClock
from engine.replay.lens import Lens
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.domain.account_ref import AccountRef
    from engine.replay.protocol import ReplayDesk
    from engine.trading.protocol import Broker

SIGNER: Final = "replay"
_WAIT_S: Final = 600.0
Result = TypeVar("Result")


def settings_of(settings: Settings, home: Path) -> Settings:
    """Return settings for a replay's home: paper money, its own journal and no one to alert, whatever the process has."""
    own = {"home": home, "database_url": None, "pace": 0.0, "alerts": SecretStr("")}
    paper = {"broker": "paper", "live": "no", "approval": "manual", "two_sign_above": None}
    return settings.model_copy(update=own | paper)


@contextmanager
def opened_past(settings: Settings, home: Path) -> "Iterator[Opened]":
    """Open an engine that sees nothing behind its clock, which shows now until it is moved. settings: of the process."""
    from engine.replay.past_lens import PastLens  # noqa: PLC0415 - it brings numpy, which no page need wait for

    clock = ReplayClock(utc_now())
    with use_clock(clock), opened_through(settings, home, clock, PastLens(clock)) as opened:
        yield opened


@contextmanager
def opened_through(settings: Settings, home: Path, clock: ReplayClock, lens: Lens) -> "Iterator[Opened]":
    """Open an engine behind a lens. The process has the clock already."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with closing(Engine(settings_of(settings, home), lens=lens)) as engine:
        yield Opened(engine, clock, lens)


def risk_of(base: RunRequest) -> RiskConfig:
    """Return the limits of a request: every desk that can be replayed orders."""
    risk = dict(base).get("risk")
    assert isinstance(risk, RiskConfig)
    return risk


@dataclass(frozen=True)
class Opened:
    """An engine on a replay's home, its clock and its lens."""

    engine: Engine
    clock: ReplayClock
    lens: Lens

    def desk(self, symbol: str) -> "ReplayDesk":
        """Return how the desk of a symbol is replayed."""
        for name in DESKS:
            make = desk_of(name).replay
            if make is not None and (desk := make(self.engine.container)).takes(symbol):
                return desk
        raise BadInput(Reason("replay_has_no_desk_for", symbol=symbol[:60]))

    def ask(self, question: Coroutine[Any, Any, Result]) -> Result:
        """Return what a question of the engine's loop gives."""
        return self.engine.container.loop.submit(question).result(_WAIT_S)


@dataclass(frozen=True)
class Left:
    """What an account has come to: the positions it had, and what it is worth."""

    records: Sequence[PositionRecord]
    equity: float


class PlayedEngine:
    """Implements `Played` with the calls of the shell's commands."""

    def __init__(self, opened: Opened, desk: "ReplayDesk", base: RunRequest) -> None:
        self._opened, self._desk, self._base, self._engine = opened, desk, base, opened.engine
        assert base.account_ref is not None
        self._ref: AccountRef = base.account_ref

    def request_at(self, instant: datetime) -> RunRequest:
        return self._desk.at(self._base, instant)

    def decide(self, name: str, request: RunRequest) -> RunRecord:
        for attempt in count(1):
            run_id = name if attempt == 1 else f"{name}x{attempt}"
            record = self._engine.run(run_id)
            if record is None:
                self._engine.start(request, run_id)
            elif record.status == "finished":
                return record
            elif record.status == "failed":
                continue
            else:
                self._release(run_id)
                self._engine.resume(run_id)
            return self._engine.wait(run_id)
        raise AssertionError("count never ends")

    def _release(self, run_id: str) -> None:
        """Let go of a run whose player is gone, on whatever machine that was: a stretch of a replay has one player at a time, and on its
        clock no lease would ever run out."""
        leases = self._engine.container.journal.leases
        lease = leases.of(run_id)
        if lease is not None:
            leases.release(run_id, lease.owner, self._opened.clock())

    def proposal_of(self, run_id: str) -> Proposal | None:
        proposal = self._engine.trading.proposal_of(run_id)
        if proposal is None or proposal.state not in IN_FLIGHT:
            return proposal
        self._engine.trading.recover()  # its player was killed between the signature and what came of the order
        return self._engine.trading.proposal_of(run_id)

    def approve(self, proposal_id: str) -> Proposal:
        return self._engine.trading.approve(proposal_id, SIGNER)

    def reject(self, proposal_id: str, why: str) -> Proposal:
        return self._engine.trading.reject(proposal_id, SIGNER, why)

    def equity(self) -> float:
        return self._opened.ask(self._equity())

    async def _equity(self) -> float:
        try:
            return (await self._broker.view(risk_of(self._base), self._opened.clock())).equity
        except BrokerError:  # it has lost everything
            return 0.0

    def follow_account(self) -> None:
        now = self._opened.clock()
        self._opened.ask(self._follow(now))
        if self._desk.last_day(self._base, now) is not None:  # orders wait for sessions alone
            self._engine.trading.recover()

    def follow_outcomes(self) -> None:
        self._engine.outcomes.catch_up()

    def left(self, at: datetime) -> Left:
        """Follow the account to its last instant, and return what it did and what it is worth."""
        return self._opened.ask(self._left(at))

    async def _follow(self, at: datetime) -> None:
        with suppress(PastAccount):
            await self._broker.position(self._base.subject, at, keep=True)

    async def _left(self, at: datetime) -> Left:
        await self._follow(at)
        return Left(await self._broker.history(), await self._equity())

    @property
    def _broker(self) -> "Broker":
        return self._engine.container.approvals.deps.broker(self._ref)


class EngineProver:
    """Decides at one instant on a home of its own. alters: the instant from which on its lens shows another future, None = none."""

    def __init__(self, opened: Opened, desk: "ReplayDesk", base: RunRequest) -> None:
        self._opened, self._desk, self._base = opened, desk, base
        self._played = PlayedEngine(opened, desk, base)
        self.alters: Callable[[datetime], datetime] | None = None

    def decide(self, number: int, instant: datetime) -> Mapping[str, Any]:
        """Return the final state at an instant."""
        from engine.replay.altered import AlteredLens  # noqa: PLC0415 - late, as above

        self._opened.clock.move(instant)
        if self.alters is not None and isinstance(self._opened.lens, AlteredLens):
            at = self.alters(instant)
            self._opened.lens.future.begin(at, self._desk.last_day(self._base, at))
        state = self._played.decide(f"proof-{number:05d}", self._desk.at(self._base, instant)).result
        assert state is not None  # a finished run has a state
        return state
