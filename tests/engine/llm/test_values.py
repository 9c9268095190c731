"""One value, however it is dressed; never one that was not stated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.llm.values import Unreadable, confidence, is_nothing, is_placeholder, number, word

DIRECTIONS = ("LONG", "SHORT", "NEUTRAL")
ACTIONS = ("ENTRY_LONG", "ENTRY_SHORT", "WAIT", "HOLD", "EXIT", "SCALE_IN", "PARTIAL_EXIT")
WIDE = {ord(a): b for a, b in zip("0123456789.,-+%:$", "０１２３４５６７８９．，－＋％：＄", strict=True)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64,250.5", 64250.5),
        ("64\u202f250.25", 64250.25),
        ("６４，２５０．５", 64250.5),
        ("$64,250 USDT", 64250),
        ("约64250", 64250),
        ("\u221215.2", -15.2),
        ("+25%", 25),
        ("**80**", 80),
        ("80。", 80),
        ("80 (was 90)", 80),
        ("80 since it holds", 80),
        ("5x", 5),
        ("97.4k", 97400),
        ("6.4万", 64000),
        ("1.2e-05", 1.2e-05),
    ],
)
def test_a_number_is_read_as_written(text: str, value: float) -> None:
    assert number(text) == value


NOT_ONE_NUMBER = (
    "NaN|inf|-Infinity|1,0e5|1e999|64.250,5|12,34|1,00,000|64,250,63,800|60-70|60–70|60~70|60 to 70|60 or more|60至70|60 / 70|64、250"
    "|80。70|>80|<55|≥80|+20..+50|2.5:1|64 thousand|3 million|5百|1万5|eighty|八十|LONG||-|N/A|0x50|1_000|80 then 90|8O|80abc|--5|5-"
)


@pytest.mark.parametrize("text", NOT_ONE_NUMBER.split("|"))
def test_what_is_not_one_number_is_refused_by_name(text: str) -> None:
    with pytest.raises(Unreadable, match="leverage") as refused:
        number(text, "leverage")
    assert len(str(refused.value)) <= 300


@given(
    st.decimals(min_value="-1000000", max_value="1000000", places=3, allow_nan=False),
    st.sampled_from(["{}", "{:,}", " {} ", "**{}**", "`{}`", "{} %", '"{}"', "{} (about)", "{}，", "{:,} USDT", "{},"]),
    st.booleans(),
)
def test_a_dressed_number_is_the_number(value: object, dress: str, wide: bool) -> None:
    text = dress.format(value)
    assert number(text.translate(WIDE) if wide else text) == float(str(value))


@given(st.integers(2, 10**6), st.integers(2, 10**6), st.sampled_from(["-", " - ", "~", "..", " to ", "/", ";", " and ", " 至 ", "、", "–"]))
def test_two_numbers_are_never_one(a: int, b: int, between: str) -> None:
    with pytest.raises(Unreadable):
        number(f"{a}{between}{b}")


@pytest.mark.parametrize(
    ("text", "allowed", "meant"),
    [
        ("long", DIRECTIONS, "LONG"),
        ("🟢 LONG", DIRECTIONS, "LONG"),
        ("LONG, as the trend holds", DIRECTIONS, "LONG"),
        ("ＬＯＮＧ", DIRECTIONS, "LONG"),
        ("做多", DIRECTIONS, "LONG"),
        ("看空。", DIRECTIONS, "SHORT"),
        ("看空", ("BULL", "BEAR", "NEUTRAL"), "BEAR"),
        ("观望", ACTIONS, "WAIT"),
        ("PARTIAL\\_EXIT", ACTIONS, "PARTIAL_EXIT"),
        ("平仓", ACTIONS, "EXIT"),
    ],
)
def test_a_word_is_found_under_its_dress(text: str, allowed: tuple[str, ...], meant: str) -> None:
    assert word(text, allowed) == meant


@pytest.mark.parametrize(
    "text", ["", "not LONG", "LONG or SHORT", "LONG, or SHORT", "LONG|SHORT", "bullishly", "LONGER", "long bias", "持有", "LONG（做空）"]
)
def test_a_word_beside_the_list_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="direction"):
        word(text, DIRECTIONS, "direction")


@pytest.mark.parametrize(
    ("text", "allowed", "meant"),
    [
        ("BULLISH", DIRECTIONS, "LONG"),
        ("bearish", DIRECTIONS, "SHORT"),
        ("NEUTRAL (bull and bear are even)", DIRECTIONS, "NEUTRAL"),
    ],
)
def test_a_word_that_means_the_same_is_taken(text: str, allowed: tuple[str, ...], meant: str) -> None:
    assert word(text, allowed) == meant


@pytest.mark.parametrize("text", ["0.66", "0.66 (firm)", ".5", "0.9%", "1.0"])
def test_a_confidence_as_a_share_is_asked_for_in_percent(text: str) -> None:
    with pytest.raises(Unreadable, match="percent"):
        confidence(text)


def test_templates_are_no_values() -> None:
    for text in (
        "<0-100>",
        "<价格>",
        "`<price>`",
        "0-100",
        "(0-100)",
        "LONG|SHORT|NEUTRAL",
        "scale_in/partial_exit",
        "做多|做空",
        "...",
        "{x}",
        "[price]",
        "",
    ):
        assert is_placeholder(text), text
    for text in ("80", "N/A", "<55", "LONG", "无", "64,000/63,000", "[80]", "-", "60-70", "0.5"):
        assert not is_placeholder(text), text
    assert is_nothing("n/a (entry)")
    assert not is_nothing("nonentity")
