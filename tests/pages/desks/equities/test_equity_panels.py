"""The panels of the equities desk over the events of real scripted runs, in both languages, with hostile words and with what went wrong."""

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from markupsafe import Markup

from engine.api import Engine
from engine.domain.events import Event, RunStarted
from engine.domain.text.language import Language
from pages.desks.equities.equity_steps import step_strip
from pages.desks.equities.equity_view import EquityFacts, EquityView, role_of_node
from pages.desks.equities.page import brief_lines
from pages.desks.equities.panels import PANELS
from pages.desks.equities.quantities import quantity_axis, rows_of, shares_named
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
    facts = view.equity if isinstance(view, EquityView) else None
    above = {"verdict": verdict_bar(view, show), "steps": step_strip(view, show), "brief": brief_lines(view, show)}
    line = {"market": market_line(view, facts, show)} if isinstance(view, EquityView) and facts is not None else {}
    return {panel.name: panel.build(view, show) for panel in PANELS} | above | line


def texts(view: RunView, language: str = "en") -> dict[str, str]:
    """The words that a reader sees, by panel."""
    return {name: Reader(html).text for name, html in built(view, shown(language)).items()}


@pytest.mark.full
def test_every_panel_is_markup_and_says_its_name_to_a_screen_reader(scripted: Runs) -> None:
    for final, events in scripted.values():
        for name, html in built(view_of(events, final), shown()).items():
            assert isinstance(html, Markup), name
            if html and name not in ("verdict", "steps", "brief", "market", "part_messages"):
                assert "aria-label=" in html, name


def test_a_run_of_another_flow_is_drawn_by_none_of_them() -> None:
    own = [panel for panel in PANELS if panel.name != "timeline"]
    assert all(panel.build(RunView(), shown()) == "" for panel in own)


@pytest.mark.full
def test_earlier_buys_link_to_their_runs_and_say_who_was_told(scripted: Runs) -> None:
    _, events = scripted["buy"]
    rows = [{
        "run_id": "r-7", "symbol": "MSFT", "timeframe": "1d", "decided_at": "2024-01-02T21:00:00Z", "known_at": "2024-02-02T21:00:00Z",
        "action": "buy", "confidence": 64.0, "distance": 0.42, "exit_reason": "stop", "pnl_pct": -1.0, "r": -1.05, "lesson": HOSTILE,
    }, {"run_id": "of another version"}]  # fmt: skip

    def panel(use: str, language: str) -> str:
        first = events[0].data.to_json()
        begun = RunStarted(**{**first, "similar": rows, "request": {**first["request"], "similar": use}})
        log = [events[0].model_copy(update={"data": begun}), *events[1:]]
        return str(built(view_of(log), shown(language))["similar_title"])

    html = panel("shown", "en")
    assert 'href="./equities?run=r-7&amp;lang=en"' in html
    assert "<img" not in html
    for words in ("Markets like this one", "MSFT 1d", "▲ Buy 64", "−1.05", "0.42 away", "No role was told of them."):
        assert words in Reader(html).text
    assert "Both debates and their judges were told" in Reader(panel("prompts", "en")).text
    assert "已告知两场辩论" in Reader(panel("prompts", "zh")).text
    assert texts(view_of(events))["similar_title"] == ""


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


def test_which_analyst_began_first_changes_nothing(scripted: Runs) -> None:
    final, events = scripted["en"]
    view = view_of(events, final)
    named = [speech for speech in view.speeches if role_of_node(speech.node) in view.analysts]
    assert len(named) >= 4
    others = tuple(speech for speech in view.speeches if speech not in named)
    first, second = (built(replace(view, speeches=(*speeches, *others)), shown()) for speeches in (named, reversed(named)))
    assert first == second


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_each_could_see_is_what_it_was_sent(engine: Engine, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """The first run has no summaries; the second one of a week later has those that were made since; a lost report is none."""
    from datetime import date

    words = say(monkeypatch)
    reports, summaries = ("reports: {}", "summaries: {}") if language == "en" else ("报告 {} 份", "摘要 {} 份")
    first = texts(view_of(play(engine, language=language)[1]), language)["eq_step_research"]
    assert reports.format(4) in first
    assert summaries.partition("{")[0] not in first
    words.says = {"news": silent}
    words.calls.clear()
    said = texts(view_of(play(engine, day=date(2024, 3, 12), language=language)[1]), language)
    (sent, *_) = [call.user for call in words.calls if call.where == "bull_researcher"]
    assert sent.count('<said by="') == 3 + 4, "three reports of today, a memory of each"
    assert reports.format(3) in said["eq_step_research"]
    assert summaries.format(4) in said["eq_step_research"]
    sealed = said["eq_step_risk"].partition("sealed from" if language == "en" else "封闭")[2]
    assert ("reports, summaries" if language == "en" else "报告与摘要") in sealed
    assert ("account" if language == "en" else "账户") in said["eq_step_risk"].partition("sealed from" if language == "en" else "封闭")[0]


def test_a_log_that_does_not_say_what_was_sent_claims_nothing(scripted: Runs) -> None:
    final, events = scripted["en"]
    silent_log = [
        event.model_copy(update={"data": type(event.data)(**{k: v for k, v in event.data.to_json().items() if k != "sent"})})
        for event in events
    ]
    said = texts(view_of(silent_log, final))
    assert "not recorded" in said["eq_sight_title"]
    assert "reports: " not in said["eq_step_research"]


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
    assert f"largest allowed, in code: {allowed}" in said["eq_step_risk"]
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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_value_of_the_largest_order_is_that_of_its_shares(scripted: Runs, language: str) -> None:
    final, events = scripted["buy"]
    view, price = view_of(events, final), final["order"]["price"]
    allowed = int(final["largest_allowed_order"] / price)
    assert view.equity is not None
    unit = "shares" if language == "en" else "股"
    said = " ".join(texts(view, language)["eq_account_title"].split())
    assert f"{allowed} {unit}{', ' if language == 'en' else '，'}{allowed * price:,.2f} USD" in said
    assert allowed * price != final["largest_allowed_order"]
    for few in ({"largest": price - 1.0}, {"listing": {**view.equity.listing, "min_order": allowed + 1}}):
        said = texts(replace(view, equity=replace(view.equity, **few)), language)["eq_account_title"]
        assert ("nothing can be bought" if language == "en" else "不可买入") in said
        assert f"{few.get('largest', view.equity.largest):,.2f} USD" in said


@pytest.mark.full
def test_what_the_model_was_told_is_no_part_of_a_page(scripted: Runs) -> None:
    """No mark around others' words, whole or cut off; no percentage with digits that nobody measured, no power of ten."""
    told = [event.data.to_json()["preview"] for _, events in scripted.values() for event in events if event.kind == "tool.answered"]
    assert any("<said" in each for each in told)
    for final, events in scripted.values():
        for language in ("en", "zh"):
            view = view_of(events, final)
            for name, html in built(view, shown(language)).items():
                words = unescape(re.sub("<[^>]+>", "|", html))
                assert "said by=" not in words, name
                assert "<" not in words, name
                assert not re.search(r"(?<![\d.])(?!0\.0\d*)\d+\.\d{3,}[\s\u2009|]*%", words), (
                    name,
                    re.findall(r".{30}\.\d{3,}\s*%", words),
                )
                assert not re.search(r"(?<![\w.…-])[\d.]+[eE][+-]?\d{2}\b", words), name


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
    assert f"the ruling is cut by {cut}" in said
    assert 'class="cut"' in html["eq_step_risk"]
    for words in ("500 shares", "20 shares", "80 shares"):
        assert words in said
    assert f"judge asked 500, code allows {final['order']['quantity']}" in texts(view)["verdict"]
    assert f"code cut {cut}" in texts(view)["eq_account_title"]


@pytest.mark.parametrize("name", ["buy", "en", "zh"])
def test_the_script_names_shares_that_the_account_allows_and_the_axis_shows_each_speaker(scripted: Runs, name: str) -> None:
    final, events = scripted[name]
    view, language = view_of(events, final), "zh" if name == "zh" else "en"
    facts = view.equity
    assert facts is not None
    assert facts.price is not None
    asked = {who: [shares_named(speech.words) for speech in view.said_by(who)] for who in ("safe", "neutral", "risky")}
    if view.result_of("research_manager").get("action") == "HOLD":
        assert not any(shares for named in asked.values() for shares in named)
        return
    for named in asked.values():
        assert all(shares is not None and 0 < shares * facts.price <= final["largest_allowed_order"] for shares in named)
        assert all(shares is not None and shares % facts.lot == 0 for shares in named)
    last = [named[-1] or 0 for named in asked.values()]
    assert last == sorted(last), "who dares more asks for more"
    marks = Reader(quantity_axis(view, facts, shown(language)))
    assert all(shown(language).name(who) in marks.text or str(asked[who][-1]) in marks.text for who in asked)
    assert not [claim for claim in view.claims if claim.key == "shares_held" and claim.verdict == "false"], "a wish is no holding"


def test_marks_that_would_cover_one_another_stand_in_rows() -> None:
    assert rows_of([50.0, 52.0, 54.0, 80.0, 57.0]) == [0, 1, 2, 0, 0]


def test_hold_orders_nothing(scripted: Runs) -> None:
    final, events = scripted["en"]
    assert final["trader_action"] == "hold"
    said = texts(view_of(events, final))
    assert "Hold" in said["verdict"]
    assert "Nothing was ordered" in said["verdict"]
    assert "nothing to sign" in said["steps"]


def test_reused_reports_say_so_and_cost_nothing(scripted: Runs) -> None:
    final, events = scripted["zh"]
    assert {record["status"] for record in final["analysts"].values()} == {"reused"}
    said = texts(view_of(events, final), "zh")
    assert said["eq_analysts_title"].count("复用") >= 4
    assert "未重新生成" in said["eq_analysts_title"]
    report = next(iter(final["analysts"].values()))["report"]
    assert report.partition(". ")[0] in said["eq_analysts_title"], "the report of then stands there"
    assert "复用" in said["steps"]
    assert "4 份报告中 0 份为本次新生成" in said["eq_memory_title"]


@pytest.mark.full
def test_the_breaker_shows_its_number_and_what_was_not_sent(monkeypatch: pytest.MonkeyPatch, engine: Any) -> None:
    days = [[("get_price_history", {"days": 20 + turn})] for turn in range(9)]
    say(monkeypatch, market=asks(*days), news=asks([("search_news", {"days": n}) for n in range(5, 14)]))
    final, events = play(engine, tool_calls=5)
    assert final["analysts"]["market"]["breaker"]
    html = built(view_of(events, final), shown())["eq_analysts_title"]
    said = Reader(html).text
    assert said.count("breaker 5/5") == 2
    assert said.count("not sent: 5 of 5") == 4
    assert said.count("4 stopped by the breaker") == 1
    assert html.count('class="y"') == 10
    assert "breaker" in texts(view_of(events, final))["part_messages"].lower() or final["warnings"]


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


@pytest.mark.full
def test_the_debate_about_an_index_is_shown_without_a_judge(engine: Engine) -> None:
    final, events = play(engine, "^GSPC", depth=2)
    said = texts(view_of(events, final))
    room = said["eq_step_research"]
    for words in ("could see", "reports: 5", "round 1", "Bull", "Bear", "to the advisor"):
        assert words in room, words
    assert "round 2" not in room
    assert "manager" not in room
    assert "reports: 5 · speeches of the research room: 2" in said["eq_step_strategy"]
    assert "Research" in said["steps"]
    assert said["eq_step_risk"] == said["eq_step_trader"] == ""


def test_what_a_layer_did_not_have_is_said(scripted: Runs) -> None:
    view = view_of(scripted["buy"][1])
    assert view.equity is not None
    lacking = replace(view, equity=replace(view.equity, missing={"news": "no file of it", "filings": "nothing was filed"}))
    said = texts(lacking)["part_messages"]
    assert "No data of news: no file of it" in said
    assert "No data of filings: nothing was filed" in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_one_language_stands_in_the_other(scripted: Runs, language: Language) -> None:
    view = replace(view_of(scripted["buy"][1]), speeches=(), memory_read={}, memory_written={}, trails={})
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
    assert view.equity is not None
    evil = replace(view.equity, name=HOSTILE, symbol=HOSTILE, currency=HOSTILE, notes=(HOSTILE,), missing={HOSTILE: HOSTILE}, model=HOSTILE)
    drawn = built(replace(view, equity=evil, filed=None), shown())
    for name, html in drawn.items():
        read = Reader(html)
        assert not read.tags & {"img", "script", "a"}, name
        assert not {attribute for attribute in read.attributes if attribute.startswith("on")}, name
        assert "\u202e" not in html, name
    assert "<img src=x" in Reader(drawn["eq_step_research"]).text
    assert "<img src=x" in Reader(drawn["eq_analysts_title"]).text


def test_before_a_run_the_rooms_are_there(scripted: Runs) -> None:
    planned = EquityView(
        equity=EquityFacts(preset="stock", depth=3, tool_limit=7, analysts=("market", "news", "sentiment", "fundamentals"))
    )
    html = built(planned, shown())
    assert html["eq_analysts_title"].count("tb-pips") == 4
    assert "rounds: 3 · turns: 6" in Reader(html["eq_step_research"]).text
    assert "No run yet" in Reader(html["verdict"]).text
    assert html["this_run"] == ""
