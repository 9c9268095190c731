"""Honesty, lessons and earlier decisions on pages: links to their runs, words of a model as text, both languages, few cases in grey."""

from datetime import UTC, datetime

import pytest

from engine.domain.honesty import HonestyRow
from engine.domain.lesson import LearntLesson
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
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
