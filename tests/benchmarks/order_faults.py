"""Orders under kills, faults and delays: what becomes of accounts whose processes die, whose venue fails, and whose people hurry.

Each scenario is an account at the loopback venue with one to four proposals that wait, and one limit that lets one or two of them through.
Real processes approve, close, decide and halt at once; at random requests one of them is killed, the venue fails or takes its time. Then a
server comes up, with no page open, and has 60 s. Counted: orders that were sent twice, positions without a stop after that, limits that
were broken at any moment, and words to a person that were not so (`order_truth.py`).
"""

import multiprocessing
import os
import random
import re
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.benchmarks.measured import Measured
from tests.benchmarks.order_actors import Act, Said, run
from tests.benchmarks.order_truth import LIMITS, LOSSES, Most, Truth, limits_of
from tests.engine.approvals.live_account import file_entry, journal_in
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET

SCENARIOS = int(os.environ.get("SCENARIOS", "1000"))
LEVELS = float(os.environ.get("LEVELS", "0.3"))
"""In how many scenarios somebody moves a stop as well."""
AT_ONCE = 6
SERVER_S = 60.0
SETTLED_S = 20.0  # so long the server looks after stops that were moved: a round of putting in order is among it
ACTING_S = 150.0
BASES = ("BTC", "ETH", "SOL", "BNB")
ORDER, CONDITIONAL = "POST /fapi/v1/order?", "POST /fapi/v1/algoOrder"
PARTS = (ORDER, "GET /fapi/v1/order?", CONDITIONAL, "openAlgoOrders", "/fapi/v3/positionRisk", "/fapi/v3/account", "/klines", "/income")
FAULTS: tuple[FaultKind, ...] = (
    "drop", "drop-after", "500", "500-after", "503", "429", "429-after", "html", "cut-after", "empty", "reject", "-1007", "-2021",
)  # fmt: skip
CONTEXT = multiprocessing.get_context("forkserver")


@dataclass
class Tally:
    """What became of the scenarios. bad: the seed and what was wrong, a line each."""

    kills: int = 0
    faults: int = 0
    filled: int = 0
    double: int = 0
    bare: int = 0
    broken: int = 0
    wrong: int = 0
    bad: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    bound: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Take in another's counts."""
        for name in ("kills", "faults", "filled", "double", "bare", "broken", "wrong"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.bad += other.bad
        self.told += other.told
        self.bound += other.bound


def measure(scenarios: int = SCENARIOS) -> Iterator[Measured]:
    """Run the scenarios, a few at once. SCENARIOS in the environment: how many."""
    CONTEXT.set_forkserver_preload(["tests.benchmarks.order_actors"])
    whole, lock = Tally(), threading.Lock()

    def one(seed: int) -> None:
        found = Scenario(seed).play()
        with lock:
            whole.add(found)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, range(scenarios)))
    note = f"{scenarios} scenarios, {whole.kills} kills, {whole.faults} faults, {whole.filled} orders filled; {'; '.join(whole.bad[:5])}"
    yield Measured("orders under kills, faults, delays: sent twice", "", [whole.double], 0, "maximum", note=note)
    yield Measured("positions without a stop after 60 s with the server up", "", [whole.bare], 0, "maximum")
    yield Measured("limits broken", "", [whole.broken], 0, "maximum", note=f"reached in {dict(whole.bound)}")
    yield Measured("wrong words to a person", "", [whole.wrong], 0, "maximum", note=str(dict(whole.told.most_common(16))))


class Scenario:
    """One account and what happens to it. seed: what is done, when, and what goes wrong."""

    def __init__(self, seed: int) -> None:
        self.seed, self.chance, self.tally = seed, random.Random(seed), Tally()
        self.acting: list[BaseProcess] = []
        self.asked, self.most = 0, Most()
        self.limit, self.allowed = self.chance.choice(LIMITS), self.chance.choice((1, 1, 2))
        self.risk = limits_of(self.limit, self.allowed)
        self.moments: set[int] = set()
        self.moves_stops = False
        self.lock = threading.Lock()

    def play(self) -> Tally:
        """Everything from the first signature to a minute of the server."""
        with tempfile.TemporaryDirectory(prefix="tribunal-orders-", ignore_cleanup_errors=True) as folder, LoopbackExchange() as venue:
            journal = journal_in(Path(folder))
            filed = [file_entry(journal, venue, base, risk=self.risk) for base in BASES[: self.chance.choice((1, 2, 3, 4))]]
            journal.close()
            said = self._act(folder, venue, [proposal.id for proposal in filed])
            venue.fast()
            venue.slow("", self._look_on(venue))
            self._serve(folder, venue)
            self._judge(folder, venue, said)
        return self.tally

    def _act(self, folder: str, venue: LoopbackExchange, proposals: list[str]) -> list[Said]:
        """People act at once, in processes of their own; gives what those were told that lived to read it."""
        chance = self.chance
        acts = [Act("approve", proposal) for proposal in proposals]
        acts += [Act("approve", chance.choice(proposals))] if chance.random() < 0.3 else []
        acts += [Act("decide", "XRP/USDT:USDT")] if chance.random() < 0.3 else []
        self.moments = {chance.randrange(5, 90) for _ in range(chance.choice((0, 1, 1, 2)))}
        if chance.random() < 0.1:
            venue.fail(CONDITIONAL, chance.choice(("reject", "500", "-1003")), times=500)  # no stop can be placed any more
        for _ in range(chance.choice((0, 1, 2, 4))):
            part = chance.choice(PARTS)
            kinds = (*FAULTS, "lost-after") if part == CONDITIONAL else FAULTS
            venue.fail(part, chance.choice(kinds), times=chance.choice((1, 1, 3)))
            self.tally.faults += 1
        gentle = self.limit in LOSSES  # what is lost must be the fees of whole entries, else nobody can say how many are allowed
        if chance.random() < 0.2 and not gentle:
            venue.account.slow_fills(chance.choice(("0", "0.4")), chance.choice((2, 4)), chance.choice(("FILLED", "EXPIRED")))
        if chance.random() < 0.2 and not gentle:
            self._move_later(venue)
        venue.slow("", self._look_on(venue))
        pace = chance.choice((0.0, 0.01, 0.05))
        venue.slow("", lambda: random.uniform(0, pace), answer=True)
        wires = [self._start(act, folder, venue) for act in acts]
        if chance.random() < 0.4:
            wires.append(self._close_soon(folder, venue))
        self.moves_stops = chance.random() < LEVELS
        if self.moves_stops:
            wires += [self._levels_soon(folder, venue, chance.choice((0.97, 0.985, 0.99, 0.995))) for _ in range(chance.choice((1, 1, 2)))]
        if chance.random() < 0.2:
            wires.append(self._start(Act("halt"), folder, venue))
        until = time.monotonic() + ACTING_S
        said = [found for wire in wires if (found := _heard(wire, until)) is not None]
        for process in self.acting:
            process.join(20)
            if process.is_alive():
                process.kill()
                process.join()
        self.acting.clear()
        self.moments.clear()
        return said

    def _close_soon(self, folder: str, venue: LoopbackExchange) -> Connection:
        """Somebody closes a position as soon as there is one."""
        return self._start(Act("close", _first_held(venue)), folder, venue)

    def _levels_soon(self, folder: str, venue: LoopbackExchange, stop: float) -> Connection:
        """Somebody moves the stop of a position as soon as there is one. stop: share of its entry price."""
        return self._start(Act("protect", _first_held(venue), stop), folder, venue)

    def _move_later(self, venue: LoopbackExchange) -> None:
        """The price jumps at one of the requests to come: nothing may be bought far away, and stops may trigger."""
        at, by = self.chance.randrange(10, 60), self.chance.choice((-0.03, -0.01, 0.02))

        def move() -> float:
            if self.asked == at:
                name = f"{BASES[0]}USDT"
                price = venue.account.prices[name]
                venue.account.move(name, f"{float(price) * (1 + by):.1f}")
            return 0.0

        venue.slow("", move)

    def _look_on(self, venue: LoopbackExchange) -> Any:
        """Count requests, kill somebody at the chosen ones, remember the most that was ever open."""

        def look() -> float:
            with self.lock:
                self.asked += 1
                self.most.see(venue.account)
                if self.asked in self.moments:
                    alive = [each for each in self.acting if each.is_alive() and each.pid]
                    if alive:
                        os.kill(int(self.chance.choice(alive).pid or 0), signal.SIGKILL)
                        self.tally.kills += 1
            return 0.0

        return look

    def _start(self, act: Act, folder: str, venue: LoopbackExchange) -> Connection:
        ours, theirs = CONTEXT.Pipe()
        process = CONTEXT.Process(target=run, args=(act, _settings(folder, venue), theirs), daemon=True)
        process.start()
        theirs.close()
        self.acting.append(process)
        return ours

    def _serve(self, folder: str, venue: LoopbackExchange) -> None:
        """The server without a page, until all is in order or its time is over."""
        wire = self._start(Act("watch"), folder, venue)
        began = time.monotonic()
        at_least = began + (SETTLED_S if self.moves_stops else 0.0)
        while time.monotonic() < began + SERVER_S and not (self._in_order(venue) and time.monotonic() > at_least):
            time.sleep(0.2)
        with suppress(OSError):
            wire.send("enough")
        self.acting[-1].join(20)
        self.acting[-1].kill()

    def _in_order(self, venue: LoopbackExchange) -> bool:
        account = venue.account
        return venue.asked("openAlgoOrders") > 0 and all(account.stops(name) > 0 for name in list(account.positions))

    def _judge(self, folder: str, venue: LoopbackExchange, said: list[Said]) -> None:
        tally = self.tally
        journal = journal_in(Path(folder))
        truth = Truth(venue.account, {each.id: each for each in journal.proposal_store.proposals()})
        faults = journal.audit.faults()
        journal.close()
        self.most.see(venue.account)
        wrong = truth.untold(said)
        wrong += [f"the chain: {fault}" for fault in faults if "is gone from the journal" not in fault]  # these were filed without a run
        twice, bare, broken = truth.twice(), truth.bare(), truth.breached(self.limit, self.risk, self.most)
        wrong += truth.astray() if self.moves_stops else []
        tally.filled += len(truth.filled)
        tally.double += len(twice)
        tally.bare += len(bare)
        tally.broken += len(broken)
        tally.wrong += len(wrong)
        tally.told.update(f"{each.act.what}: {each.state if each.state != 'error' else _kind(each.words)}" for each in said)
        tally.bound[self.limit] += len(truth.entries) >= self.allowed
        if twice or bare or wrong or broken:
            tally.bad.append(f"seed {self.seed}: twice {twice}, bare {bare}, broken {broken}, wrong {wrong[:2]}")


def _first_held(venue: LoopbackExchange) -> str:
    """Return the market of the first position, which is waited for; some market where none comes."""
    until = time.monotonic() + 8.0
    while time.monotonic() < until and not venue.account.positions:
        time.sleep(0.02)
    name = next(iter(list(venue.account.positions)), f"{BASES[0]}USDT")
    return f"{name.removesuffix('USDT')}/USDT:USDT"


def _kind(words: str) -> str:
    """An error without its names and numbers."""
    return re.sub(r"\S*\d\S*", "#", words)[:70]


def _settings(folder: str, venue: LoopbackExchange) -> dict[str, Any]:
    return {
        "home": folder, "broker": "exchange", "live": "yes", "feed": "live", "exchange_url": venue.url, "api_key": API_KEY,
        "api_secret": SECRET, "pace": 0, "model": "scripted",
    }  # fmt: skip


def _heard(wire: Connection, until: float) -> Said | None:
    """What a process told; None when it died before."""
    try:
        while wire.poll(max(0.0, until - time.monotonic())):
            heard = wire.recv()
            if isinstance(heard, Said):
                return heard
    except (EOFError, OSError):
        pass
    return None
