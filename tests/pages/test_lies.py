"""No page and no saved document shows a number that was found false without its strike, whoever said it."""

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from engine.api import Engine
from engine.domain.claims import Claim
from engine.domain.text.language import LANGUAGES, Language
from pages.claims.claim_markup import mark_claims
from pages.desks.decision import panels
from pages.desks.decision.decision_view import DECISION, DecisionView
from pages.desks.decision.speeches import executor_panel
from pages.frame import numbers, shared_engine
from pages.frame.show import Show
from tests.pages.events import RUNS
from tests.pages.reader import Reader
from tests.pages.saved import run_document
from tests.pages.started import AT, Start, keyed, page_of, script_of

SEED, LIES = 303, 0.35  # every role lies, the executor too, and there is something to sign
WALKED = ("decision", "approvals", "positions", "runs")


class Unstruck(HTMLParser):
    """Reads the words of a page that stand as fact: neither struck, nor in a card that says what is wrong with them."""

    SILENT = ("del", "s", "style", "title")

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.path: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.path.append((tag, dict(attrs).get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        last = max((place for place, each in enumerate(self.path) if each[0] == tag), default=None)
        del self.path[last:]

    def handle_data(self, data: str) -> None:
        if not any(tag in self.SILENT or "tb-tip" in look for tag, look in self.path):
            self.words.append(data)


def asserted(html: str) -> str:
    """Everything a page says that is not struck, without thousands separators."""
    return " ".join(Unstruck(html).words).replace(",", "")


def false_values(view: DecisionView) -> set[str]:
    """Every number that a role stated falsely, as it wrote it, and that nobody could have stated truly."""
    found: list[tuple[Claim, str]] = []
    for node in view.nodes.values():
        claims = node.claims or (view.checked.said_by(node.side) if view.checked else ())
        found += [(claim, node.text[claim.value_start : claim.value_end]) for claim in claims]
    numbers = {said for claim, said in found if claim.when_said == "false" and claim.kind == "quantitative"}
    right = {said for claim, said in found if claim.when_said != "false"} | {f"{claim.actual}" for claim, _ in found}
    return {number for number in numbers - right if len(number) > 3}  # a short one stands in many others


def said_falsely(html: str, view: DecisionView) -> set[str]:
    shown = " ".join(asserted(html).split())
    return {number for number in false_values(view) if re.search(rf"(?<![\d.−-]){re.escape(number)}(?!\d)", shown)}


def decided(engine: Engine, **asked: Any) -> DecisionView:
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT, **asked))
    engine.wait(run_id, 60)
    return DECISION.reduce(engine.events(run_id))


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.full)])
def test_on_no_page_a_lie_stands_unstruck(start: Start, language: Language) -> None:
    app = start()
    engine = shared_engine.get_engine()
    app.query_params["lang"] = language
    view = decided(engine, seed=SEED, lies=LIES, propose=True, language=language)
    other = decided(engine, seed=SEED, lies=1.0, language=language)
    assert view.run_id
    assert other.run_id
    assert any(claim.verdict == "false" for claim in view.role("executor").claims)
    assert len(false_values(view)) > 8
    engine.decisions.without_corrections(view.run_id)
    for page, params in [*((page, {"run": view.run_id}) for page in WALKED), ("decision", {"run": other.run_id})]:
        app.switch_page(script_of(page))
        for name, value in {**params, "lang": language}.items():
            app.query_params[name] = value
        app.session_state["language"] = language
        app.run().run()
        assert not app.exception
        if page == "approvals":
            keyed(app, "approve-").click().run()
            assert not app.exception
        assert said_falsely(page_of(app), other if params["run"] == other.run_id else view) == set(), page
    assert "<del>" in page_of(app)


@pytest.mark.full
def test_the_reason_of_an_entry_is_inked_on_its_position(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    view = decided(engine, seed=SEED, lies=LIES, propose=True)
    assert view.run_id
    proposal = engine.trading.proposal_of(view.run_id)
    assert proposal is not None
    engine.trading.approve(proposal.id, "op-1")
    lie = next(claim for claim in view.role("executor").claims if claim.verdict == "false")
    said = view.role("executor").text[lie.value_start : lie.value_end]
    app.switch_page("views/positions.py").run().run()
    page = Reader(page_of(app))
    assert numbers.restyled(said) in page.struck
    assert page.truths
    held = engine.trading.positions()[0]
    assert held.thesis is not None
    assert f"~~{said}~~" in held.thesis.text, "and so it is told to whoever decides about the position"


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_in_the_saved_document_a_lie_is_struck(make_engine: Callable[..., Engine], language: Language) -> None:
    engine = make_engine()
    view = decided(engine, seed=SEED, language=language, lies=1.0, depth=2)
    show = Show(language, titles={each.key: each.title[language] for each in engine.decisions.analysts})
    assert false_values(view)
    assert said_falsely(run_document(view, show, None, "green"), view) == set()
    assert said_falsely(panels.debate_panel(view, show), view) == set()


def test_an_answer_without_headings_is_inked_too() -> None:
    view = DECISION.reduce(RUNS["entry"]())
    node = view.role("executor")
    text = '{"action": "WAIT", "reasoning": "RSI(14) is 28.4 now.", "key_factors": ["RSI(14) is 28.4"]}'
    at = text.index("28.4")
    claim = Claim.model_validate(
        {
            "source": "executor",
            "start": at - 11,
            "end": at + 4,
            "value_start": at,
            "value_end": at + 4,
            "text": "RSI(14) is 28.4",
            "key": "rsi_14",
            "kind": "quantitative",
            "relation": "=",
            "claimed": 28.4,
            "verdict": "false",
            "actual": 48.6,
            "unit": "index",
        }
    )
    said = replace(
        node,
        texts={1: text},
        attempt=1,
        claims=(claim,),
        result={"reasoning": "RSI(14) is 28.4 now.", "key_factors": ["RSI(14) is 28.4"], "action": "signal_wait", "confidence": 50},
    )
    page = Reader(executor_panel(replace(view, turns=tuple(said if turn is node else turn for turn in view.turns)), Show()))
    assert page.struck == ["28.4", "28.4"]


def moved(said: str) -> Claim:
    """`RSI(14) is 48.6`, `said` when the market was another; it is 52.1 now."""
    fields = {"source": "bull", "start": 0, "end": 15, "value_start": 11, "value_end": 15, "text": "RSI(14) is 48.6", "key": "rsi_14"}
    about = {"kind": "quantitative", "relation": "=", "claimed": 48.6, "verdict": "moved", "unit": "index", "deviation": -0.067}
    then = {"actual": 52.1, "said_actual": 48.6} if said == "true" else {"actual": 48.6, "said_actual": 44.0}
    return Claim.model_validate({**fields, **about, **then, "said_verdict": said})


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_has_moved_since_has_an_ink_of_its_own_and_is_no_lie(language: Language) -> None:
    show = Show(language)
    html = mark_claims("RSI(14) is 48.6", [moved("true")], show)
    page = Reader(html)
    assert "mv" in page.classes
    assert page.struck == []
    assert page.truths == ["52.1"]
    assert show.say("moved") in html
    assert show.say("when_said") in html
    assert show.say("false") not in html
    lucky = Reader(mark_claims("RSI(14) is 48.6", [moved("false")], show))
    assert (lucky.struck, lucky.truths) == ([], []), "the number is right now; its card says that it was not"
    assert show.say("aria_moved_false", stated="48.6", actual="48.6", then="44.0") in mark_claims("RSI(14) is 48.6", [moved("false")], show)
