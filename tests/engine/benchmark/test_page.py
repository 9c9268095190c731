"""The page needs nothing else, runs nothing, and shows what a hostile model wrote as text."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from engine.benchmark.asking import StruckAnswer
from engine.benchmark.figures import StruckResult, figures_of
from engine.benchmark.page import in_order, result_page
from engine.benchmark.prompts import Prompts, read_prompts
from engine.benchmark.reader import recorded_measure
from engine.benchmark.record import StruckRecord, StruckSetup
from engine.benchmark.sheets import StruckSheet
from engine.cli.benchmark import _print_table
from engine.domain.opinion import Usage
from engine.domain.text.language import LANGUAGES, Language

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> </style><a href="https://evil.example">x</a> {0} {style}'
LOADS = re.compile(r"""https?:|//[a-z]|\b(?:src|href)=|@import|url\(|<script|<link|<iframe|<object|javascript:""", re.IGNORECASE)


def result_of(model: str, text: str, count: int = 4, close: float = 100.0) -> StruckResult:
    """What is found of a model that says the same of every sheet."""
    facts: dict[str, float | str] = {"symbol": "BTC/USDT:USDT", "timeframe": "15m", "close": close, "rsi_14": 40.0}
    sheets = tuple(StruckSheet(id=f"s-{n}", kind="entry", language="en", at="2026-01-01 00:00 UTC", facts=facts) for n in range(count))
    prompts: Prompts = read_prompts()
    setup = StruckSetup(
        edition="2026-11",
        model=model,
        k=1,
        shipped=False,
        prompts={key: dict(value) for key, value in prompts.texts.items()},
        sheets=sheets,
    )
    usage = Usage(model=model, requests=1, duration_ms=1500.0, cost=0.001)
    answers = tuple(
        StruckAnswer(sheet=sheet.id, arm="plain", nth=1, asked="", text=f"{text}\n\ndirection: LONG\nconfidence: 60\n", usage=usage)
        for sheet in sheets
    )
    record = StruckRecord(setup=setup, ended="done", at=datetime(2026, 9, 16, tzinfo=UTC), answers=answers)
    return figures_of(record, recorded_measure(), "sha256:0")


class Elements(HTMLParser):
    """What a browser makes of a page: its elements, and what is shown."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.shown = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown += data


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_one_file_without_a_script_and_hostile_words_stay_words(language: Language) -> None:
    hostile = result_of(HOSTILE, f"{HOSTILE} RSI(14) stands at 90.0. {HOSTILE}")
    assert hostile.example is not None
    assert hostile.false_per_100.value == 100.0
    page = result_page([hostile, result_of("calm", "RSI(14) stands at 40.0.")], language, {0: HOSTILE, 1: None})
    read = Elements(page)
    assert read.open == []
    assert read.names.isdisjoint({"script", "img", "a", "link", "iframe", "object", "svg", "form"})
    assert not {name for name in read.attributes if name.startswith("on")}
    assert "<script>alert(1)</script>" in read.shown
    assert "default-src 'none'" in page
    calm = result_page([result_of("calm", "RSI(14) stands at 40.0.")], language)
    assert LOADS.search(calm) is None
    assert "color-scheme:light dark" in page


@pytest.mark.full
def test_only_results_of_the_same_sheets_are_ranked_together(capsys: pytest.CaptureFixture[str]) -> None:
    """Two models on one set of sheets, and the best one of all on another set."""
    true, false = "RSI(14) stands at 40.0.", "RSI(14) stands at 90.0."
    results = [result_of("elsewhere", true, 300, close=7.0), result_of("worse", false, 300), result_of("better", f"{true} {false}", 300)]
    page = result_page(results, "en")
    rows = [" ".join(Elements(row).shown.split()) for row in re.findall(r"<tr[ >].*?</tr>", page.partition("</details>")[0], re.DOTALL)]
    heads = ("Ranked apart: other sheets", "Ranked by false numbers", "1better", "2worse", "1elsewhere")
    assert [next(head for head in heads if row.startswith(head)) for row in rows if row.startswith(heads)] == [
        heads[1], "1better", "2worse", heads[0], "1elsewhere",
    ]  # fmt: skip
    assert "50.0 to 100.0 in 100" in page, "best and worst of those that can be compared"
    assert "300 sheets of a file" in page
    _print_table([(results[place], True) for place in in_order(results)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["better", "worse"]
    assert "not to be compared" in lines[3]
    assert lines[4].startswith("elsewhere")
