"""The panels: whole and safe for every run at every moment, and saying what happened."""

import re
from collections.abc import Callable

import pytest

from engine.domain.facts import Fact
from pages.desks.decision import panels
from pages.desks.decision.decision_view import DECISION, DecisionView
from pages.desks.decision.grounding import compared_decisions
from pages.desks.decision.steps import step_strip
from pages.desks.decision.verdict import market_line, verdict_bar
from pages.frame.show import Show
from tests.pages.event_log import Log, decision, with_data
from tests.pages.events import RUNS
from tests.pages.reader import Reader, squeezed
from tests.pages.test_ink import HOSTILE

TAGS = {"div", "section", "footer", "span", "p", "b", "strong", "i", "s", "h2", "ul", "li", "br", "del", "ins", "details", "summary", "a"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"class", "colspan", "style", "role", "scope", "tabindex", "title", "data-claim", "data-key", "data-time"}
ATTRIBUTES |= {"data-live", "data-at", "data-spent"}  # what is being written, and seconds that run
ATTRIBUTES |= {"href", "target", "aria-label", "aria-hidden", "aria-live", "aria-current"}
BUILDERS: dict[str, Callable[[DecisionView, Show], str]] = {
    build.__name__: build for build in (market_line, verdict_bar, step_strip, *(panel.build for panel in panels.PANELS))
}
LOGS = {name: make() for name, make in RUNS.items()}
WHOLE = {name: DECISION.reduce(log) for name, log in LOGS.items()}
FACTS = {
    "mfe_pct": Fact(key="mfe_pct", value=1.21, unit="percent"),
    "hold_count": Fact(key="hold_count", value=34.0, unit="bars"),
    "change_24h_pct": Fact(key="change_24h_pct", value=-0.43, unit="percent"),
}


def page(view: DecisionView, show: Show) -> str:
    return "".join(build(view, show) for build in BUILDERS.values())


def said(name: str, panel: str, language: str = "en", **more: object) -> str:
    return Reader(BUILDERS[panel](WHOLE[name], Show(language, step=0.1, **more))).text  # type: ignore[arg-type]


def poisoned(value: object, poison: str) -> object:
    if isinstance(value, str):
        return poison
    if isinstance(value, list):
        return [poisoned(item, poison) for item in value]
    return {key: poisoned(item, poison) for key, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(
    "field", ["text", "reason", "result", "request", "symbol", "model", "venue", "notes", "errors", "warnings", "analysts", "key"]
)
def test_no_field_of_any_event_can_become_markup(field: str) -> None:
    poison = " ".join(HOSTILE)
    for name in ("entry", "failed", "starting", "position"):
        log = [
            with_data(event, {**event.data.to_json(), field: poisoned(event.data.to_json().get(field, poison), poison)})
            for event in LOGS[name]
        ]
        html = page(DECISION.reduce(log), Show())
        read = Reader(html)
        assert read.tags <= TAGS
        assert read.attributes <= ATTRIBUTES
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", html)
        html.encode()


@pytest.mark.parametrize(
    ("name", "english", "chinese"),
    [
        ("entry", ["Enter short", "78,200.0", "77,690.0", "2.08", "6 limits apply, all pass"], ["开空仓", "适用 6 项限制，全部通过"]),
        ("debating", ["Bear is speaking", "step 2 of 5", "WAIT"], ["空方发言中"]),
        ("position", ["Reduce −50", "77,400.0", "+0.82", "3×"], ["减仓"]),
        ("gate_closed", ["Wait, not valid", "Nothing was ordered."], ["观望（无效）", "没有下单"]),
    ],
)
def test_the_verdict_bar_says_what_was_decided(name: str, english: list[str], chinese: list[str]) -> None:
    for language, expected in (("en", english), ("zh", chinese)):
        text = said(name, "verdict_bar", language)
        assert [words for words in expected if words not in text] == []


def test_a_decision_that_was_blocked_shows_no_levels() -> None:
    log = Log()
    log.start()
    log.add("node.started", "executor", stage="executor")
    log.add(
        "node.finished", "executor", result=decision("signal_entry_long", stop_loss_price=1.0, take_profit_price=2.0, risk_reward_ratio=9.0)
    )
    log.finish_run("signal_wait", valid=False, errors=["max_leverage: 20 is above 10"])
    text = Reader(verdict_bar(DECISION.reduce(log.events), Show(step=0.1))).text
    assert "Wait, not valid" in text
    assert "9.00" not in text


def test_a_run_that_never_began_says_why() -> None:
    log = Log()
    log.add("run.finished", status="failed", errors=["binance: unknown symbol FOO/BAR"])
    view = DECISION.reduce(log.events)
    assert "Run failed" in Reader(verdict_bar(view, Show())).text
    assert "unknown symbol FOO/BAR" in Reader(panels.decision_messages_panel(view, Show())).text
    assert page(view, Show())


def test_false_numbers_are_struck_where_they_were_said() -> None:
    read = Reader(panels.debate_panel(WHOLE["entry"], Show(step=0.1)))
    assert read.struck == ["123", "28.4", "77,850", "31", "78,850"], "the key, then the four in reading order"
    assert read.truths == ["120", "48.6", "78,701.5", "15.9", "78,300.0"]
    table = said("entry", "grounding_panel")
    assert [each for each in ("28.4", "48.6", "−41.6", "1 planted, 1 caught", "gate open") if each not in table] == []
    assert [each for each in ("verified 12/16", "hallucination score 25") if each not in read.text] == []


def test_what_was_cut_off_stays_readable_and_apart() -> None:
    html = panels.analysts_panel(WHOLE["starting"], Show())
    assert "<s>Funding is</s>" in html
    assert "retrying in 0.9" in Reader(html).text
    assert "Sellers are" not in panels.debate_panel(WHOLE["entry"], Show())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("abstained", ["Pattern gave no report.", "no answer within 90 s", "formed without it"]),
        ("failed", ["Judge failed.", "no verdict line", "Safe action: WAIT"]),
        ("gate_closed", ["Gate closed: 75", "(6 of 8)", "The executor was not asked", "Safe action: WAIT"]),
        ("breached", ["Leverage", "Measured 20×, bound 10×", "Position share", "Safe action: WAIT"]),
        ("entry", ["Bull, attempt 1:", "429", "Asked again after 0.9"]),
    ],
)
def test_every_trouble_is_told(name: str, expected: list[str]) -> None:
    text = said(name, "decision_messages_panel")
    assert [words for words in expected if words not in text] == []
    assert said(name, "decision_messages_panel", "zh") != text


def test_an_analyst_the_desk_does_not_know_has_its_row() -> None:
    log = Log()
    log.start()
    log.events[0] = with_data(log.events[0], {**log.events[0].data.to_json(), "analysts": ["indicator", "onchain_flow"]})
    log.add("node.started", "onchain_flow", stage="analysis")
    log.add("node.tokens", "onchain_flow", text="Coins leave the exchanges.", attempt=1)
    text = Reader(panels.analysts_panel(DECISION.reduce(log.events), Show())).text
    assert "Onchain flow" in text
    assert "链上资金" in Reader(panels.analysts_panel(DECISION.reduce(log.events), Show("zh", titles={"onchain_flow": "链上资金"}))).text
    assert "Coins leave the exchanges." in text
    assert "Trend" not in text


def test_the_waterfall_adds_up() -> None:
    text = squeezed(said("entry", "waterfall_panel"))
    assert re.search(r"Consensus61Judge\+3Executor\+1Falseclaims−7Final58leastallowed55", text)


def test_rounds_before_the_last_are_kept() -> None:
    log = Log()
    log.start()
    for words in ("First round.", "Second round."):
        log.add("node.started", "bull", stage="debate")
        log.add("node.tokens", "bull", text=words, attempt=1)
        log.add("node.finished", "bull", attempt=1, result={"side": "bull", "confidence": 60.0})
    view = DECISION.reduce(log.events)
    assert view.role("bull").earlier == "First round."
    assert view.role("bull").text == "First round.Second round.", "as its record holds it, and as claims count their places"
    text = Reader(panels.debate_panel(view, Show())).text
    assert text.index("First round.") < text.index("Second round.")


def test_two_decisions_stand_side_by_side_whatever_they_hold() -> None:
    mine = {"action": "signal_wait", "is_valid": True, "confidence": 55.0, "stop_loss": None, "errors": []}
    other = {"action": "signal_entry_long", "is_valid": False, "confidence": 80.0, "stop_loss": 97.5, "errors": [HOSTILE[0]]}
    read = Reader(compared_decisions({"corrected": mine, "uncorrected": other, "same": False}, Show(step=0.1)))
    assert read.tags <= TAGS
    assert "97.5" in read.text
    assert squeezed(HOSTILE[0])[:12] in squeezed(read.text)
    for broken in ({}, {"corrected": 1}, {"corrected": mine, "uncorrected": []}):
        assert compared_decisions(broken, Show()) == ""  # type: ignore[arg-type]
