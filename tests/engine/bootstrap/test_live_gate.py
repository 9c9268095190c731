"""The words that let real orders leave: others at each start, in the terminal only, and nobody may go on guessing."""

import logging

import pytest

from engine.bootstrap.live_gate import LiveGate
from engine.domain.errors import NotAllowed
from engine.settings import Settings


class Clock:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def gate(live: str = "yes", *, asks: bool = True, clock: Clock | None = None) -> LiveGate:
    return LiveGate(Settings(_env_file=None, live=live), asks=asks, clock=clock or Clock())  # type: ignore[call-arg,arg-type]


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr()
    assert said.out == ""
    return next(line.strip() for line in said.err.splitlines() if line.startswith("    "))


def test_the_words_are_others_at_each_start_and_are_not_kept(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seen = set()
    for _ in range(20):
        made = gate()
        words = shown(capsys)
        seen.add(words)
        assert words not in repr(vars(made))
        made.confirm(words)
        assert made.is_open
    assert len(seen) == 20
    assert caplog.text == ""


@pytest.mark.parametrize(("live", "asks"), [("no", True), ("no", False), ("yes", False)])
def test_where_nothing_is_asked_nothing_is_shown(capsys: pytest.CaptureFixture[str], live: str, asks: bool) -> None:
    made = gate(live, asks=asks)
    assert capsys.readouterr().err == ""
    made.check("")
    assert made.is_open == (live == "yes")


def test_wrong_words_cost_a_growing_pause_and_in_the_end_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    made = gate(clock=clock)
    words = shown(capsys)
    for _ in range(3):
        with pytest.raises(NotAllowed, match="not the words"):
            made.confirm("I trade real money")
    for pause in (15, 30, 60, 120, 240, 480, 960):
        with pytest.raises(NotAllowed, match=f"in {pause} s"):
            made.confirm(words)  # right, but too early: otherwise the pause would tell
        clock.now += pause
        with pytest.raises(NotAllowed, match="not the words"):
            made.check("")
    clock.now += 1e6
    with pytest.raises(NotAllowed, match="restart the program"):
        made.confirm(words)
    assert not made.is_open


def test_without_a_terminal_nothing_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert not gate().is_open
