"""What every flow is asked in the tests of flows, and where: `engine_on` makes an engine on a home, with the toy flow known to it."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from engine.desks import flows
from engine.domain.run import RunRequest
from engine.settings import Settings
from tests.toy.asking import AskingFlow, AskingRequest
from tests.toy.flow import ToyFlow, ToyRequest
from tests.toy.room import toy_room

if TYPE_CHECKING:
    from engine.api import Engine

DATABASE = "database"
"""In a home: the address of its database, where that is no file in it."""
AT = "2026-05-16T12:00:00+00:00"


def engine_on(home: Path, **settings: object) -> "Engine":
    """An engine without pauses, on the simulated market, that knows every flow and the toy flow, and searches in memory."""
    from engine.api import Engine

    if (home / DATABASE).exists():
        settings = {"database_url": (home / DATABASE).read_text(encoding="utf-8"), **settings}
    flows().setdefault("toy", ToyFlow())
    flows().setdefault("asking", AskingFlow())
    engine = Engine(Settings(_env_file=None, home=home, pace=0, **settings))  # type: ignore[call-arg, arg-type]
    engine._container.search.room = lambda library=None: toy_room()  # type: ignore[method-assign]
    return engine


def request_of(engine: "Engine", flow: str) -> RunRequest:
    """One request of every flow: a flow without one here fails its tests."""
    if flow == "decision":
        return engine.decisions.request("BTC/USDT:USDT", at=AT, seed=3, lies=0.1, depth=2)
    if flow == "asking":
        return AskingRequest(question="what do they say?", asks=ToyRequest(question="what lies below?"))
    if flow == "fusion":
        return engine.equities.request("AAPL", trade_date=date(2024, 3, 5), seed=3, lies=0.3)
    if flow == "research":
        return engine.research.request("What moves the funding rate of BTC, and what does Tesla report?", at=AT, seed=3, lies=0.3)
    if flow == "plan":  # the symbol of its first factor is false: it is tried again, then planned anew
        return engine.plans.request("Is BTC funding high and is the long crowded?", at=AT, seed=2, lies=0.5)
    assert flow == "toy", f"say here what the flow {flow} is asked in its tests"
    return ToyRequest(question="what lies below?")


FORKED_FROM = {"decision": "judge", "fusion": "risk_judge", "plan": "planner", "research": "summarize", "toy": "teller"}
"""Flow -> a node that a run of it is forked from."""
