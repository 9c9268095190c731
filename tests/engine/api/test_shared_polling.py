"""One look for all: paced, shared, backing off, and honest about its age."""

import itertools
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

import pytest

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


@pytest.mark.full
def test_a_look_that_does_not_end_is_waited_for_once_and_then_its_age_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.runs.shared_polling.FIRST_S", 0.01)
    monkeypatch.setattr("engine.runs.shared_polling.PATIENCE_S", 0.01)
    market = Market()
    assert market.latest().seen is None, "nobody waits for ever"
    market.now += 60
    assert market.latest().seen is None
    assert market.asked == 1, "a slow one is not asked again beside"
    market.open[-1].set_result(7)
    assert (market.latest().seen, market.latest().age_s) == (7, 60.0), "it is as old as the question"
    market.open.append(Answer())
    market.now += 130
    assert (market.latest().seen, market.latest().age_s, market.latest().trouble) == (7, 190.0, "")


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


def test_a_fault_of_the_program_is_no_bad_market() -> None:
    market = Market()
    market.fails(KeyError("price"))
    with pytest.raises(KeyError):
        market.latest()


def test_two_visitors_at_once_share_one_look() -> None:
    market, seen = Market(), []
    visitors = [threading.Thread(target=lambda: seen.append(market.latest().seen)) for _ in range(4)]
    for each in visitors:
        each.start()
    while not market.asked:
        pass
    market.open[-1].set_result(9)
    for each in visitors:
        each.join()
    assert seen == [9, 9, 9, 9]
    assert market.asked == 1
