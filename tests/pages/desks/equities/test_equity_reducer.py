"""The desk's own view of a run: the same events give the same view, whatever pieces they come in, and no log breaks it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from engine.domain.events import Event
from pages.desks.equities.arguments import read_arguments, shown_arguments
from pages.desks.equities.equity_reducer import reduce_equities
from pages.desks.equities.equity_view import EquityFacts
from pages.desks.equities.panels import PANELS
from pages.desks.equities.quantities import shares_named
from tests.flows.equities.played import asks, play
from tests.pages.desks.equities.runs import say, shown, view_of
from tests.pages.reader import Reader

Runs = dict[str, tuple[dict[str, Any], list[Event]]]


@pytest.mark.full
def test_events_in_pieces_give_the_same_view(scripted: Runs) -> None:
    for _, events in scripted.values():
        whole = reduce_equities(events)
        for cut in range(0, len(events), 17):
            assert reduce_equities(events[max(0, cut - 3) :], reduce_equities(events[:cut])) == whole


@pytest.mark.full
def test_every_moment_of_a_run_can_be_drawn(scripted: Runs) -> None:
    for name, (final, events) in scripted.items():
        for cut in range(0, len(events) + 1, 11):
            view = view_of(events[:cut])
            for language in ("en", "zh"):
                for panel in PANELS:
                    Reader(panel.build(view, shown(language)))
        assert view_of(events, final).final["run_id"] == final["run_id"], name


@pytest.mark.full
def test_turns_of_both_debates_are_kept_apart_and_in_order(scripted: Runs) -> None:
    view = view_of(scripted["en"][1])
    research = view.said_by("bull_researcher", "bear_researcher", "research_manager")
    assert [(speech.node, speech.turn) for speech in research] == [
        ("bull_researcher", 1),
        ("bear_researcher", 2),
        ("bull_researcher", 3),
        ("bear_researcher", 4),
        ("research_manager", 5),
    ]
    assert len({speech.words for speech in research}) == 5
    assert [speech.turn for speech in view.said_by("risky", "safe", "neutral", "risk_judge")] == [1, 2, 3, 4, 5, 6, 7]


def test_claims_stand_where_they_were_said(scripted: Runs) -> None:
    view = view_of(scripted["en"][1])
    found = [(speech, claim) for speech in view.speeches for claim in speech.claims]
    assert len(found) > 20
    assert {claim.verdict for _, claim in found} >= {"true", "false"}
    for speech, claim in found:
        assert speech.words[claim.start : claim.end] == claim.text


def test_a_log_whose_nodes_tell_no_claims_still_shows_the_false_ones(scripted: Runs) -> None:
    events = [Event.model_validate(each.to_json()) for each in scripted["en"][1]]
    for event in events:
        if event.kind == "node.finished":
            object.__setattr__(event, "data", type(event.data)(**{k: v for k, v in event.data.to_json().items() if k != "claims"}))
    now, full = reduce_equities(events), view_of(scripted["en"][1])
    false = [claim.text for claim in full.claims if claim.verdict == "false"]
    assert [claim.text for claim in now.claims] == false


def test_calls_of_a_tool_are_a_trail(scripted: Runs) -> None:
    view = view_of(scripted["en"][1])
    trail = view.trails["market"]
    assert [trace.tool for trace in trail] == ["get_price_history", "get_indicators", "get_share_events"]
    assert all(trace.executed and trace.answered and trace.error is None and trace.ms is not None for trace in trail)
    assert trail[0].arguments == {"days": 20}


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
    trail = view_of(events).trails["market"]
    assert [trace.executed for trace in trail] == [True, False, True, True, *[False] * 5]
    assert [trace.repeat for trace in trail] == [False, True, *[False] * 7]
    assert trail[2].error is not None
    assert [trace.refused for trace in trail] == [False] * 4 + [True] * 5
    assert final["analysts"]["market"]["tool_calls"] == 3


@pytest.mark.full
@given(
    some.lists(
        some.dictionaries(
            some.text(max_size=8), some.one_of(some.none(), some.text(max_size=5), some.integers(), some.lists(some.integers())), max_size=4
        ),
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_data_of_an_event_breaks_it(datas: list[dict[str, Any]]) -> None:
    kinds = (
        "run.started",
        "node.started",
        "tool.called",
        "tool.answered",
        "memory.read",
        "memory.written",
        "node.finished",
        "run.finished",
        "model.answered",
    )
    at = "2026-01-01T00:00:00Z"
    rows = [
        {"seq": n + 1, "run_id": "r", "at": at, "kind": kinds[(n * 5 + len(data)) % len(kinds)], "node": "market", "data": data}
        for n, data in enumerate(datas)
    ]
    view = reduce_equities([Event.model_validate(json.loads(json.dumps(row))) for row in rows])
    for panel in PANELS:
        Reader(panel.build(view, shown()))


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("150 shares cost 17,025", 150),
        ("Buy 1,200 shares, then 40 shares", 1200),
        ("最多买 300 股，股价", 300),
        ("the share price is 12", None),
        ("每股收益 3.2", None),
        ("5 股东", None),
    ],
)
def test_the_first_number_of_shares_is_read(text: str, shares: int | None) -> None:
    assert shares_named(text) == shares


def test_shares_are_whole_lots() -> None:
    facts = EquityFacts(listing={"lot": 100})
    assert facts.shares(25_000.0, 11.0) == 2200
    assert facts.shares(None, 11.0) is None
    assert facts.shares(100.0, 0.0) is None


def test_arguments_are_shown_on_one_line() -> None:
    assert shown_arguments(read_arguments('{"days": 20, "group": "all"}')) == "days 20, group all"
    assert shown_arguments(read_arguments("not {json")) == "not {json"
    assert len(shown_arguments({"query": "x" * 500})) <= 90
