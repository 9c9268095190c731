"""The loopback endpoint as tests of the model's contract ask it: one call, its policy, and a listener that keeps what it is told."""

from engine.llm.calls import CallPolicy
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import ModelCall, Planted
from tests.servers.llm import LLMServer

KEY = "sk-canary-7f3a91c2e8b4d605"
ANSWER = "The trend holds. 趋势向上。\n\n[Vote]\ndirection: LONG\nconfidence: 70"
CALL = ModelCall("indicator", "en", "You are an analyst.", "=== Measured facts ===\nprice = 64000\nrsi_14 = 61.2\n", context="c0ffee")
QUICK = CallPolicy(deadline_s=30.0, attempts=3, backoff_s=0.02)
"""Waits that hardly last; the deadline has no part in what comes out."""


class Watcher:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.pieces: list[tuple[int, str]] = []
        self.retries: list[tuple[int, str, float]] = []
        self.lies: list[Planted] = []

    def text(self, piece: str, attempt: int) -> None:
        self.pieces.append((attempt, piece))

    def planted(self, planted: Planted) -> None:
        self.lies.append(planted)

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        self.retries.append((attempt, reason, wait_s))

    def of(self, attempt: int) -> str:
        return "".join(piece for number, piece in self.pieces if number == attempt)


def model_at(server: LLMServer, **options: object) -> OpenAIModel:
    return OpenAIModel("loopback-1", api_key=KEY, base_url=server.base_url, **options)


def assert_presentable(*messages: str) -> None:
    for message in messages:
        assert len(message) <= 300
        assert message.isprintable()
        assert KEY not in message
        assert KEY[3:14] not in message
