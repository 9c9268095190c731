"""Processes that act on an exchange's account and may die at any moment: forked from one that has the engine imported already."""

import importlib
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from typing import Any

import ccxt.async_support  # noqa: F401 - imported once, before the fork

from engine.api import Engine, WantedLevels
from engine.api.trading import Trading
from engine.domain.clock import use_clock
from engine.domain.errors import TribunalError
from engine.settings import Settings

for _late in (
    "engine.runs.runner",
    "engine.market.exchange",
    "engine.brokers.ccxt.journal_records",
    "engine.facts.sheet",
    "engine.llm.scripted",
):
    importlib.import_module(_late)


@dataclass(frozen=True)
class Act:
    """What a process does. what: `approve`, `close`, `protect`, `halt`, `decide` or `watch` (the server without a page). target: of which
    proposal or market. stop: where `protect` puts it, as a share of the entry price."""

    what: str
    target: str = ""
    stop: float = 0.0


@dataclass(frozen=True)
class Said:
    """What the person at that process was told. words: of the error, or the proposal's reason. named: by a halt, (proposal, what became of
    its order). at_ms: when, UTC milliseconds."""

    act: Act
    state: str
    words: str
    order_id: str = ""
    unprotected: bool = False
    named: tuple[tuple[str, str], ...] = ()
    at_ms: int = 0


def run(act: Act, settings: Mapping[str, Any], wire: Connection, ahead_s: Any) -> None:
    """Act as a process of its own, and tell what a person would have read. ahead_s: shared; by how much the machine's clock is ahead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for as long as the process lives
    with (
        use_clock(lambda: datetime.now(UTC) + timedelta(seconds=ahead_s.value)),
        closing(Engine(Settings(_env_file=None, **settings))) as engine,
    ):
        wire.send("up")
        try:
            wire.send(_done(engine, act, wire))
        except TribunalError as problem:
            wire.send(Said(act, "error", str(problem)))


def _done(engine: Engine, act: Act, wire: Connection) -> Said:
    trading = engine.trading
    if act.what == "approve":
        proposal = trading.approve(act.target, "somebody")
        ids = proposal.order_ids
        return Said(act, proposal.state, proposal.why, ids[-1] if ids else "", trading.is_unprotected(proposal))
    if act.what == "close":
        report = trading.close_position(act.target, "somebody")
        return Said(act, report.state, report.why or "", report.client_id)
    if act.what == "protect":
        return _protected(trading, act)
    if act.what == "halt":
        named = tuple((each.proposal.id, each.what) for each in trading.halt("somebody", "enough"))
        return Said(act, "halted", "", named=named, at_ms=int(time.time() * 1000))
    if act.what == "decide":
        run_id = engine.start(engine.decisions.request(act.target, feed="live", broker="exchange", propose=True, model="scripted"))
        record = engine.wait(run_id, 120)
        return Said(act, record.status, record.error or str((record.result or {}).get("final_action")))
    engine.watch_accounts()
    wire.recv()  # until somebody says that it is enough
    return Said(act, "ended", "")


def _protected(trading: Trading, act: Act) -> Said:
    """Move the stop of the newest entry as soon as it is filled."""
    until = time.monotonic() + 10.0
    while not (entries := [each for each in trading.proposals() if each.basis.symbol == act.target and each.state == "filled"]):
        if time.monotonic() > until:
            return Said(act, "error", "nothing was filled")
        time.sleep(0.05)
    stop = float(entries[0].figures.price) * act.stop
    proposal = trading.approve(trading.propose_levels(WantedLevels(act.target, stop), "somebody").id, "somebody")
    return Said(act, proposal.state, proposal.why, proposal.order_ids[-1] if proposal.order_ids else "")
