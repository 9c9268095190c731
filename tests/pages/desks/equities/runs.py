"""Runs of the equities desk for tests of its page: scripted ones as they are, and ones in which roles say what a test wants."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.api import Engine
from engine.domain.events import Event
from engine.llm.protocol import Script
from pages.desks.equities.equity_view import EQUITIES, EquityView
from pages.desks.equities.page import titles_in
from pages.frame.show import Show
from tests.flows.equities.played import Words, engine_at, play

HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script> & "quoted" [x](javascript:alert(3)) \u202eback'


def shown(language: str = "en") -> Show:
    """How a page of a language wants its panels."""
    return Show(language=language, titles=titles_in(language))  # type: ignore[arg-type]


def view_of(events: Sequence[Event], final: dict[str, Any] | None = None) -> EquityView:
    """The view after these events. final: the run's final state."""
    view = EQUITIES.reduce(events)
    return view.at_end(final) if final is not None else view


@pytest.fixture(scope="session")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], list[Event]]]:
    """Whole runs of the script: a company with a split, false values and two rounds in English; its Chinese twin, which reuses the
    reports; and an index."""
    from datetime import date

    home: Path = tmp_path_factory.mktemp("equities") / "home"
    with closing(engine_at(home)) as engine:
        asked = {"day": date(2024, 6, 12), "depth": 2, "lies": 0.5}
        return {
            "en": play(engine, "NVDA", **asked),
            "zh": play(engine, "NVDA", **asked, language="zh"),
            "buy": play(engine, "AAPL", depth=1, seed=0),
            "index": play(engine, "^GSPC"),
        }


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with closing(engine_at(tmp_path / "home")) as made:
        yield made


def say(monkeypatch: pytest.MonkeyPatch, **says: Any) -> Words:
    """Let roles say what is given, everybody else something sound."""
    return Words(monkeypatch, **says)


def silent(_: Any) -> Script:
    """A role that has no words."""
    return Script("")
