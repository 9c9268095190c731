"""What an exchange or a model says reaches no terminal with characters that command it or turn words round."""

import json

import pytest

from tests.engine.cli.test_terminal import HOSTILE, is_plain
from tests.flows.answers import cast, executor
from tests.flows.shop import Shop
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import No
from tests.servers.llm import LLMServer

SAID = HOSTILE.replace("\ud800", "")


@pytest.mark.full
def test_words_of_an_exchange(shop: Shop, venue: LoopbackExchange, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: dict[str, str]) -> None:
        raise No(-2019, f"Margin is insufficient {SAID}.")

    proposal_id = shop.propose()
    monkeypatch.setattr(venue.account, "_post_order", refuse)
    told = [shop.run("approve", proposal_id), shop.run("proposals"), shop.run("proposals", "--json"), shop.run("approve", proposal_id)]
    assert any("Margin is insufficient" in each.stdout + each.stderr for each in told)
    for each in told:
        for stream in (each.stdout, each.stderr):
            assert is_plain(stream.replace("\n", "")), stream
            assert not [line for line in stream.splitlines() if line.startswith("proposal p-1: filled")]
    assert json.loads(told[2].stdout)[0]["state"] == "failed"


def test_words_of_a_model(shop: Shop) -> None:
    with LLMServer(cast(executor=executor(f"ENTRY{SAID}LONG"), bull=f"RSI is {SAID} high\n\n[Vote]\nconfidence: 60\n")) as model:
        for more in ((), ("--json",)):
            done = shop.run("decide", "BTC/USDT:USDT", "--feed", "simulated", *more, OPENAI_BASE_URL=model.base_url)
            assert done.returncode == 0, done.stderr
            assert is_plain((done.stdout + done.stderr).replace("\n", "")), more
        run_id = json.loads(done.stdout)["run_id"]
        for arguments in (("show", run_id), ("show", run_id, "--json"), ("runs",), ("export", run_id, "-")):
            listed = shop.run(*arguments)
            assert listed.returncode == 0, listed.stderr
            assert is_plain((listed.stdout + listed.stderr).replace("\n", "")), arguments
