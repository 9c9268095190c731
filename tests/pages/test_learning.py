"""Honesty, lessons and earlier decisions on pages: links to their runs, words of a model as text, both languages, few cases in grey."""

from datetime import UTC, datetime

import pytest

from engine.domain.honesty import HonestyRow
from engine.domain.lesson import LearntLesson
from engine.domain.similar import SimilarDecision
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from pages.desks.decision.decision_view import DecisionFacts, DecisionView
from pages.desks.decision.panels import similar_panel
from pages.frame.show import Show
from pages.journal.learning import honesty_panel, lessons_panel
from tests.pages.reader import Reader

AT = datetime(2026, 5, 14, 9, 30, tzinfo=UTC)
HOSTILE = '<img src=x onerror="alert(1)"></span><script>alert(2)</script>'


def row(by: str, name: str, claims: int, false: int, disputed: int = 0) -> HonestyRow:
    found = {"by": by, "name": name, "claims": claims, "false": false, "disputed": disputed}
    return HonestyRow.model_validate(found | {"share": false / claims, "low": 0.1, "high": 0.4})


def test_honesty_names_roles_and_indicators_and_greys_out_few() -> None:
    rows = [
        row("role", "bull", 40, 10, disputed=2),
        row("role", "bear", 60, 6),
        row("model", HOSTILE, 5, 1),
        row("indicator", "rsi_14", 50, 9),
    ]
    html = str(honesty_panel(rows, Show(language="en")))
    told = Reader(html).text
    assert "16 of 100 numbers false" in told
    assert "RSI(14)" in told
    assert "2 disputed" in told
    assert "<b>25.0" in html
    assert '<span class="tb-muted">20.0' in html, "five claims prove nothing"
    assert "<img" not in html
    chinese = Reader(str(honesty_panel(rows, Show(language="zh")))).text
    assert "诚实度：谁说错数字" in chinese
    assert "多方" in chinese


@pytest.mark.parametrize(("language", "kind"), [("en", "Lucky"), ("zh", "运气")])
def test_a_lesson_is_text_and_links_to_its_newest_run(language: Language, kind: str) -> None:
    said = Reason("lesson_lucky", result="+1 R", false=1, checked=2, which=HOSTILE)
    lessons = [
        LearntLesson(
            flow="decision", kind="lucky", about="rsi_14", n=3, weight=2.5, r=1.2, text=each, by=by, newest=AT, run_ids=("r-9", "r-1")
        )
        for each, by in ((said, "code"), (HOSTILE, HOSTILE))
    ]
    html = str(lessons_panel(lessons, lambda _: "", Show(language=language)))
    assert f'href="./?run=r-9&amp;lang={language}"' in html
    assert "<img" not in html
    assert "<script" not in html
    assert Reader(html).text.count(kind) >= 2


def facts(*similar: SimilarDecision, use: str = "shown") -> DecisionFacts:
    return DecisionFacts(
        request={"similar": use}, symbol="BTC/USDT:USDT", price=1.0, venue="", feed="simulated", timeframe="15m", timeframe_htf="1h",
        path="entry", model="scripted", language="en", analysts=(), notes=(), at=AT, snapshot_id="s", snapshot_hash="h", similar=similar,
    )  # fmt: skip


def test_earlier_decisions_link_to_their_runs_and_say_whether_anyone_was_told() -> None:
    one = SimilarDecision(
        run_id="r-7", symbol="ETH/USDT:USDT", timeframe="15m", decided_at=AT, known_at=AT, action="signal_entry_short", confidence=64.0,
        distance=0.42, exit_reason="stop", pnl_pct=-1.0, r=-1.05, lesson=HOSTILE, lesson_kind="refuted",
    )  # fmt: skip
    html = str(similar_panel(DecisionView(facts=facts(one)), Show(language="en")))
    told = Reader(html).text
    assert 'href="./?run=r-7&amp;lang=en"' in html
    assert "No role was told of them." in told
    assert "−1.05" in told
    assert "0.42 away" in told
    assert "<img" not in html
    assert "were told" in Reader(str(similar_panel(DecisionView(facts=facts(one, use="prompts")), Show(language="en")))).text
    chinese = Reader(str(similar_panel(DecisionView(facts=facts(one)), Show(language="zh")))).text
    assert "相似行情" in chinese
    assert "被否定" in chinese
    assert similar_panel(DecisionView(facts=facts()), Show(language="en")) == ""
