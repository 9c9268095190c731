"""Orders under kills, faults and delays: what becomes of accounts whose processes die, whose venue fails, and whose people hurry; and of
accounts that somebody else trades on by hand, whose entries are filled late, whose clocks are set, whose processes are suspended.

Each scenario is an account at the loopback venue with one to four proposals that wait, and one limit that lets one or two of them through.
Real processes approve, close, decide and halt at once; at random requests one of them is killed, the venue fails or takes its time. Then a
server comes up, with no page open, and has 60 s. Every scenario is of one class (`CLASSES`), which adds something to that:

    plain        nothing more
    stranger     somebody else buys and sells on the account by hand, in our markets too, before, during and after ours; stops of ours are
                 reached while nothing of ours runs
    late         entries stay open at the venue, their processes are killed, and they are filled later: behind their report, behind a close
    clock        the machine's clock is set forward and back, by minutes and by hours
    suspended    processes are stopped (SIGSTOP) and go on when the server has been up for some seconds
    all          all of that at once

Counted: orders that were sent twice, positions of ours without a stop after 60 s, limits that were broken at any moment, what our orders
have taken of the stranger's, and words to a person that were not so (`order_truth.py`). In the end the price goes through every stop, or
every target, that is left, so that an order of ours that waits over a position of the stranger's shows.
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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, fields
from decimal import Decimal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.benchmarks.measured import Measured
from tests.benchmarks.order_actors import Act, Said, run
from tests.benchmarks.order_truth import LIMITS, LOSSES, Most, Truth, bare, limits_of, shares_of
from tests.engine.approvals.live_account import file_entry, journal_in
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET
from tests.servers.exchange_book import OPEN

SCENARIOS, FIRST = int(os.environ.get("SCENARIOS", "1000")), int(os.environ.get("FIRST", "0"))
"""How many, and the seed of the first one."""
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
CLASSES = ("plain", "stranger", "late", "clock", "suspended", "all")
CONTEXT = multiprocessing.get_context("forkserver")


@dataclass
class Tally:
    """What became of the scenarios. bad: the seed and what was wrong, a line each. of_class: scenarios, and those in which something was
    wrong, by class. met: entries that a stranger's opposite order came before on their very way; no order can look that late."""

    kills: int = 0
    stops: int = 0
    hands: int = 0
    steps: int = 0
    faults: int = 0
    filled: int = 0
    double: int = 0
    bare: int = 0
    broken: int = 0
    touched: int = 0
    wrong: int = 0
    met: int = 0
    bad: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    bound: Counter[str] = field(default_factory=Counter)
    of_class: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Take in another's counts."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            setattr(self, each.name, mine + theirs)


def measure() -> Iterator[Measured]:
    """Run the scenarios, a few at once."""
    CONTEXT.set_forkserver_preload(["tests.benchmarks.order_actors"])
    whole, lock = Tally(), threading.Lock()

    def one(seed: int) -> None:
        found = Scenario(seed).play()
        with lock:
            whole.add(found)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, range(FIRST, FIRST + SCENARIOS)))
    if len(CLASSES) <= SCENARIOS and not whole.filled:
        raise RuntimeError("no order was filled: nothing was measured")
    done = f"{whole.kills} kills, {whole.faults} faults, {whole.stops} suspended, {whole.hands} orders by hand, {whole.steps} clock steps"
    note = f"{SCENARIOS} scenarios, {done}, {whole.filled} orders filled; {'; '.join(whole.bad[:5])}"
    yield Measured("orders under kills, faults, delays: sent twice", "", [whole.double], 0, "maximum", note=note)
    of_class = ", ".join(f"{name} {whole.of_class[f'{name} wrong']} of {whole.of_class[name]}" for name in CLASSES)
    yield Measured("positions of ours without a stop after 60 s with the server up", "", [whole.bare], 0, "maximum", note=of_class)
    yield Measured("limits broken", "", [whole.broken], 0, "maximum", note=f"reached in {dict(whole.bound)}")
    met = f"{whole.met} entries met an order by hand on their way"
    yield Measured("what is the stranger's touched", "", [whole.touched], 0, "maximum", note=met)
    yield Measured("wrong words to a person", "", [whole.wrong], 0, "maximum", note=str(dict(whole.told.most_common(16))))


class Scenario:
    """One account and what happens to it. seed: what is done, when, and what goes wrong."""

    def __init__(self, seed: int) -> None:
        self.seed, self.chance, self.tally = seed, random.Random(seed), Tally()
        self.kind = CLASSES[seed % len(CLASSES)]
        self.acting: list[BaseProcess] = []
        self.asleep: list[tuple[BaseProcess, Connection]] = []
        self.ahead_s = CONTEXT.Value("d", 0.0, lock=False)
        self.asked, self.most, self.last_by_hand, self.unseen = 0, Most(), 0.0, 0
        by_money = not (self._has("stranger") or self._has("late"))  # else entries filled in part, and a stranger's losses, are counted
        bounds = LIMITS[:2] if self._has("clock") else LIMITS if by_money else LIMITS[:3]  # the third binds by time
        self.limit, self.allowed = self.chance.choice(bounds), self.chance.choice((1, 1, 2))
        self.risk = limits_of(self.limit, self.allowed)
        self.moments: dict[int, Callable[[], None]] = {}
        self.wires: dict[int, Connection] = {}
        self.moves_stops = False
        self.lock = threading.Lock()

    def _has(self, kind: str) -> bool:
        return self.kind in {kind, "all"}

    def play(self) -> Tally:
        """Everything from the first signature to a minute of the server."""
        with tempfile.TemporaryDirectory(prefix="tribunal-orders-", ignore_cleanup_errors=True) as folder, LoopbackExchange() as venue:
            journal = journal_in(Path(folder))
            filed = [file_entry(journal, venue, base, risk=self.risk) for base in BASES[: self.chance.choice((1, 2, 3, 4))]]
            journal.close()
            if self._has("stranger") and self.chance.random() < 0.25:
                self._by_hand(venue)
            said = self._act(folder, venue, [proposal.id for proposal in filed])
            venue.fast()
            self._between(venue)
            venue.slow("", self._look_on(venue))
            self.unseen = len(venue.account.trades)
            said += self._serve(folder, venue)
            self._judge(folder, venue, said)
        return self.tally

    def _between(self, venue: LoopbackExchange) -> None:
        """What happens while nothing of ours runs, and what is to happen while the server is up."""
        chance, begins = self.chance, self.asked
        if self._has("stranger") and chance.random() < 0.6:
            self._stop_out(venue)
            for _ in range(chance.choice((0, 1, 1, 2))):
                self._by_hand(venue)
        if self._has("late") and chance.random() < 0.4:
            _fill_late(venue)
        if self._has("clock") and chance.random() < 0.6:
            self._set_clock()
        at = [begins + chance.randrange(1, 40) for _ in range(6)]
        if self._has("stranger"):
            self.moments[at[0]] = self.moments[at[1]] = lambda: self._by_hand(venue)
        if self._has("late"):
            self.moments[at[2]] = self.moments[at[3]] = lambda: _fill_late(venue)
        if self._has("clock"):
            self.moments[at[4]] = self._set_clock

    def _by_hand(self, venue: LoopbackExchange) -> None:
        """A stranger trades, where something is held rather than elsewhere."""
        chance = self.chance
        names = [*list(venue.account.positions), f"{chance.choice(BASES)}USDT"]
        side, amount = chance.choice(("BUY", "BUY", "SELL")), chance.choice(("0.01", "0.03", "0.05", "0.07", "0.5"))
        venue.by_hand(lambda account: account.trade(names[0], side, amount))
        self.tally.hands, self.last_by_hand = self.tally.hands + 1, time.monotonic()

    def _stop_out(self, venue: LoopbackExchange) -> None:
        """The price goes through the stop of a position, and comes back or does not."""
        stops = [each for each in venue.account.open_algos() if each["orderType"] == "STOP_MARKET"]
        if not stops:
            return
        name, level, before = stops[0]["symbol"], stops[0]["triggerPrice"], venue.account.prices[stops[0]["symbol"]]
        venue.by_hand(lambda account: account.move(name, level))
        if self.chance.random() < 0.5:
            venue.by_hand(lambda account: account.move(name, str(before)))

    def _set_clock(self) -> None:
        self.ahead_s.value = self.chance.choice((0.0, 240.0, -240.0, 7_200.0, -7_200.0))
        self.tally.steps += 1

    def _act(self, folder: str, venue: LoopbackExchange, proposals: list[str]) -> list[Said]:
        """People act at once, in processes of their own; gives what those were told that lived to read it."""
        chance = self.chance
        acts = [Act("approve", proposal) for proposal in proposals]
        acts += [Act("approve", chance.choice(proposals))] if chance.random() < 0.3 else []
        acts += [Act("decide", "XRP/USDT:USDT")] if chance.random() < 0.3 else []
        self._plan(venue)
        self._spoil(venue)
        wires = self._begin(acts, folder, venue)
        if self._has("late") and chance.random() < 0.8:
            self._kill_late(venue)
            if chance.random() < 0.5:
                wires.append(self._close_soon(folder, venue))
        until = time.monotonic() + ACTING_S
        said = [found for wire in wires if (found := self._heard(wire, until)) is not None]
        with self.lock:
            self.moments.clear()
        for process in self.acting:
            if not self._sleeps(process):
                _end(process)
        self.acting = [process for process, _ in self.asleep]
        return said

    def _spoil(self, venue: LoopbackExchange) -> None:
        """What goes wrong at the venue, and how slow it is."""
        chance = self.chance
        if chance.random() < 0.1:
            venue.fail(CONDITIONAL, chance.choice(("reject", "500", "-1003")), times=500)  # no stop can be placed any more
        for _ in range(chance.choice((0, 1, 2, 4))):
            part = chance.choice(PARTS)
            kinds = (*FAULTS, "lost-after") if part == CONDITIONAL else FAULTS
            venue.fail(part, chance.choice(kinds), times=chance.choice((1, 1, 3)))
            self.tally.faults += 1
        gentle = self.limit in LOSSES  # what is lost must be the fees of whole entries, else nobody can say how many are allowed
        if self._has("late"):
            venue.account.slow_fills(chance.choice(("0", "0.4")), end="NEW", times=chance.choice((1, 2)), reducing=False)
        elif chance.random() < 0.2 and not gentle:
            venue.account.slow_fills(chance.choice(("0", "0.4")), chance.choice((2, 4)), chance.choice(("FILLED", "EXPIRED")))
        if chance.random() < 0.2 and not gentle:
            self._move_later(venue)
        venue.slow("", self._look_on(venue))
        pace = chance.choice((0.0, 0.01, 0.05))
        venue.slow("", lambda: random.uniform(0, pace), answer=True)

    def _begin(self, acts: list[Act], folder: str, venue: LoopbackExchange) -> list[Connection]:
        """Start those who act, and some who follow what they do."""
        chance = self.chance
        wires = [self._start(act, folder, venue) for act in acts]
        if chance.random() < 0.4:
            wires.append(self._close_soon(folder, venue))
        self.moves_stops = chance.random() < LEVELS
        if self.moves_stops:
            wires += [self._levels_soon(folder, venue, chance.choice((0.97, 0.985, 0.99, 0.995))) for _ in range(chance.choice((1, 1, 2)))]
        if chance.random() < 0.2:
            wires.append(self._start(Act("halt"), folder, venue))
        return wires

    def _plan(self, venue: LoopbackExchange) -> None:
        """What happens at which request of those who act."""
        chance = self.chance
        for _ in range(chance.choice((0, 1, 1, 2))):
            self.moments[chance.randrange(5, 90)] = self._kill
        if self._has("stranger"):
            for _ in range(chance.choice((0, 1, 2))):
                self.moments[chance.randrange(5, 90)] = lambda: self._by_hand(venue)
        if self._has("clock"):
            for _ in range(chance.choice((1, 2))):
                self.moments[chance.randrange(1, 60)] = self._set_clock
        if self._has("suspended"):
            for _ in range(chance.choice((1, 1, 2))):
                self.moments[chance.randrange(5, 60)] = self._suspend

    def _kill(self) -> None:
        if alive := [each for each in self.acting if each.is_alive() and each.pid and not self._sleeps(each)]:
            os.kill(int(self.chance.choice(alive).pid or 0), signal.SIGKILL)
            self.tally.kills += 1

    def _suspend(self) -> None:
        if alive := [each for each in self.acting if each.is_alive() and each.pid and not self._sleeps(each)]:
            process = self.chance.choice(alive)
            self.asleep.append((process, self.wires[id(process)]))
            os.kill(int(process.pid or 0), signal.SIGSTOP)
            self.tally.stops += 1

    def _sleeps(self, process: BaseProcess) -> bool:
        return any(each is process for each, _ in self.asleep)

    def _kill_late(self, venue: LoopbackExchange) -> None:
        """The processes whose entries are open at the venue are killed there; sometimes the rest is filled at once."""
        until = time.monotonic() + 20.0
        while time.monotonic() < until and not any(each["status"] in OPEN for each in list(venue.account.orders)):
            time.sleep(0.05)
        time.sleep(self.chance.choice((0.0, 0.3, 1.0)))
        with self.lock:
            for process in self.acting:
                if process.is_alive() and process.pid and not self._sleeps(process):
                    process.kill()
                    self.tally.kills += 1

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
        """Count requests, do at the chosen ones what is planned for them, remember the most that was ever open."""

        def look() -> float:
            with self.lock:
                self.asked += 1
                self.most.see(venue.account)
                if (act := self.moments.pop(self.asked, None)) is not None:
                    act()
            return 0.0

        return look

    def _start(self, act: Act, folder: str, venue: LoopbackExchange) -> Connection:
        ours, theirs = CONTEXT.Pipe()
        process = CONTEXT.Process(target=run, args=(act, _settings(folder, venue), theirs, self.ahead_s), daemon=True)
        process.start()
        theirs.close()
        self.wires[id(process)] = ours
        self.acting.append(process)
        return ours

    def _heard(self, wire: Connection, until: float) -> Said | None:
        """What a process told; None when it died before, or is suspended."""
        try:
            while time.monotonic() < until and not any(each is wire for _, each in self.asleep):
                if wire.poll(0.1) and isinstance(heard := wire.recv(), Said):
                    return heard
        except (EOFError, OSError):
            pass
        return None

    def _serve(self, folder: str, venue: LoopbackExchange) -> list[Said]:
        """The server without a page, until all is in order or its time is over; who was suspended goes on beside it. Gives what those were
        told."""
        wire = self._start(Act("watch"), folder, venue)
        server, began, said = self.acting.pop(), time.monotonic(), list[Said]()
        at_least = began + (SETTLED_S if self.moves_stops or self.kind in {"stranger", "late", "all"} else 0.0)
        wakes_at = began + self.chance.choice((3.0, 10.0, 15.0))
        while time.monotonic() < began + SERVER_S and not (self._in_order(venue) and time.monotonic() > at_least and not self.asleep):
            time.sleep(0.2)
            at_least = max(at_least, self.last_by_hand + SETTLED_S)  # the server has a round after the last of them
            if self.asleep and time.monotonic() > wakes_at:
                said += self._wake(began + SERVER_S)
                at_least = max(at_least, time.monotonic() + 2.0)
        with suppress(OSError):
            wire.send("enough")
        _end(server)
        return said

    def _wake(self, until: float) -> list[Said]:
        """Let those go on who are suspended, and hear them to their end."""
        woken, self.asleep = self.asleep, []
        for process, _ in woken:
            if process.pid and process.is_alive():
                os.kill(process.pid, signal.SIGCONT)
        said = [found for _, wire in woken if (found := self._heard(wire, until)) is not None]
        for process, _ in woken:
            _end(process)
        return said

    def _in_order(self, venue: LoopbackExchange) -> bool:
        return venue.asked("openAlgoOrders") > 0 and not bare(venue.account)

    def _judge(self, folder: str, venue: LoopbackExchange, said: list[Said]) -> None:
        tally = self.tally
        journal = journal_in(Path(folder))
        proposals = {each.id: each for each in journal.proposal_store.proposals()}
        rows = ((name, journal.audit.last("proposal.filled", name)) for name in proposals)
        truth = Truth(venue.account, proposals, {name: row.seq for name, row in rows if row is not None})
        faults = journal.audit.faults()
        journal.close()
        self.most.see(venue.account)
        wrong = truth.untold(said)
        wrong += [f"the chain: {fault}" for fault in faults if "is gone from the journal" not in fault]  # these were filed without a run
        twice, naked, broken = truth.twice(), truth.bare(), truth.breached(self.limit, self.risk, self.most)
        wrong += truth.astray() if self.moves_stops else []
        _through_levels(venue, self.chance.choice((Decimal("0.8"), Decimal("1.2"))))
        touched = truth.touched(self.unseen)
        tally.filled += len(truth.filled)
        tally.double += len(twice)
        tally.bare += len(naked)
        tally.touched += len(touched)
        tally.met += sum(each.met for each in shares_of(venue.account).values())
        tally.broken += len(broken)
        tally.wrong += len(wrong)
        tally.told.update(f"{each.act.what}: {each.state if each.state != 'error' else _kind(each.words)}" for each in said)
        tally.bound[self.limit] += len(truth.entries) >= self.allowed
        tally.of_class[self.kind] += 1
        if twice or naked or wrong or broken or touched:
            tally.of_class[f"{self.kind} wrong"] += 1
            found = f"twice {twice}, bare {naked}, broken {broken}, touched {touched}, wrong {wrong[:2]}"
            tally.bad.append(f"seed {self.seed} ({self.kind}): {found}")


def _through_levels(venue: LoopbackExchange, share: Decimal) -> None:
    """The price of every market goes one way, through whatever waits there."""
    for name, price in list(venue.account.prices.items()):
        venue.by_hand(lambda account, name=name, level=price * share: account.move(name, f"{level:.1f}"))  # type: ignore[misc]


def _fill_late(venue: LoopbackExchange) -> None:
    """What is still open of entries is filled now."""
    for each in [each["clientOrderId"] for each in list(venue.account.orders) if each["status"] in OPEN]:
        venue.by_hand(lambda account, name=each: account.finish(name))  # type: ignore[misc]


def _end(process: BaseProcess) -> None:
    process.join(20)
    if process.is_alive():
        process.kill()
        process.join()


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
    os.environ |= {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET}
    return {
        "home": folder, "broker": "exchange", "live": "yes", "feed": "live", "exchange_url": venue.url, "pace": 0, "model": "scripted",
    }  # fmt: skip
