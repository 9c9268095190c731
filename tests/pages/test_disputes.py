"""A struck claim says why it was struck, and one that is disputed is dotted wherever it stands, while nothing that was decided changes."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.claims import Claim
from engine.domain.dispute import Dispute
from engine.domain.facts import Fact
from pages.chart.annotations import readable
from pages.claims.claim_markup import mark_claims, quoted
from pages.claims.dispute_buttons import take_press
from pages.claims.disputing import disputed_count
from pages.claims.reading import reading
from pages.claims.telling import corrections
from pages.desks.decision import panels
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.run_chart import live_annotations
from pages.frame import shared_engine
from pages.frame.show import Show
from tests.pages import event_log as runs
from tests.pages.events import RUNS
from tests.pages.reader import Reader
from tests.pages.saved import run_document
from tests.pages.started import AT, Start, page_of, script_of
from tests.pages.test_ink import HOSTILE

VIEW = DECISION.reduce(RUNS["entry"]())
FALSE = [claim for claim in runs.entry_claims() if claim.verdict == "false"]


def disputed(show: Show, claims: list[Claim], who: str = "ann", why: str = "", *, disputing: bool = False) -> Show:
    at = datetime(2026, 5, 17, 10, tzinfo=UTC)
    return show.of_run((Dispute(run_id="r", claim=claim, who=who, at=at, why=why) for claim in claims), disputing=disputing)


def said(key: str, claimed: Any, actual: Any, **more: Any) -> Claim:
    words = {"source": "bull", "start": 0, "end": 9, "value_start": 7, "value_end": 9, "text": "RSI is 72", "verdict": "false"}
    kind = {"kind": "qualitative", "relation": "state"} if isinstance(claimed, str) else {"kind": "quantitative", "relation": "="}
    return Claim.model_validate({**words, **kind, "unit": "index", "key": key, "claimed": claimed, "actual": actual, **more})


def plain(html: str) -> str:
    return Reader(html).text.replace("\u2009", " ")


@pytest.mark.parametrize(
    ("claim", "english", "chinese"),
    [
        (
            said("1h.rsi_14", 72.0, 48.6, deviation=0.4815, tolerance=2.43),
            "Read as: 1h RSI(14) is 72; measured: 48.6 at 2026-05-17 08:00 UTC; off by 23.4 (+48.1 %), allowed 2.4",
            "读作：1h RSI(14) 为 72；实测：48.6（2026-05-17 08:00 UTC）；相差 23.4 (+48.1 %)，容差 2.4",
        ),
        (
            said("rsi_14", 72.0, 48.6, deviation=0.4815, tolerance=4.86, hedged=True, attributed_to="bear"),
            "Read as: RSI(14) is about 72; said by Bear, endorsed by Bull; measured: 48.6; off by 23.4 (+48.1 %), "
            "allowed 4.9 (doubled: an approximation)",
            "读作：RSI(14) 约为 72；空方所说，多方认同；实测：48.6；相差 23.4 (+48.1 %)，容差 4.9（约数，已加倍）",
        ),
        (
            said("close", (77_000.0, 77_500.0), 78_034.2, relation="between", unit="price"),
            "Read as: Price is between 77,000 and 77,500; measured: 78,034.2; off by 534.2",
            "读作：价格 介于 77,000 与 77,500 之间；实测：78,034.2；相差 534.2",
        ),
        (
            said("rsi_14", 72.0, 52.1, verdict="moved", said_verdict="false", said_actual=48.6, deviation=0.3, tolerance=2.0),
            "Read as: RSI(14) is 72; measured when it was said: 48.6; off by 23.4",
            "读作：RSI(14) 为 72；说时实测：48.6；相差 23.4",
        ),
    ],
)
def test_why_a_claim_was_struck_in_plain_words(claim: Claim, english: str, chinese: str) -> None:
    bar = int(datetime(2026, 5, 17, 8, tzinfo=UTC).timestamp() * 1000)
    facts = {
        "1h.rsi_14": Fact(key="1h.rsi_14", value=48.6, unit="index", timeframe="1h", bar_time=bar),
        "close": Fact(key="close", value=78_034.2, unit="price"),
    }
    for language, words in (("en", english), ("zh", chinese)):
        show = Show(language, step=0.1, facts=facts)  # type: ignore[arg-type]
        assert plain(reading(claim, show)) == words
        assert len(Reader(reading(claim, show)).struck) == 1, "what is false is struck here too"
        assert reading(claim, show) in mark_claims("RSI is 72", [claim], show) or claim.verdict == "moved"


def test_a_disputed_claim_is_dotted_wherever_it_stands_and_what_was_recorded_stays() -> None:
    plain_show = Show(step=0.1)
    show = disputed(plain_show, FALSE)
    by = show.say("disputed_by", who="ann")
    for build in (panels.debate_panel, panels.grounding_panel, panels.matrix_panel):
        before, after = Reader(build(VIEW, plain_show)), build(VIEW, show)
        assert before.struck
        assert set(Reader(after).struck) <= {"123"}, build  # of the key to the ink
        assert by in after
    assert set(Reader(run_document(VIEW, show, None, "green-up").partition("<body>")[2].partition("</body>")[0]).struck) <= {"123"}
    grounding = panels.grounding_panel(VIEW, show)
    assert VIEW.checked is not None
    assert show.say("disputed_n", n=len(FALSE)) in grounding
    assert show.say("disputed_stands", n=len(FALSE), who="ann") in grounding
    summary = plain(panels.grounding_panel(VIEW, plain_show)).partition(show.say("gate_open"))[0]
    assert plain(grounding).startswith(summary), "the score is what was recorded"
    pips = re.compile('<span class="tb-pips.*?</span></span>')
    assert pips.findall(panels.debate_panel(VIEW, show)) == pips.findall(panels.debate_panel(VIEW, plain_show)) != []
    assert chart_marks_of(plain_show) - chart_marks_of(show) == {(each.key, each.claimed) for each in FALSE}


def chart_marks_of(show: Show) -> set[tuple[str, float]]:
    return {
        (str(mark["label"]), float(mark["claimed"])) for mark in readable(live_annotations(VIEW), show) if mark["type"] == "false_level"
    }


def test_one_dispute_dots_one_claim() -> None:
    first, *others = [claim for claim in FALSE if claim.source == "bull"]
    show = disputed(Show(step=0.1), [first])
    text = runs.spoken("bull")
    read = Reader(mark_claims(text, [first, *others], show))
    assert read.struck == [other.text[other.value_start - other.start :] for other in others]
    assert disputed_count([first, *others], show) == " · 1 disputed"
    lines = corrections([first, *others], show)
    assert len(Reader(lines).struck) == len(others)
    assert "disputed by ann" in lines


def test_words_that_are_quoted_elsewhere_are_dotted_there_too() -> None:
    claim = next(claim for claim in FALSE if claim.source == "bull")
    text = runs.spoken("bull")
    show = disputed(Show(), [claim])
    sentence = text[claim.start - 9 : claim.end + 5]
    assert Reader(quoted(sentence, text, [claim], Show())).struck
    assert Reader(quoted(sentence, text, [claim], show)).struck == []
    assert "disputed by ann" in quoted(f"{{{claim.text}}}", text, [claim], show)


def test_names_and_reasons_are_text() -> None:
    poison = " ".join(HOSTILE)
    show = disputed(Show(), FALSE, poison, poison, disputing=True)
    read = Reader(panels.grounding_panel(VIEW, show) + panels.debate_panel(VIEW, show))
    assert not read.tags & {"script", "img", "iframe", "svg", "style", "a"}
    assert not any(name.startswith("on") or name in {"href", "src", "srcdoc"} for name in read.attributes)


def test_a_button_stands_beside_every_struck_claim_and_in_its_card_and_none_in_the_file() -> None:
    show = disputed(Show(), FALSE[:1], disputing=True)
    grounding, debate = panels.grounding_panel(VIEW, show), panels.debate_panel(VIEW, show)
    for claim in FALSE:
        undo = "1" if claim == FALSE[0] else ""
        for html in (grounding, debate):
            assert html.count(f'data-dispute="{claim.id}" data-undo="{undo}"') == 1
    assert grounding.count("data-dispute-why") == 1
    document = run_document(VIEW, show, None, "green-up")
    assert "disputed by ann" in document
    assert "<button" not in document
    assert "<input" not in document
    assert "<button" not in panels.grounding_panel(VIEW, replace(show, disputing=False))


def decided(engine: Engine, **asked: Any) -> str:
    request = engine.decisions.request("BTC/USDT:USDT", at=AT, seed=303, lies=0.35, **asked)
    return engine.wait(engine.start(request), 60).run_id


def at_page(app: AppTest, page: str, **params: str) -> str:
    app.switch_page(script_of(page))
    for name, value in params.items():
        app.query_params[name] = value
    app.run().run()
    assert not app.exception
    return page_of(app)


@pytest.mark.full
def test_a_press_is_kept_and_every_page_says_so(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    run_id, other = decided(engine, propose=True), decided(engine)
    page = at_page(app, "decision", run=run_id)
    buttons = [part.partition('"')[0] for part in page.split('data-dispute="')[1:]]
    view = DECISION.reduce(engine.events(run_id))
    assert view.checked is not None
    claim = next(claim for claim in view.checked.claims if claim.verdict == "false" and claim.source == "bull")
    assert claim.id in buttons
    take_press(engine, run_id, "ann", {"run": run_id, "claim": claim.id, "undo": False})
    take_press(engine, run_id, "ann", {"run": run_id, "claim": claim.id, "why": "a plan"})
    assert [(each.who, each.why) for each in engine.disputes.of(run_id)] == [("ann", "a plan")]

    signer = Show().say("disputed_signer", n=1, who="ann")
    desk = at_page(app, "decision", run=run_id)
    assert "disputed by ann: a plan" in desk
    assert Show().say("disputed_n", n=1) in desk
    assert signer in desk, "who signs on the desk sees it"
    assert signer in at_page(app, "approvals"), "and so does who signs in the queue"
    compared = at_page(app, "runs", a=run_id, b=other)
    assert Show().say("compare_disputed") in compared
    assert Show().say("disputed_n", n=1) in compared, "in the list"
    app.session_state[f"moment-{run_id}-{view.seq}"] = view.seq - 1
    assert "disputed by ann: a plan" in at_page(app, "decision", run=run_id), "and who looks back"

    take_press(engine, run_id, "op-1", {"run": run_id, "claim": claim.id, "undo": True})
    assert engine.disputes.of(run_id) == ()
    assert "disputed by" not in at_page(app, "decision", run=run_id)


@pytest.mark.full
def test_a_press_for_another_run_or_of_no_kind_does_nothing(start: Start) -> None:
    start()
    engine = shared_engine.get_engine()
    run_id = decided(engine)
    end = engine.trading.chain_end()
    for press in ({}, {"run": "other", "claim": "x"}, {"run": run_id}, {"run": run_id, "claim": 7}, {"run": run_id, "claim": "x" * 5000}):
        take_press(engine, run_id, "ann", press)  # type: ignore[arg-type]
    assert engine.trading.chain_end() == end
