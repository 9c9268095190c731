"""Whatever a text or a sheet holds, reading it gives a result: no exception, no slow pattern, sound offsets."""

import collections
import importlib
import pkgutil
import re
import sys
import time
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import grounding
from engine.domain.facts import Fact, FactSheet
from engine.grounding.correct import correct_text
from engine.grounding.one_text import ground_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.report.summary import corrected_context, corrected_values, false_claim_details, grounding_summary
from engine.grounding.result import ground
from engine.grounding.tables.markets import CRYPTO, EQUITY
from engine.grounding.tables.table import IndicatorTable
from tests.engine.grounding import phrases_company, phrases_en, phrases_mixed, phrases_variety, phrases_zh
from tests.engine.grounding.sheets import ENTRY, HOLDING, MARKET, POSITION, sheet_of

TraceFunction = Any

DEBATE = {role: role for role in ("bull", "bear", "judge")}
TABLES = (phrases_en, phrases_zh, phrases_mixed, phrases_variety)
FRAGMENTS = [text for table in TABLES for text, _ in (*table.CLAIMS, *table.POSITION_CLAIMS)]
COMPANY = plain_sheet(phrases_company.COMPANY_FACTS, EQUITY)
SIGNS = [*"()[]{}<>|~*`_#$%^&+-=−–—:;,.!?。，；：！？、/\\\"'\n\t 0123456789", *"\u200b\u202e\ufeff\x00½①𝟕", "\ud800"]
WORDS = [
    "RSI",
    "MACD",
    "if",
    "若",
    "not",
    "未",
    "between",
    "and",
    "from",
    "to",
    "→",
    "1h",
    "%",
    "万",
    "above",
    "低于",
    "之上",
    "respectively",
]

messy = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(SIGNS), st.sampled_from(WORDS), st.text(max_size=6)), max_size=30)


@pytest.mark.full
@given(pieces=messy, glue=st.sampled_from(["", " ", "\n", ", ", "，"]))
@settings(max_examples=150, deadline=None)
@example(pieces=["RSI", "(", "14", ")"], glue="")
@example(pieces=["\ud800RSI=72"], glue="")
def test_any_text_gives_claims_with_sound_offsets(pieces: list[str], glue: str) -> None:
    text = glue.join(pieces)
    for claim in read_claims(text, POSITION, "bull", table=CRYPTO):
        assert 0 <= claim.start <= claim.value_start < claim.value_end <= claim.end <= len(text)
        assert claim.text == text[claim.start : claim.end]
        assert (claim.verdict == "unverifiable") == (claim.reason is not None)


@given(text=st.text(alphabet=st.characters(), max_size=200))
@settings(max_examples=150, deadline=None)
def test_arbitrary_characters_are_read_without_an_exception(text: str) -> None:
    read_claims(text, ENTRY, "judge", table=CRYPTO)


@pytest.mark.full
@given(pieces=messy)
@example(pieces=["\x0c", "- RSI 72"])  # a page of a PDF ends so
@settings(max_examples=60, deadline=None)
def test_the_whole_room_takes_any_text(pieces: list[str]) -> None:
    texts = {"bull": " ".join(pieces), "bear": "，".join(pieces), "indicator": "\n".join(pieces)}
    result = ground(texts, POSITION, DEBATE, CRYPTO)
    assert result.hallucination_score is None or 0 <= result.hallucination_score <= 100, "None: nothing was checked"
    assert 0 <= result.penalty_pct <= 30
    assert result.total_claims == result.verified_claims + result.false_claims
    assert len(false_claim_details(result, DEBATE)) == result.false_claims
    assert set(corrected_values(result, POSITION)) <= {fact.key for fact in POSITION}
    for language in ("en", "zh"):
        corrected_context(result, POSITION, language, DEBATE, CRYPTO)
        grounding_summary(result, language, DEBATE)
        for role, text in texts.items():
            correct_text(text, [claim for claim in result.claims if claim.source == role], POSITION, language, table=CRYPTO)


@pytest.mark.full
@given(broken=st.dictionaries(st.sampled_from([*MARKET, *HOLDING]), st.sampled_from([None, float("nan"), float("inf"), 0.0, -1e308, "x"])))
@settings(max_examples=60, deadline=None)
def test_broken_facts_convict_nobody_and_break_nothing(broken: dict[str, float | str | None]) -> None:
    sheet = sheet_of({**MARKET, **HOLDING, **broken})
    for text in FRAGMENTS[::9]:
        for claim in read_claims(text, sheet, "bull", table=CRYPTO):
            if broken.get(claim.key, 1.0) is None:
                assert claim.verdict == "unverifiable"


def test_a_value_that_is_not_finite_is_no_fact() -> None:
    facts = {"rsi_14": Fact.model_construct(key="rsi_14", value=float("nan"), unit="index", timeframe=None, bar_time=None)}
    (claim,) = read_claims("RSI is 72", FactSheet("BTC/USDT", "15m", None, facts), "bull", table=CRYPTO)
    assert (claim.verdict, claim.actual) == ("unverifiable", None)


@pytest.mark.full
def test_an_empty_sheet_checks_nothing() -> None:
    sheet = FactSheet("", "15m", None, {})
    assert {claim.verdict for text in FRAGMENTS for claim in read_claims(text, sheet, "bull", table=CRYPTO)} <= {"unverifiable"}


def test_only_the_given_spans_are_read() -> None:
    text = "RSI is 72. ADX is 12. confidence: 70"
    claims = read_claims(text, ENTRY, "bull", [(0, 10), (22, 90), (-5, 3), (8, 4)], table=CRYPTO)
    assert [(claim.key, claim.start, text[claim.start : claim.end]) for claim in claims] == [("rsi_14", 0, "RSI is 72")]
    (claim,) = read_claims(text, ENTRY, "bull", [(11, 21)], table=CRYPTO)
    assert (claim.start, claim.text) == (11, "ADX is 12")


REPEATED = [
    "RSI ", "RSI(", "(", "<a", "~~a", "9", "1,", "- ", "above ", "不", "if RSI ", "RSI? ", "bull says ",
    "bull says wrong ", "but it ",
    "RSI 28, ", "RSI respectively 3 ", "EMA20 > ", "/20", "volume 5 ", "volume average ", "| RSI | 72 |\n", "yesterday vs ", "high 50s ",
    "between 3 and ", "&lt;", "囧", "is 5 ", "volume average 5% ", "ETH ", "{", "RSI above 70 means, ",
    "as bear says wrong ", "就加", "plan : ", "RSI , however , ", "RSI and ", "“RSI ", "no, ", "RSI 5, no, ", "the 50 under ",
    "the former ",
    "it below ", "now = ", "1h chart ", "....", "3% down ", "33 bars in ", "324一线的阻力", "previous report ",
    "RSI, MFI and ", "all ",
    "3% in profit ", "in profit ", "and above EMA20 ",
    "才入场", "it is 3% now ", "the 1h ", "At 5, RSI ", "K under D ", "K at 5 ", "off 3% ", "| Prev | Now |\n| RSI | 5 | 6 |\n", "| RSI ",
    "lower/mid/upper ", "RSI/ADX/", "一千", "百分之", "负", "a gain of 3% ", "被EMA20", "RSI, far from it, is ",
    "it isn't, ", "其上", "below us ",
    "once ", "should ", "bull says ADX 5; ADX 6. ", "neutral, 5, ", "、低于EMA50", "the bull insisted RSI ", "short 5, ", "at 5x, ",
    "has lost ", "RSI 28 ", "RSI 48.6 ", "跌破支撑", "above EMA20 RSI ", "Price is above our entry ",
    "RSI is 71 as Merrow says for the peer group in January ",
    "十几", "wrong: ", "? no, ", "bull's ", "，其", "above EMA20 ", "is both above ",
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("piece", REPEATED)
def test_repetition_costs_no_more_than_its_length(piece: str) -> None:
    """Steps are counted, not timed: ten times the text takes about ten times the steps, whatever is repeated."""
    small, large = steps_of(piece * 40), steps_of(piece * 400)
    assert large < 13 * small + 5000


COMPANY_REPEATED = [
    "22 times ", "22x earnings ", "120 shares ", "we own 120 shares at 5 ", "23% of the account ", "Q3 ", "in 2022 ", "2023年", "FY ",
    "a yield of 3% ", "free cash flow ", "revenue up ", "down 8% ", "gross, operating and ", "net margin below one ", "Shares: ",
    "quarterly revenue ", "EPS and P/E ", "仓位占比", "营收同比", "海外收入", "持有100股", "今日下跌1%", "no position ", "more than 1bn ",
    "of a 5 account ", "average ", "50-day average ", "lower ", "to 5 ", "was ", "RSI is 71 as Merrow says for the peer group in January ",
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("piece", COMPANY_REPEATED)
def test_repetition_costs_no_more_with_the_table_of_a_company(piece: str) -> None:
    small, large = (steps_of(piece * times, COMPANY, EQUITY) for times in (40, 400))
    assert large < 13 * small + 5000


@pytest.mark.full
@given(pieces=messy, company=st.lists(st.sampled_from([text for text, _ in phrases_company.CLAIMS] + COMPANY_REPEATED), max_size=12))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_with_the_table_of_a_company(pieces: list[str], company: list[str]) -> None:
    text = " ".join([*pieces, *company])
    claims = read_claims(text, COMPANY, "bull", table=EQUITY)
    for claim in claims:
        assert claim.text == text[claim.start : claim.end]
        assert (claim.verdict == "unverifiable") == (claim.reason is not None)
    correct_text(text, claims, COMPANY, "zh", EQUITY)


def steps_of(text: str, sheet: FactSheet = ENTRY, table: IndicatorTable = CRYPTO) -> int:
    """Lines of the engine executed while reading and correcting `text`, every turn of a loop counted."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> TraceFunction:
        nonlocal count
        count += event == "line"
        return trace

    read_claims("RSI", sheet, "bull", table=table)
    sys.settrace(trace)
    try:
        ground_text("EMA20 EMA 20 volume RSI 28, the " + text, sheet, "bull", table=table)
    finally:
        sys.settrace(None)
    return count


def seconds_of(text: str) -> float:
    """Processor time of this thread for reading and correcting `text`."""
    began = time.thread_time()
    ground_text(text, POSITION, "bull", table=CRYPTO)
    return time.thread_time() - began


def patterns_of_the_reader() -> dict[re.Pattern[str], str]:
    """Return every compiled pattern of a module of `engine.grounding`, and where it is."""
    found: dict[re.Pattern[str], str] = {}

    def collect(value: object, where: str) -> None:
        if isinstance(value, re.Pattern):
            found.setdefault(value, where)
        elif isinstance(value, dict):
            collect((*value, *value.values()), where)
        elif isinstance(value, tuple | list | set | frozenset):
            for each in value:
                collect(each, where)

    for module in pkgutil.walk_packages(grounding.__path__, "engine.grounding."):
        for name, value in vars(importlib.import_module(module.name)).items():
            collect(value, f"{module.name}.{name}")
    return found


RUNS = ("1", "1.", "1,", "0.1 ", "1%", "$1", "a", "A", "ab ", "a1", " ", "\t", "\n", "-", "|", "*", "(", "%", "中", "的", "一")


def seconds_to_search(pattern: re.Pattern[str], text: str) -> float:
    """Processor time of this thread."""
    began = time.thread_time()
    collections.deque(pattern.finditer(text), maxlen=0)
    return time.thread_time() - began


def test_every_pattern_takes_time_in_proportion_to_the_length_of_a_run() -> None:
    """10,000 characters cost a linear pattern milliseconds, those with long repeats up to a second on a slow machine; a quadratic one takes
    sixteen times what a quarter of them takes."""
    slow = []
    for pattern, where in patterns_of_the_reader().items():
        for run in RUNS:
            text = (run * 10_000)[:10_000]
            took = seconds_to_search(pattern, text)
            if took > 0.5 and took > 8 * seconds_to_search(pattern, text[:2_500]):
                slow.append(f"{where} takes {took:.1f} s for {run!r}")
    assert slow == []


@pytest.mark.parametrize("run", ["1", "a", *(pytest.param(run, marks=pytest.mark.full) for run in ("RSI 1", "涨"))])
def test_a_long_line_is_read_in_time(run: str) -> None:
    """200 kB without an answer in four minutes, before its patterns were linear."""
    assert seconds_of((run * 200_000)[:200_000]) < 30


PROSE = " ".join(text for text in FRAGMENTS if text.isascii()).replace("\n", " ")
CHINESE_PROSE = "，".join(text for text in FRAGMENTS if not text.isascii()).replace("\n", " ")
LONG_LINES = {
    "prose": PROSE,
    "prose without a stop": re.sub(r"[.!?;:,](?![0-9])", " ", PROSE),
    "Chinese": CHINESE_PROSE,
    "Chinese without a stop": re.sub(r"[。！？；：，、,;:]", " ", CHINESE_PROSE),
    "digits": "1234.5",
    "shares of history": "第5百分位 from the top to here ",
    "a way that goes on": "from 5 to 6 and ",
    "orders": "限价5比现价5",
}


@pytest.mark.parametrize("line", LONG_LINES)
def test_four_times_the_line_takes_about_four_times_the_time(line: str) -> None:
    """A quadratic pattern takes sixteen times as long, however fast the machine is. The least of three readings: others may disturb one."""
    text = LONG_LINES[line]
    long = (text * (40_000 // len(text) + 1))[:40_000]
    seconds_of(long[:10_000])
    short_time, long_time = (min(seconds_of(each) for _ in range(3)) for each in (long[:10_000], long))
    assert long_time < 8 * short_time + 0.05
