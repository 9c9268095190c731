"""A desk on a recorded market with the loopback model: decisions that are proposed, and what came of their orders."""

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import NullPool, create_engine, text

from tests.flows.answers import cast, state_of
from tests.servers.llm import LLMServer

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.proposal import Proposal

SYMBOL = "BTC/USDT:USDT"
END = datetime.fromisoformat("2026-05-17T08:45:00+00:00")
"""The end of the candles that `write_candles` writes."""


class Desk:
    """make: makes engines. server: the model. home: where the engines keep everything."""

    def __init__(self, make: "Callable[..., Engine]", server: LLMServer, candles: Path, home: Path) -> None:
        self.server, self.candles, self.home, self._make = server, candles, home, make
        self.engine = self.another()
        self.trading = self.engine.trading

    def another(self, **settings: object) -> "Engine":
        """A second engine on the same journal: another process, as far as answers go."""
        endpoint = {"openai_base_url": self.server.base_url, "openai_api_key": "sk-test", "model": "loopback"}
        return self._make(home=self.home, **endpoint, **settings)

    def decide(self, answer: Any = None, engine: "Engine | None" = None, **asked: Any) -> dict[str, Any]:
        """The final state of a decision that is proposed. answer: the executor's."""
        at = engine or self.engine
        self.server.answer = cast(**({"executor": answer} if answer is not None else {}))
        run_id = at.start(at.decisions.request(SYMBOL, **{"data_dir": str(self.candles), "propose": True, **asked}))
        return state_of(at, run_id)

    def propose(self, answer: Any = None, **asked: Any) -> "Proposal":
        """A decision and what it was filed as."""
        state = self.decide(answer, **asked)
        assert state["proposal_id"] is not None, (state["final_action"], state["errors"], state["warnings"])
        return self.trading.proposal(state["proposal_id"])

    def equity(self) -> float:
        """Of the one account that was used, quote units, as its curve ends."""
        (curve,) = self.trading.curves().values()
        return curve[-1][1]

    def fills(self) -> list[str | None]:
        """Client ids of every fill in every paper account, as the ledger holds them."""
        return fills_in(self.home)


def fills_in(home: Path) -> list[str | None]:
    """Client ids of the fills in a journal's ledger; None for what the market did by itself."""
    address = os.environ.get("TRIBUNAL_DATABASE_URL", f"sqlite:///{home / 'tribunal.db'}")
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool)
    with engine.connect() as connection:
        rows = [json.loads(body) for body in connection.scalars(text("SELECT body FROM paper_ledger ORDER BY seq"))]
    return [row.get("client_id") for row in rows if row["kind"] == "fill"]
