"""Every page in Chinese, in every state that a person comes by: what is written in Latin letters there is a name, a unit or an id."""

from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.proposal import Proposal
from engine.domain.text.reason import Reason
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.run.messages import endings, failures, remarks
from pages.run.view import Ending, Retry, RunView, Turn
from pages.trading.proposal_state import reason_text
from pages.words.fact_names import CHINESE as FORMULAS
from pages.words.fact_names import formula_text
from tests.latin import strange_words
from tests.pages import event_log as log
from tests.pages.started import AT, Start, script_of

CHINESE = Show("zh")

STRANGERS = {"tb-trail", "news", "tb-mono"}
"""Classes of what others wrote, or of ids: names of tools and what they gave, headlines, hashes."""


class Seen(HTMLParser):
    """What is read or read out of a piece of HTML, without what others wrote."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)
        self.close()

    @property
    def _hidden(self) -> bool:
        return any(hidden for _, hidden in self._open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        hidden = tag in ("style", "script") or bool(STRANGERS & set((given.get("class") or "").split()))
        if not hidden and not self._hidden:
            self.words += [value for name in ("aria-label", "title", "placeholder") if (value := given.get(name))]
        if tag not in ("br", "img", "input", "path", "hr"):
            self._open.append((tag, hidden))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)


def said(app: AppTest) -> Iterator[str]:
    """Every text on the page: of its HTML, and of labels, helps, options and placeholders of its inputs."""
    for element in app.get("html"):
        yield from Seen(str(element.proto.body)).words
    kinds = "button button_group checkbox selectbox text_input number_input text_area radio slider date_input expander warning error info"
    for kind in kinds.split():
        for element in app.get(kind):
            proto: Any = getattr(element, "proto", None)
            for name in ("label", "help", "placeholder", "body"):
                if isinstance(text := getattr(proto, name, None), str):
                    yield text
            yield from (str(getattr(option, "content", option)) for option in getattr(proto, "options", ()))


def english_left(app: AppTest) -> dict[str, str]:
    """Word -> where it stands."""
    found = {}
    for text in said(app):
        for word in strange_words(text):
            found.setdefault(word, " ".join(text.split())[:90])
    return found


def decided(engine: Engine) -> Iterator[Proposal]:
    """Proposals of decisions in Chinese that wait."""
    for seed in range(301, 400):
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, at=AT, language="zh", lies=0.3)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            yield proposal


def test_no_page_has_english_left_in_chinese(start: Start) -> None:
    app = start(TRIBUNAL_LANGUAGE="zh")
    engine, found = shared_engine.get_engine(), {}

    def look(name: str, page: str, run: str | None = None) -> None:
        at = app.switch_page(script_of(page))
        at.query_params.pop("run", None)
        if run is not None:
            at.query_params["run"] = run
        at.run()
        assert not at.exception, name
        if left := english_left(at):
            found[name] = left

    for page in ("decision", "equities", "research", "approvals", "positions", "runs", "connect", "settings"):
        look(page, page)
    waiting = decided(engine)
    proposal, other, third = next(waiting), next(waiting), next(waiting)
    look("a decision that waits", "decision", proposal.basis.run_id)
    look("approvals that wait", "approvals")
    engine.trading.approve(proposal.id, "op-1")
    engine.trading.reject(other.id, "op-1", "太晚")
    again = engine.decisions.request("BTC/USDT:USDT", seed=third.basis.place.seed, propose=True, at="2026-11-01T12:00Z", language="zh")
    engine.wait(engine.start(again), 60)
    for name, page, run in (
        ("a filled decision", "decision", proposal.basis.run_id),
        ("a rejected decision", "decision", other.basis.run_id),
        ("a decision that a newer one followed", "decision", third.basis.run_id),
        ("answers", "approvals", None),
        ("a position", "positions", None),
        ("runs", "runs", None),
    ):
        look(name, page, run)
    for symbol, preset in (("AAPL", "stock"), ("^GSPC", "index")):
        asked = engine.equities.request(
            symbol, trade_date=date(2026, 11, 20), session="post_close", propose=preset == "stock", language="zh", lies=0.3
        )
        look(f"the desk of {symbol}", "equities", engine.wait(engine.start(asked), 60).run_id)
    assert found == {}


@pytest.mark.parametrize(
    ("reason", "english", "chinese"),
    [
        (Reason("came_after_it", proposal_id="p-7"), "a newer proposal took its place: p-7", "已被更新的提案取代：p-7"),
        (Reason("filled_at", filled="0.1", price="85361.4", fee="4.46"), "0.1 at 85361.4, fee 4.46", "以 85361.4 成交 0.1，手续费 4.46"),
        (
            Reason("nothing_was_ordered", why=Reason("lock_stop", level="78,100", price="78,200")),
            None,
            "没有下单：已穿过止损 78,100：现价 78,200",
        ),
        ("something nobody has seen before", None, "something nobody has seen before"),
    ],
)
def test_a_reason_is_said_in_the_language_of_the_page(reason: str, english: str | None, chinese: str) -> None:
    assert Show("en").translated(reason) == (english or reason)
    assert Show("zh").translated(reason) == chinese


def test_a_run_that_failed_says_why_in_chinese_and_a_persons_own_words_stay() -> None:
    empty, refused = Reason("answer_is_empty"), Reason("with_status", what=Reason("endpoint_failed"), status=502, quote="")
    node = Turn(name="bull", state="failed", reason=Reason("answer_cannot_be_read", problem=empty))
    retried = Turn(name="bear", state="done", retries=(Retry(log.START, 2, refused, 1.0, False),))
    errors, warnings = (Reason("run_has_no_snapshot", run_id="r-1"),), (Reason("nothing_was_published"),)
    ending = Ending(log.START, "finished", "signal_wait", is_valid=False, errors=errors, warnings=warnings, metrics={})
    view = RunView(turns=(node, retried), ending=ending)
    shown = "".join((*failures(view, CHINESE), *endings(view, CHINESE), *remarks(view, CHINESE)))
    for words in ("无法读取回答：回答为空", "端点出错（502）", "运行 r-1 没有快照", "没有发布"):
        assert words in shown
    assert "answer" not in shown
    assert "the answer is empty" in "".join(failures(view, Show()))
    assert reason_text("nothing was published", CHINESE) == "nothing was published"


def test_formulas_of_facts_are_said_in_chinese() -> None:
    for formula in (*FORMULAS, "price over earnings per share, ttm to 2026-09-30", "ADX(14), Wilder"):
        told = formula_text(formula, "zh")
        assert strange_words(told) == [], told
        assert formula_text(formula, "en") == formula
