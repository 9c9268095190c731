"""The panels of the equities desk over the events of real scripted runs, in both languages, with hostile words and with what went wrong."""

from dataclasses import replace
from typing import Any

import pytest
from markupsafe import Markup

from engine.api import Engine
from engine.domain.events import Event
from engine.domain.text.language import Language
from pages.desks.equities.equity_steps import step_strip
from pages.desks.equities.equity_view import EquityView
from pages.desks.equities.page import brief_lines
from pages.desks.equities.panels import PANELS
from pages.desks.equities.verdict import market_line, verdict_bar
from pages.frame.show import Show
from pages.run.view import RunView
from tests.flows.equities.played import TRADE, VIEW, asks, play
from tests.pages.desks.equities.runs import HOSTILE, say, shown, silent, view_of
from tests.pages.reader import Reader

Runs = dict[str, tuple[dict[str, Any], list[Event]]]
HAN = "\u4e00", "\u9fff"


def built(view: RunView, show: Show) -> dict[str, Markup]:
    """Every panel by name, and what stands above them."""
    facts = view.opening if isinstance(view, EquityView) else None
    above = {"verdict": verdict_bar(view, show), "steps": step_strip(view, show), "brief": brief_lines(view, show)}
    line = {"market": market_line(facts, show)} if isinstance(view, EquityView) and facts is not None else {}
    return {panel.name: panel.build(view, show) for panel in PANELS} | above | line


def texts(view: RunView, language: str = "en") -> dict[str, str]:
    """The words that a reader sees, by panel."""
    return {name: Reader(html).text for name, html in built(view, shown(language)).items()}


@pytest.mark.full
def test_both_debates_are_drawn_by_round_with_what_each_could_see(scripted: Runs) -> None:
    said = texts(view_of(*reversed(scripted["en"])))
    for panel, out in (("eq_step_research", "investment_plan · research_summary"), ("eq_step_risk", "final_trade_decision · risk_summary")):
        for words in ("could see", "sealed from", "went out", out, "stayed in the room", "round 1", "round 2"):
            assert words in said[panel], (panel, words)
    assert "could see account · plan" in said["eq_step_risk"]
    assert "account_cash" not in said["eq_step_research"]


def test_false_statements_are_struck_and_counted(scripted: Runs) -> None:
    final, events = scripted["en"]
    view = view_of(events, final)
    false = [claim for claim in view.claims if claim.verdict == "false"]
    read = Reader(built(view, shown())["grounding"])
    assert final["false_claims"] == len(false) > 0
    assert f"corrected {len(false)}" in read.text
    assert read.text.count("✕") >= len(false)
    research = Reader(built(view, shown())["eq_step_research"])
    assert len(research.truths) == 1 + sum(
        claim.verdict == "false"
        for speech in view.said_by("bull_researcher", "bear_researcher", "research_manager")
        for claim in speech.claims
    )


@pytest.mark.full
def test_what_each_could_see_is_what_it_was_sent(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run has no summaries; the second one of a week later has those that were made since; a lost report is none."""
    from datetime import date

    words = say(monkeypatch)
    first = texts(view_of(play(engine)[1]))["eq_step_research"]
    assert "reports: 4" in first
    assert "summaries: " not in first
    words.says = {"news": silent}
    words.calls.clear()
    said = texts(view_of(play(engine, day=date(2024, 3, 12))[1]))
    (sent, *_) = [call.user for call in words.calls if call.where == "bull_researcher"]
    assert sent.count('<said by="') == 3 + 4, "three reports of today, a memory of each"
    assert "reports: 3" in said["eq_step_research"]
    assert "summaries: 4" in said["eq_step_research"]
    given, _, sealed = said["eq_step_risk"].partition("sealed from")
    assert "reports, summaries" in sealed
    assert "account" in given


def test_the_order_its_bounds_and_the_word(scripted: Runs) -> None:
    final, events = scripted["buy"]
    assert final["order"] is not None, "the script buys this company"
    view, order = view_of(events, final), final["order"]
    said = texts(view)
    assert f"Buy {order['quantity']} AAPL" in said["verdict"]
    for price in ("stop_price", "target_price", "price"):
        assert f"{order[price]:,.2f}" in said["verdict"]
    allowed = int(final["largest_allowed_order"] / order["price"])
    assert f"{allowed} shares" in said["eq_account_title"]
    assert "Loss at stop" in said["eq_account_title"]
    assert f"{order['quantity']}" in said["eq_step_trader"]


@pytest.mark.full
def test_a_filled_order_does_not_wait_for_anybody(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch)
    final, events = play(engine, propose=True)
    filed = engine.trading.proposal_of(final["run_id"])
    view = replace(view_of(events, final), proposal=filed)
    assert "waits for you" in texts(view)["eq_step_trader"]
    signed = engine.trading.approve(final["proposal_id"], "somebody")
    said = texts(replace(view, proposal=signed))["eq_step_trader"]  # the final state of before the signature
    assert "waits for you" not in said
    assert "filled" in said


def test_the_value_of_the_largest_order_is_that_of_its_shares(scripted: Runs) -> None:
    final, events = scripted["buy"]
    view, price = view_of(events, final), final["order"]["price"]
    allowed = int(final["largest_allowed_order"] / price)
    assert view.opening is not None
    said = " ".join(texts(view)["eq_account_title"].split())
    assert f"{allowed} shares, {allowed * price:,.2f} USD" in said
    assert allowed * price != final["largest_allowed_order"]
    less = view.opening.largest_order.model_copy(update={"value": price - 1.0})
    for few in ({"largest_order": less}, {"listing": {**view.opening.listing, "min_order": allowed + 1}}):
        said = texts(replace(view, opening=view.opening.model_copy(update=few)))["eq_account_title"]
        assert "nothing can be bought" in said
        value = few.get("largest_order", view.opening.largest_order).value
        assert f"{value:,.2f} USD" in said


@pytest.mark.full
def test_a_ruling_above_what_code_allows_is_shown_cut(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    much = "quantity: 500\nlimit_price: MARKET\nstop_price: 117\ntarget_price: NONE\nconfidence: 70\n"
    say(
        monkeypatch,
        risky="500 shares are worth it.",
        safe="20 shares, no more.",
        neutral="I would take 80 shares.",
        risk_judge=f"Buy.\n\n[Final decision]\naction: BUY\n{much}",
        trader=f"As ruled.\n\n[Trade]\naction: BUY\n{much}",
    )
    final, events = play(engine)
    view, html = view_of(events, final), built(view_of(events, final), shown())
    said = Reader(html["eq_step_risk"]).text
    cut = 500 - final["order"]["quantity"]
    for words in ("500 shares", "20 shares", "80 shares"):
        assert words in said
    assert f"judge asked 500, code allows {final['order']['quantity']}" in texts(view)["verdict"]
    assert f"code cut {cut}" in texts(view)["eq_account_title"]


def test_hold_orders_nothing(scripted: Runs) -> None:
    final, events = scripted["en"]
    assert final["trader_action"] == "hold"
    said = texts(view_of(events, final))
    assert "Hold" in said["verdict"]
    assert "Nothing was ordered" in said["verdict"]
    assert "nothing to sign" in said["steps"]


@pytest.mark.full
def test_an_analyst_without_a_report_degrades_and_says_so(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    say(monkeypatch, sentiment=silent)
    final, events = play(engine)
    assert final["analysts"]["sentiment"]["status"] == "degraded"
    said = texts(view_of(events, final))
    assert "second try" in said["eq_analysts_title"]
    assert "Its report is missing" in said["eq_analysts_title"]
    assert "Sentiment gave no report" in said["part_messages"]


@pytest.mark.full
def test_a_run_that_ends_in_its_safe_outcome_says_why(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    say(monkeypatch, market=silent, news=silent, sentiment=silent)
    final, events = play(engine)
    assert not final["is_valid"]
    said = texts(view_of(events, final))
    assert "not valid" in said["verdict"]
    assert "Safe outcome: hold" in said["part_messages"]
    assert "not reached" in said["eq_step_trader"]


def test_an_index_has_an_advisor_and_no_order(scripted: Runs) -> None:
    final, events = scripted["index"]
    said = texts(view_of(events, final))
    assert "Outlook" in said["verdict"]
    assert "strategy_report" in said["eq_step_strategy"]
    for panel in ("eq_step_research", "eq_step_risk", "eq_step_trader", "limits"):
        assert said[panel] == ""
    assert "Strategy advisor" in said["eq_sight_title"]
    assert "Risk debate" not in said["steps"]


def test_the_bar_has_the_confidence_that_false_numbers_left(engine: Engine) -> None:
    final, events = play(engine, "^GSPC", lies=0.5)
    stated, left = round(final["executor_confidence"]), round(final["final_confidence"])
    assert left < stated
    assert f"confidence {left} " in texts(view_of(events, final))["verdict"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_one_language_stands_in_the_other(scripted: Runs, language: Language) -> None:
    view = replace(view_of(scripted["buy"][1]), turns=(), memory_read={}, memory_written={})
    for name, text in texts(view, language).items():
        if language == "en":
            assert not any(HAN[0] <= sign <= HAN[1] for sign in text), name
        elif name in ("eq_account_title", "limits", "eq_sight_title", "steps"):
            assert any(HAN[0] <= sign <= HAN[1] for sign in text), name


@pytest.mark.full
def test_hostile_words_stay_words(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    wicked = [("get_price_history", {"days": 20, "note": HOSTILE}), (HOSTILE[:60], HOSTILE)]
    say(
        monkeypatch,
        market=asks(wicked, then=f"{HOSTILE}\n\n{VIEW}"),
        bull_researcher=HOSTILE,
        risky=f"{HOSTILE} 12 shares",
        trader=f"{HOSTILE}\n\n{TRADE}",
    )
    final, events = play(engine)
    view = view_of(events, final)
    assert view.opening is not None
    wicked_fields = dict.fromkeys(("name", "symbol", "currency", "model"), HOSTILE)
    evil = view.opening.model_copy(update={**wicked_fields, "notes": (HOSTILE,), "missing": {HOSTILE: HOSTILE}})
    drawn = built(replace(view, opening=evil, filed=None), shown())
    for name, html in drawn.items():
        read = Reader(html)
        assert not read.tags & {"img", "script", "a"}, name
        assert not {attribute for attribute in read.attributes if attribute.startswith("on")}, name
        assert "\u202e" not in html, name
    assert "<img src=x" in Reader(drawn["eq_step_research"]).text
    assert "<img src=x" in Reader(drawn["eq_analysts_title"]).text
