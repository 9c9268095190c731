"""The desk's own view of a run: the same events give the same view, whatever pieces they come in."""

from typing import Any

import pytest

from engine.domain.events import Event
from pages.desks.equities.debates import shares_named
from pages.desks.equities.equity_view import EQUITIES, EquityOpening
from pages.desks.equities.panels import PANELS
from tests.flows.equities.played import asks, play
from tests.pages.desks.equities.runs import say, shown, view_of
from tests.pages.reader import Reader

Runs = dict[str, tuple[dict[str, Any], list[Event]]]


@pytest.mark.full
def test_events_in_pieces_give_the_same_view(scripted: Runs) -> None:
    for _, events in scripted.values():
        whole = EQUITIES.reduce(events)
        for cut in range(0, len(events), 17):
            assert EQUITIES.reduce(events[max(0, cut - 3) :], EQUITIES.reduce(events[:cut])) == whole


@pytest.mark.full
def test_every_moment_of_a_run_can_be_drawn(scripted: Runs) -> None:
    for name, (final, events) in scripted.items():
        for cut in range(0, len(events) + 1, 11):
            view = view_of(events[:cut])
            for language in ("en", "zh"):
                for panel in PANELS:
                    Reader(panel.build(view, shown(language)))
        assert view_of(events, final).final["run_id"] == final["run_id"], name


def test_claims_stand_where_they_were_said(scripted: Runs) -> None:
    view = view_of(scripted["en"][1])
    found = [(speech, claim) for speech in view.speeches for claim in speech.claims]
    assert len(found) > 20
    assert {claim.verdict for _, claim in found} >= {"true", "false"}
    for speech, claim in found:
        assert speech.words[claim.start : claim.end] == claim.text


@pytest.mark.full
def test_repeats_refusals_and_errors_of_a_batch_are_told_apart(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    batch = [
        ("get_indicators", {}),
        ("get_indicators", {}),
        ("no_such_tool", {}),
        *(("get_price_history", {"days": n}) for n in range(21, 27)),
    ]
    say(monkeypatch, market=asks(batch))
    final, events = play(engine, tool_calls=3)
    trail = view_of(events).calls_of("market")
    assert [trace.executed for trace in trail] == [True, False, True, True, *[False] * 5]
    assert [trace.repeat for trace in trail] == [False, True, *[False] * 7]
    assert trail[2].error is not None
    assert [trace.refused for trace in trail] == [False] * 4 + [True] * 5
    assert final["analysts"]["market"]["tool_calls"] == 3


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("150 shares cost 17,025", 150),
        ("最多买 300 股，股价", 300),
        ("the share price is 12", None),
        ("5 股东", None),
    ],
)
def test_the_first_number_of_shares_is_read(text: str, shares: int | None) -> None:
    assert shares_named(text) == shares


def test_shares_are_whole_lots() -> None:
    facts = EquityOpening(listing={"lot": 100})
    assert facts.shares(25_000.0, 11.0) == 2200
    assert facts.shares(None, 11.0) is None
    assert facts.shares(100.0, 0.0) is None
