"""Ink on a role's words: no character of the text can be markup, none is lost, and the marks stand where the claims are."""

import math
import re
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.domain.claims import Claim
from engine.domain.facts import Fact
from engine.domain.text.reason import Reason
from pages.claims.claim_markup import mark_claims, place_marks
from pages.claims.prose import prose, sections, vote_start
from pages.claims.stepped import to_step
from pages.frame import numbers
from pages.frame.escape import visible
from pages.frame.show import Show
from tests.pages import event_log as runs
from tests.pages.reader import Reader, unstyled

ALLOWED = {"p", "ul", "li", "br", "span", "strong", "del", "ins", "b"}
ATTRIBUTES = {"class", "tabindex", "role", "data-claim", "data-key", "data-time", "aria-label", "title"}
SHOW = Show()
HOSTILE = [
    "<script>alert(1)</script> & done",
    "<img src=x onerror=alert(1)>",
    '"><iframe srcdoc="<script>parent.x=1</script>">',
    "![chart](https://example.org/x.png) [go](javascript:alert(1))",
    "&lt;b&gt; <svg/onload=alert(1)> </span></p><style>*{display:none}</style>",
    "price is 78\u202e000\u202c and \u2066hidden\u2069 \x00\x07\x9b \ud800",
]


def make(start: int, end: int, verdict: str, value: tuple[int, int] | None = None) -> Claim:
    low, high = value or (start, end)
    span = {"start": start, "end": end, "value_start": low, "value_end": high}
    rest = {"key": "rsi_14", "kind": "quantitative", "relation": "=", "claimed": 28.4, "actual": 48.6, "unit": "index"}
    return Claim.model_validate({"source": "bull", "text": "x", "verdict": verdict, **span, **rest})


positions = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)
claims = st.lists(
    st.builds(
        lambda outer, inner, verdict: make(outer[0], outer[1], verdict, (inner[0], inner[1])),
        positions,
        positions,
        st.sampled_from(["true", "false", "unverifiable"]),
    ),
    max_size=6,
)
markup = st.sampled_from(
    ["<", ">", "&", '"', "'", "*", "**", "\n", "\n\n", "- ", "# ", "[Decision]", "direction: LONG\n", "<think>", "</think>", "``` "]
)
any_text = st.lists(markup | st.text(max_size=6) | st.sampled_from(HOSTILE), max_size=12).map("".join)
slow_machine = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@pytest.mark.full
@slow_machine
@given(any_text, claims, st.booleans())
@example(HOSTILE[0], [make(0, 8, "false")], False)
@example("**bold** and 28.4 **more", [make(2, 14, "false")], True)
def test_nothing_written_by_a_model_is_markup(text: str, found: list[Claim], growing: bool) -> None:
    page = mark_claims(text, found, SHOW, growing=growing)
    read = Reader(page)
    assert read.tags <= ALLOWED
    assert read.attributes <= ATTRIBUTES
    page.encode()  # what cannot be sent would stop the page
    shown, rest = unstyled(read.text), iter(unstyled(visible(text)))
    assert all(char in rest for char in shown), "shown words stand in the text in this order"


@given(st.integers(1, 60), claims)
def test_marks_never_overlap_and_the_graver_verdict_wins(length: int, found: list[Claim]) -> None:
    marks = place_marks([(claim, 0) for claim in found], [(0, length)], length)
    for left, right in pairwise(marks):
        assert left.end <= right.start
    false = [
        claim
        for claim in found
        if claim.verdict == "false" and claim.start <= claim.value_start < claim.value_end <= min(length, claim.end)
    ]
    for claim in false:
        at = [mark for mark in marks if mark.start < claim.value_end and claim.value_start < mark.end]
        assert any(mark.claim is not None and mark.claim.verdict == "false" for mark in at)


def test_hostile_words_are_read_as_words() -> None:
    text = " ".join(HOSTILE)
    read = Reader(mark_claims(text, [], SHOW))
    assert unstyled(read.text) == unstyled(visible(text))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", read.text)


def test_the_false_number_is_struck_and_the_truth_stands_beside_it() -> None:
    found = [claim for claim in runs.entry_claims() if claim.source == "bull"]
    read = Reader(mark_claims(runs.spoken("bull"), found, Show(step=0.1)))
    assert read.struck == ["28.4", "77,850"]
    assert read.truths == ["48.6", "78,701.5"]
    assert "confidence" not in read.text
    assert unstyled(read.text) == unstyled(runs.TEXTS["bull"])


def test_a_marked_number_is_written_as_the_desk_writes_numbers_and_nothing_else_is() -> None:
    text = "Price 86022.6 after -1234.5 and 2026; on 2026-05-17 it was 1,234.5 at 12345:30."
    spans = [(text.index(word), text.index(word) + len(word)) for word in ("86022.6", "-1234.5")]
    shown = Reader(mark_claims(text, [], SHOW, pending=spans)).text
    assert shown == "Price 86,022.6 after \u22121,234.5 and 2026; on 2026-05-17 it was 1,234.5 at 12345:30."


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("86022.6", "86,022.6"),
        ("-0.5 %", "\u22120.5 %"),
        ("77500 to 78000", "77,500 to 78,000"),
        ("2026-05-17", "2026-05-17"),
        ("08:45", "08:45"),
        ("p-2026", "p-2026"),
    ],
)
def test_only_numbers_are_rewritten(words: str, shown: str) -> None:
    assert numbers.restyled(words) == shown


def test_a_claim_over_bold_words_and_a_line_end_stays_one_claim() -> None:
    text = "RSI **28.4**\nis low"
    read = Reader(page := mark_claims(text, [make(0, 14, "false", (4, 14))], SHOW))
    assert read.struck == ["28.4", "i"]
    assert len(read.truths) == 1
    assert page.count('data-claim="bull-0"') == 2


def test_offsets_are_code_points() -> None:
    text = "📉 RSI 为 28.4，深度超卖"
    start = text.index("28.4")
    assert Reader(mark_claims(text, [make(start, start + 4, "false")], Show("zh"))).struck == ["28.4"]


def test_the_card_says_how_the_truth_was_measured() -> None:
    fact = Fact(key="rsi_14", value=48.6, unit="index", timeframe="15m", bar_time=1779007500000, formula="Wilder", bars=1000)
    claim = make(0, 4, "false").model_copy(update={"deviation": -0.4156, "tolerance": 2.43})
    page = mark_claims("28.4", [claim], Show(facts={"rsi_14": fact}))
    said = "Read as: RSI(14) is <del>28.4</del>; measured: 48.6 at 2026-05-17 08:45 UTC; off by 20.2 (−41.6\u2009%), allowed 2.4"
    for words in ("RSI(14) · 15m", said, "Wilder, 1,000 bars", 'data-time="1779007500000"'):
        assert words in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Up.\n\ndirection: LONG\nconfidence: 70\nsupport: 1\nresistance:\n", "Up."),
        ("Up.\n\n[Vote]\n**direction**： LONG\n- confidence: 70 %\n", "Up."),
        ("涨。\n\n【投票】\ndirection：LONG\nconfidence：７０", "涨。"),
        ("<think>maybe\nnot</think>Up.", "Up."),
        ("Support: it held.\nThen it rose.", "Support: it held.Then it rose."),
    ],
)
def test_the_vote_is_no_prose(text: str, shown: str) -> None:
    assert unstyled(Reader(mark_claims(text, [], SHOW)).text) == unstyled(shown)


def test_a_half_written_vote_never_flickers() -> None:
    whole = runs.spoken("indicator")
    end = vote_start(whole)
    for length in range(end, len(whole)):
        read = Reader(mark_claims(whole[:length], [], SHOW, growing=True))
        assert unstyled(read.text) == unstyled(runs.TEXTS["indicator"]), whole[end:length]


def test_the_executors_sections_are_found_in_both_languages() -> None:
    found = sections(runs.spoken("executor"))
    assert set(found) == {"decision", "risk_management", "reasoning", "key_factors", "risk"}
    text = runs.spoken("executor")
    assert text[slice(*found["risk"])].startswith("Thin weekend")
    assert [block.kind for block in prose(text, *found["key_factors"])] == ["li", "li", "li"]
    chinese = "[决策]\naction: WAIT\n\n[决策理由]\n等待。\n\n[关键因素]\n- 一\n\n[风险评估]\n低。"
    spans = sections(chinese)
    assert chinese[slice(*spans["reasoning"])].strip() == "等待。"
    assert chinese[slice(*spans["risk"])] == "低。"


def price_claim(words: str, claimed: float | tuple[float, float], actual: float, **more: object) -> Claim:
    span = {"start": 0, "end": len(words), "value_start": 0, "value_end": len(words)}
    known = {"source": "bull", "text": words, "key": "ema_20", "kind": "quantitative", "relation": "=", "unit": "price", "verdict": "true"}
    return Claim.model_validate({**known, **span, "claimed": claimed, "actual": actual, "tolerance": 0.01 * actual, **more})


@pytest.mark.parametrize(
    ("words", "shown", "claim"),
    [
        ("64230.123456", "64,230.1", {"claimed": 64230.123456, "actual": 64231.0}),
        ("77500.123 to 78000.456", "77,500.1 to 78,000.5", {"claimed": (77500.123, 78000.456), "actual": 77800.0, "relation": "between"}),
        ("64230.16", "64,230.16", {"claimed": 64230.16, "actual": 64230.18, "relation": "<", "tolerance": None}),
        ("64230.123456", "64,230.123456", {"claimed": 64230.123456, "actual": 61000.0, "verdict": "false"}),
        ("48.654321", "48.654321", {"claimed": 48.654321, "actual": 48.6, "key": "rsi_14", "unit": "index"}),
    ],
)
def test_a_verified_price_is_shown_to_the_step_of_its_market_and_nothing_else_loses_a_digit(
    words: str, shown: str, claim: dict[str, object]
) -> None:
    found = price_claim(words, **claim)  # type: ignore[arg-type]
    page = mark_claims(words, [found], Show(step=0.1))
    assert Reader(page).text == shown
    assert f'aria-label="{shown}' in page
    assert Reader(mark_claims(words, [found], SHOW)).text == numbers.restyled(words), "where the step is not known nothing is cut"
    stated = page.partition('tb-tip"')[2]
    assert shown == numbers.restyled(words) or f"<span>{numbers.restyled(words)}</span>" in stated, "the card says every digit"


@example(15681.96875, 10, 0.0001)
@example(668753.42805, 11, 0.0001)
@given(st.floats(1e-6, 1e6), st.integers(0, 12), st.sampled_from([0.1, 0.5, 0.01, 1.0, 0.0001, 5.0]))
def test_a_shown_price_is_never_further_from_the_stated_one_than_rounding_to_the_step(value: float, digits: int, step: float) -> None:
    words = f"{value:.{digits}f}"
    shown = to_step(words, price_claim(words, float(words), value), Show(step=step))
    moved, as_read = abs(Decimal(shown) - Decimal(words)), Decimal(math.ulp(float(words)))  # a claim's value is a float
    assert moved <= Decimal(str(step)) / 2 + as_read
    assert float(shown) > 0 or float(words) == 0


def test_a_strike_says_whether_a_second_reader_has_confirmed_it() -> None:
    text, struck = "RSI is 28.4.", make(0, 11, "false", (7, 11))

    def drawn(language: str, **read: str) -> str:
        return str(mark_claims(text, [struck.model_copy(update=read)], Show(language=language)))  # type: ignore[arg-type]

    why = Reason("not_confirmed_by_second_reader", reasons=Reason("its_answer_cannot_be_read"))
    plain, confirmed, open_ = drawn("en"), drawn("en", confirmed="yes"), drawn("en", confirmed="unconfirmed", reason=why)
    assert "second reader" not in plain
    assert "Confirmed by a second reader" in confirmed
    assert 'class="tb-claim no"' in confirmed
    assert 'class="tb-claim no uc"' in open_
    assert open_.lower().count("not confirmed by a second reader") == 2, "on its card and for a screen reader"
    assert "未经第二位读者确认：其回答无法读取" in drawn("zh", confirmed="unconfirmed", reason=why)
    dotted = drawn("zh", verdict="unverifiable", confirmed="no", reason=Reason("second_reader_says"))
    assert 'class="tb-claim un"' in dotted
    assert "第二位读者认为此处并未如此陈述" in dotted
    assert "<del>" not in dotted
