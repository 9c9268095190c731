"""The shell on a live market with an exchange account of the loopback venue."""

import json
import os
import re
from pathlib import Path
from typing import Any

from tests.flows.answers import executor
from tests.processes import Completed, run_python
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET
from tests.servers.llm import Body, LLMServer

SYMBOL = "BTC/USDT:USDT"


def near(body: Body) -> str:
    """A long with its levels around the price that the prompt states."""
    price = float(re.findall(r"price = ([0-9.]+)", json.dumps(body))[0])
    return executor(stop=round(price * 0.98, 1), target=round(price * 1.06, 1))


SOONER = """
import sys
from engine.api import trading
from engine.cli.main import main
from engine.brokers.ccxt import sending

trading.MAINTENANCE_WAIT_S = 2.0
sending._PAUSE_S = 0.2
patience = sending.Deadlines(protecting_s=2.0, doubt_s=1.0)
sending.Deadlines.__init__.__defaults__ = tuple(vars(patience).values())
sys.exit(main(sys.argv[1:]))
"""
"""The shell, less patient with a venue that does not do what it should."""


class Shop:
    """The shell on a live market with an account."""

    def __init__(self, home: Path, venue: LoopbackExchange, model: LLMServer) -> None:
        keys = {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET, "TRIBUNAL_EXCHANGE_URL": venue.url}
        endpoint = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": model.base_url, "TRIBUNAL_MODEL": "m"}
        self.environment = {**os.environ, **keys, **endpoint, "TRIBUNAL_HOME": str(home)}

    def python(self, *arguments: str, file_size: int | None = None, **settings: str) -> Completed:
        return run_python(*arguments, environment=self.environment | settings, timeout=100, file_size=file_size)

    def run(self, *arguments: str, sooner: bool = False, file_size: int | None = None, **settings: str) -> Completed:
        """sooner: with less patience, where it is not the patience that is tested. file_size: bytes that no file may exceed."""
        return self.python(*(("-c", SOONER) if sooner else ("-m", "engine")), *arguments, file_size=file_size, **settings)

    def propose(self) -> str:
        """A proposal that waits."""
        decided = self.run("decide", SYMBOL, "--feed", "live", "--broker", "exchange", "--propose", "--json")
        assert decided.returncode == 0, decided.stderr
        return str(json.loads(decided.stdout)["proposal_id"])

    def proposals(self) -> list[dict[str, Any]]:
        listed = self.run("proposals", "--json")
        assert listed.returncode == 0, listed.stderr
        found: list[dict[str, Any]] = json.loads(listed.stdout)
        return found
