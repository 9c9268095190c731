"""Answers for the loopback model: who is asked, and a sound answer of every role."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.paths import POSITION
from engine.desks.decision.stakes import _TEXTS as STAKES
from engine.domain.decision import DEBATE_SIDES
from tests.servers.claim_reader import reads
from tests.servers.llm import Body, Plan, system_of, user_of

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
PRICE = 100.0


def asked_role(body: Body) -> str:
    """Who is asked: the one line that names the role, in the system message or in the user's."""
    (named,) = re.findall(r"^Role: (.+)$", "\n".join((system_of(body), user_of(body))), re.MULTILINE)
    return str(named)


def role_of(body: Body) -> str:
    """The same of a decision, with its path: `position_bull` for who speaks about an open position."""
    role, asked = asked_role(body).removeprefix("claim "), user_of(body)
    about_position = role in DEBATE_SIDES and any(held in asked for side in STAKES["held"].values() for held in side.values())
    return POSITION.node(role) if about_position else role


def vote(direction: str, confidence: float) -> str:
    return f"[Vote]\ndirection: {direction}\nconfidence: {confidence:g}\nsupport: 90\nresistance: 110\n"


EXECUTOR = """[Decision]
action: {action}
confidence: {confidence:g}
leverage: {leverage}
direction: {direction}

[Risk management]
stop_loss_price: {stop}
take_profit_price: {target}
risk_reward_ratio: 9.9

[Adjustment]
adjustment_pct: {adjustment}
adjustment_type: N/A

[Reasoning]
The record points one way and the stop is close.

[Key factors]
- structure
- room to the target

[Risk assessment]
A spike could take the stop.
"""


def executor(action: str = "ENTRY_LONG", **changes: object) -> str:
    fields: dict[str, object] = {"confidence": 70.0, "leverage": 3, "direction": "LONG", "stop": 98, "target": 106, "adjustment": "N/A"}
    return EXECUTOR.format(**{**fields, "action": action, **changes})


def near(action: str = "ENTRY_LONG", stop: float = 0.015, target: float = 0.04, **changes: object) -> Callable[[Body], str]:
    """An executor's entry with its levels around the price that the prompt states. stop, target: how far off, in shares of the price."""
    sign = 1 if action == "ENTRY_LONG" else -1

    def answer(body: Body) -> str:
        price = float(re.findall(r"price = ([0-9.]+)", user_of(body))[0])
        levels = {"stop": round(price * (1 - sign * stop), 1), "target": round(price * (1 + sign * target), 1)}
        return executor(action, direction="LONG" if sign > 0 else "SHORT", **levels, **changes)

    return answer


SOUND: Mapping[str, str] = {
    **{analyst.key: f"The {analyst.key} view is constructive.\n\n{vote('LONG', 70)}" for analyst in ANALYSTS},
    "bull": "Buyers are in charge.\n\n[Vote]\nconfidence: 72\n",
    "bear": "Sellers may return.\n\n[Vote]\nconfidence: 55\n",
    "judge": "Bull has the better case.\n\n[Vote]\nverdict: BULL\ndirection: LONG\nconfidence: 71\n",
    "position_bull": "The position works.\n\n[Vote]\nconfidence: 66\n",
    "position_bear": "Some of it could be banked.\n\n[Vote]\nconfidence: 50\n",
    "position_judge": "Keep it.\n\n[Vote]\nverdict: HOLD\nconfidence: 64\n",
    "executor": executor(),
}
TRUTHFUL: Mapping[str, str] = {
    "bear": "The price is 100; sellers may return.\n\n[Vote]\nconfidence: 55\n",
    "judge": "The price is 100. Bull has the better case.\n\n[Vote]\nverdict: BULL\ndirection: LONG\nconfidence: 71\n",
}
"""A bear and a judge that each state one number that is right: one lie beside them leaves the gate open."""


def cast(**lines: Plan | Callable[[Body], Plan]) -> Callable[[Body], Plan]:
    """An `answer` for the server: sound lines, but for the roles named here."""

    def answer(body: Body) -> Plan:
        role = role_of(body)
        line = lines[role] if role in lines else reads("yes") if role == "reader" else SOUND[role]
        return line(body) if callable(line) else line

    return answer


def write_candles(folder: Path, bars: int = 1200, minutes: int = 15, end_ms: int = 1_779_007_500_000 + 900_000) -> Path:
    """A recorded perpetual whose last close is PRICE: a slow wave with noise, from a fixed seed."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    steps = rng.normal(0, 0.0012, bars).cumsum() + 0.01 * np.sin(np.arange(bars) / 40)
    close = PRICE * np.exp(steps - steps[-1])
    opened = np.concatenate([[close[0]], close[:-1]])
    high, low = np.maximum(opened, close) * (1 + rng.uniform(0, 0.001, bars)), np.minimum(opened, close) * (1 - rng.uniform(0, 0.001, bars))
    volume = rng.lognormal(5, 0.4, bars)
    first = end_ms - bars * minutes * 60_000
    rows = ["timestamp,open,high,low,close,volume"]
    for i in range(bars):
        numbers = ",".join(f"{series[i]:.6f}" for series in (opened, high, low, close, volume))
        rows.append(f"{first + i * minutes * 60_000},{numbers}")
    (folder / f"binance_perp_BTCUSDT_{minutes}m.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def state_of(engine: "Engine", run_id: str) -> dict[str, Any]:
    """The final state of a run."""
    state = engine.wait(run_id, 60).result
    assert state is not None
    return state
