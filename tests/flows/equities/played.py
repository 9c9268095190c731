"""Runs of the equities desk on simulated companies, with whatever words a test gives its roles."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.desks.equities.flow import EquitiesFlow
from engine.domain.equity.trading_session import SessionMoment
from engine.llm.protocol import ModelCall, Script, ToolCall
from engine.settings import Settings
from tests.flows.answers import state_of

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.events import Event

DAY = date(2024, 3, 5)
VIEW = "The figures speak for the share.\n\n[View]\ndirection: BULLISH\nconfidence: 70\n"
PLAN = "Bull has the better case.\n\n[Investment plan]\naction: BUY\nconfidence: 70\n"
BUY = "quantity: 5\nlimit_price: MARKET\nstop_price: 117\ntarget_price: NONE\nconfidence: 70\n"
DECISION = f"Buy a little.\n\n[Final decision]\naction: BUY\n{BUY}"
TRADE = f"As decided.\n\n[Trade]\naction: BUY\n{BUY}"
SPEAKERS = ("bull_researcher", "bear_researcher", "risky", "safe", "neutral")
Says = str | Callable[[ModelCall], Script]


def sound(role: str) -> str:
    """A sound answer of a role."""
    return {"research_manager": PLAN, "risk_judge": DECISION, "trader": TRADE, **dict.fromkeys(SPEAKERS, "A fair point.")}.get(role, VIEW)


class Words:
    """What roles say in a test, and every call that was made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **says: Says) -> None:
        self.calls: list[ModelCall] = []
        self.says = says
        roles = EquitiesFlow.voices(EquitiesFlow(), _Plain())  # type: ignore[arg-type]
        monkeypatch.setattr(EquitiesFlow, "voices", lambda flow, request: dict.fromkeys(roles, self._say))

    def _say(self, call: ModelCall) -> Script:
        self.calls.append(call)
        words = self.says.get(call.role, _stopped_near(sound(call.role), call))
        return Script(words) if isinstance(words, str) else words(call)

    def asked(self) -> list[str]:
        """The nodes that were asked, in order."""
        return [call.where for call in self.calls]


def _stopped_near(words: str, call: ModelCall) -> str:
    """An order with its stop 4 % below the price of the prompt."""
    price = re.search(r"^close = ([\d.]+)", call.user, re.MULTILINE)
    return words.replace("stop_price: 117", f"stop_price: {float(price[1]) * 0.96:.2f}") if price is not None else words


class _Plain:
    lies, seed = 0.0, 0


def asks(*batches: list[tuple[str, Mapping[str, Any] | str]], then: str = VIEW, for_ever: bool = False) -> Callable[[ModelCall], Script]:
    """A voice that calls tools, a batch a turn, then says `then`. The ids of its calls are the same in every branch."""

    def say(call: ModelCall) -> Script:
        turn = sum(message["role"] == "assistant" for message in call.messages)
        if not call.may_call or (turn >= len(batches) and not for_ever):
            return Script(then)
        batch = batches[turn % len(batches)]
        turns = [(name, arguments if isinstance(arguments, str) else json.dumps(arguments)) for name, arguments in batch]
        return Script("", tool_calls=tuple(ToolCall(f"call-{turn}-{n}", name, arguments) for n, (name, arguments) in enumerate(turns)))

    return say


def engine_at(home: Path, **settings: Any) -> "Engine":
    from engine.api import Engine

    return Engine(Settings(_env_file=None, home=home, pace=0, **settings))  # type: ignore[call-arg]


def play(
    engine: "Engine", symbol: str = "AAPL", day: date = DAY, session: SessionMoment = "post_close", **asked: Any
) -> tuple[dict[str, Any], "list[Event]"]:
    """Play one run to its end: (final state, events)."""
    run_id = engine.start(engine.equities.request(symbol, trade_date=day, session=session, **asked))
    state = state_of(engine, run_id)
    return state, engine.events(run_id)


def told(events: "list[Event]", kind: str) -> list[Mapping[str, Any]]:
    """The data of every event of a kind."""
    return [{**event.data.to_json(), "node": event.node} for event in events if event.kind == kind]
