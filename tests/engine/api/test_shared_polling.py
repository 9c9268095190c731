"""One look for all: paced, shared, backing off, and honest about its age."""

import itertools
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

from engine.domain.errors import MarketError
from engine.runs.shared_polling import LONGEST_PAUSE_S, SharedPolling

Answer = Future[int]


class Market:
    """Answers when it is told to. asked: how often it was."""

    def __init__(self) -> None:
        self.now, self.asked, self.open = 100.0, 0, [Answer()]
        self.polling: SharedPolling[int] = SharedPolling(self._submit, lambda: self.now)

    def _submit(self, question: Coroutine[Any, Any, int]) -> Answer:
        question.close()
        self.asked += 1
        return self.open[-1]

    async def _question(self) -> int:
        return 0

    def latest(self, pace_s: float = 1.0) -> Any:
        return self.polling.poll("BTC", self._question, pace_s=pace_s)

    def answers(self, price: int) -> None:
        """From now on, at once; what is under way too."""
        if not self.open[-1].done():
            self.open[-1].set_result(price)
        self.open.append(Answer())
        self.open[-1].set_result(price)

    def fails(self, problem: Exception) -> None:
        self.open.append(Answer())
        self.open[-1].set_exception(problem)


def test_however_many_look_the_market_is_asked_once_a_second() -> None:
    market = Market()
    market.answers(7)
    for _ in range(50):
        market.now += 0.1
        assert market.latest().seen == 7
    assert market.asked == 5


def test_failures_are_said_with_the_last_price_and_asked_again_less_and_less_often() -> None:
    market = Market()
    market.answers(7)
    market.latest()
    market.fails(MarketError("no feed"))
    asked_at = []
    for _ in range(2000):
        market.now += 0.1
        before, seen = market.asked, market.latest()
        asked_at += [market.now] if market.asked > before else []
        assert seen.seen == 7
        if asked_at:
            assert seen.trouble == "no feed"
    gaps = [round(later - earlier) for earlier, later in itertools.pairwise(asked_at)]
    assert gaps[:5] == [1, 2, 4, 8, 16]
    assert max(gaps) == LONGEST_PAUSE_S
    market.answers(8)
    market.now += LONGEST_PAUSE_S
    assert (market.latest().seen, market.latest().trouble) == (8, "")
    market.now += 1.0
    before = market.asked
    market.latest()
    assert market.asked == before + 1, "it goes on as before"
