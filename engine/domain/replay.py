"""A replay: what was asked, each decision of it, and its report."""

import re
from typing import Final, Literal

from pydantic import AwareDatetime, Field, field_validator

from engine.domain.frozen_model import FrozenModel
from engine.domain.outcome import ExitReason
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import ProposalState
from engine.domain.run import AnyRequest
from engine.domain.text.reason import Said

World = Literal["real", "shuffled", "bootstrap", "simulated"]
"""Whose prices are replayed: the market's own, its returns in another order, drawn from it with replacement, or a random walk."""
Ending = Literal["done", "budget", "stopped"]
_RULE: Final = re.compile(r"auto|confidence>=(\d{1,3}(?:\.\d+)?)")


class ReplayBudget(FrozenModel):
    """What a replay may spend; None = no bound. calls: requests to models. tokens: sent and received. money: in the money of the prices."""

    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    money: float | None = Field(default=None, gt=0)

    def part(self, n: int) -> "ReplayBudget":
        """Return what one of n windows may spend."""
        calls, tokens = (max(1, each // n) if each is not None else None for each in (self.calls, self.tokens))
        return ReplayBudget(calls=calls, tokens=tokens, money=self.money / n if self.money is not None else None)


class ReplaySpent(FrozenModel):
    """What decisions took. calls: requests to models. tokens: sent and received. money: in the money of the prices, None where a model has
    no price."""

    calls: int = 0
    tokens: int = 0
    money: float | None = 0.0

    def __add__(self, other: "ReplaySpent") -> "ReplaySpent":
        """Return what both took."""
        known = self.money is not None and other.money is not None
        money = round((self.money or 0.0) + (other.money or 0.0), 6) if known else None
        return ReplaySpent(calls=self.calls + other.calls, tokens=self.tokens + other.tokens, money=money)


class ReplayRequest(FrozenModel):
    """What is replayed.

    base: the request of every decision, without its clock. begins, ends: the first and the last instant that may be decided at. every:
    bars, or sessions, from one decision to the next. approve: who signs: `auto` = every order; `confidence>=X` = those that add risk only
    from that confidence on. world_seed: of a world that is not the real one. windows: stretches of it, each with an account of its own.
    """

    base: AnyRequest
    begins: AwareDatetime
    ends: AwareDatetime
    every: int = Field(default=1, ge=1)
    approve: str = "auto"
    budget: ReplayBudget = ReplayBudget()
    world: World = "real"
    world_seed: int = 0
    windows: int = Field(default=1, ge=1, le=10_000)

    @field_validator("approve")
    @classmethod
    def _is_a_rule(cls, value: str) -> str:
        text = value.replace(" ", "")
        found = _RULE.fullmatch(text)
        if found is None or (found[1] is not None and float(found[1]) > 100):
            raise ValueError("should be auto or confidence>=X, X from 0 to 100")
        return text

    @property
    def least_confidence(self) -> float | None:
        """The confidence from which on an order that adds risk is signed; None = every one."""
        found = _RULE.fullmatch(self.approve)
        return float(found[1]) if found is not None and found[1] is not None else None


class ReplayStep(FrozenModel):
    """One instant of a replay. run_id, action, price: None where nothing could be decided, and why says it. equity: of the account once the
    decision was answered, quote units. order: client id of the order that was placed. calls, tokens, cost: of the decision. false_claims,
    total_claims: numbers it stated that could be checked. why: also why an order was not signed."""

    number: int
    at: AwareDatetime
    equity: float
    run_id: str | None = None
    action: str | None = None
    price: float | None = None
    confidence: float | None = None
    is_valid: bool | None = None
    answer: ProposalState | None = None
    order: str | None = None
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    false_claims: int = 0
    total_claims: int = 0
    why: Said | None = None

    @property
    def spent(self) -> ReplaySpent:
        """What the decision took."""
        return ReplaySpent(calls=self.calls, tokens=self.tokens, money=self.cost)


class PlayedPiece(FrozenModel):
    """What one stretch of a replay has left. steps: in order, none where it ended before its first. records: the positions of its account.
    ends_at, equity, last_price: its last instant, and the account and the market then. ended: why it ended. decisions_per_s: of the process
    that played."""

    steps: tuple[ReplayStep, ...]
    records: tuple[PositionRecord, ...]
    ends_at: AwareDatetime
    equity: float
    last_price: float
    ended: Ending = "done"
    decisions_per_s: float = 0.0


class ReplayTrade(FrozenModel):
    """One position of the account. pnl: after fees, funding and dividends, quote units; of an open one at the last price. r: the same in
    units of what was at risk, None without a stop. exit_price, closed_at: None while it is open."""

    run_id: str | None
    opened_at: AwareDatetime
    closed_at: AwareDatetime | None
    side: str
    entry_price: float
    exit_price: float | None
    quantity: float
    pnl: float | None
    r: float | None
    exit_reason: ExitReason
    regime: str | None = None


class Baselines(FrozenModel):
    """Returns in percent over the same time. buy_and_hold: bought at the first decision, without costs. naive: long above the EMA 200 and
    flat below, seen at the same instants, after fees."""

    buy_and_hold: float | None
    naive: float | None


class RegimePart(FrozenModel):
    """One kind of market. share: of the instants, 0-1. n: trades that began in it. mean_r: None without one. low, high: interval at
    95 %."""

    name: str
    share: float
    n: int
    mean_r: float | None = None
    low: float | None = None
    high: float | None = None


class Proof(FrozenModel):
    """What was found where the future was altered. differ: instants whose decision was another one. changed: instants at which altering
    what was known then, too, did change the decision: that the alteration reaches the desk at all."""

    instants: tuple[AwareDatetime, ...]
    differ: tuple[AwareDatetime, ...] = ()
    changed: int = 0
    seed: int = 0

    @property
    def holds(self) -> bool:
        """Whether no decision knew what came later."""
        return not self.differ


class PlayedWorld(FrozenModel):
    """What one world without an edge came to, played to its end. return_pct: percent."""

    return_pct: float
    spent: ReplaySpent


class WorldsRank(FrozenModel):
    """The real result among worlds without an edge. returns: percent, one a world. rank: share of all results, this one included, that were
    at least as good: a p-value."""

    kind: World
    n: int
    returns: tuple[float, ...]
    rank: float
    is_beyond: bool


class ReplayReport(FrozenModel):
    """What a replay came to. max_drawdown_pct: of the peak, 0 or above. sharpe, sortino: a year; None where nothing moved. hit_rate: 0-1.
    costs: fees and funding paid, quote units. exposure_pct: of the time with a position. turnover: traded value in units of the first
    equity. intervals: at 95 %. header: the seven columns that tell what a result rests on. curves: the baselines in the account's money, at
    the instants of `equity`. spent: by all decisions, those of the worlds too. false_claims, total_claims: stated numbers that could be
    checked."""

    replay_id: str
    symbol: str
    desk: str
    ended: Ending = "done"
    decisions: int
    trades: tuple[ReplayTrade, ...]
    equity: tuple[tuple[AwareDatetime, float], ...]
    return_pct: float
    max_drawdown_pct: float
    sharpe: float | None
    sortino: float | None
    hit_rate: float | None
    expectancy_r: float | None
    costs: float
    exposure_pct: float
    turnover: float
    intervals: dict[str, tuple[float, float]]
    baselines: Baselines
    warnings: tuple[Said, ...]
    decisions_per_s: float
    world: World = "real"
    worlds: WorldsRank | None = None
    regimes: tuple[RegimePart, ...] = ()
    header: dict[str, Said] = Field(default_factory=dict)
    curves: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    drawdowns: dict[str, float] = Field(default_factory=dict)
    spent: ReplaySpent = ReplaySpent()
    false_claims: int = 0
    total_claims: int = 0
    proof: Proof | None = None


class ReplaySummary(FrozenModel):
    """A replay in a list. done, total: decisions. running: another process plays it. report: None before its end."""

    replay_id: str
    request: ReplayRequest
    done: int = 0
    total: int = 0
    running: bool = False
    report: ReplayReport | None = None


class SweepRow(FrozenModel):
    """One replay of a sweep. setting: key -> value of what it was played with. decisions: how many. trades: closed ones.
    sharpe_interval: at 95 %. Everything else as in its report, which `replay_id` names."""

    setting: dict[str, str]
    replay_id: str
    ended: Ending
    decisions: int
    return_pct: float
    max_drawdown_pct: float
    sharpe: float | None
    sharpe_interval: tuple[float, float] | None
    expectancy_r: float | None
    trades: int
    false_claims: int
    total_claims: int
    tokens: int


class DeflatedSharpe(FrozenModel):
    """The best Sharpe ratio of several tries, against luck (Bailey and Lopez de Prado). luck: the Sharpe, a year, that the best of so many
    tries is expected to show when none has an edge. probability: that the best one's true Sharpe is above it, 0-1."""

    luck: float
    probability: float


class SweepReport(FrozenModel):
    """Replays of the same time that differ in a few settings. keys: key -> values, in the order asked for. rows: one a combination. best:
    the place of the row with the highest Sharpe ratio, None where no row has one. deflated: of that row, None where it cannot be told."""

    replay_id: str
    symbol: str
    desk: str
    ended: Ending = "done"
    keys: dict[str, tuple[str, ...]]
    rows: tuple[SweepRow, ...]
    best: int | None
    deflated: DeflatedSharpe | None
    warnings: tuple[Said, ...]
    decisions_per_s: float


class SweepSummary(FrozenModel):
    """A sweep in a list. replays: one a combination, in the order of `settings`. report: None before its end."""

    replay_id: str
    keys: dict[str, tuple[str, ...]]
    settings: tuple[dict[str, str], ...]
    replays: tuple[ReplaySummary, ...]
    running: bool = False
    report: SweepReport | None = None

    @property
    def done(self) -> int:
        """The decisions that were made."""
        return sum(each.done for each in self.replays)

    @property
    def total(self) -> int:
        """All decisions."""
        return sum(each.total for each in self.replays)
