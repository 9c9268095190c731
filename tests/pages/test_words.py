"""Every word exists in both languages, and every word that is used exists."""

import ast
import re
import string
from pathlib import Path

import pytest

from engine.domain.events import KINDS
from pages.words.fact_names import FACTS, PATTERNS, PERIODS, STATES, fact_name, fact_timeframe, pattern_name, state_name
from pages.words.texts import FORM_WORDS, WORDS, event_word, role_name, words_in

PAGES = Path(__file__).parents[2] / "pages"
SOURCES = sorted(PAGES.rglob("*.py"))
HAN = re.compile("[\u4e00-\u9fff]")
SAME_IN_BOTH = {"RSI(14)", "RSI(7)", "ADX(14)", "+DI", "−DI", "MACD", "VWAP", "ATR(14)", "CCI(20)", "MFI(14)", "OBV"}


def asked_for() -> set[str]:
    """The keys that `say("...")` is called with literally."""
    keys = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "say" and node.args:
                first = node.args[0]
                options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                keys |= {option.value for option in options if isinstance(option, ast.Constant) and isinstance(option.value, str)}
    return keys


def test_every_key_the_pages_ask_for_exists() -> None:
    assert asked_for() - WORDS.keys() == set()


@pytest.mark.parametrize(
    "table", [WORDS, FORM_WORDS, FACTS, PERIODS, STATES, PATTERNS], ids=["words", "form", "facts", "periods", "states", "patterns"]
)
def test_both_languages_say_the_same(table: dict[str, tuple[str, str]]) -> None:
    def holes(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}

    for key, (english, chinese) in table.items():
        assert english.strip(), key
        assert holes(english) == holes(chinese), key
        assert not HAN.search(english), key
        averages = english.startswith(("EMA", "SMA")) or english in SAME_IN_BOTH
        plain = re.sub(r"\{\w+\}|Token|API Key", "", chinese)  # as Chinese terminals write them
        assert HAN.search(plain) or averages or not re.search("[a-z]", plain), key


def test_every_kind_of_event_has_its_word() -> None:
    assert {key for key in WORDS if key.startswith("ev_")} == {f"ev_{kind}" for kind in KINDS}
    assert event_word("market.blinked", words_in("zh")) == "market.blinked"


def test_patterns_of_talib_are_named() -> None:
    talib = pytest.importorskip("talib", reason="TA-Lib is not installed")
    names = {name.removeprefix("CDL").lower() for name in talib.get_function_groups()["Pattern Recognition"]}
    assert names == PATTERNS.keys()
    assert pattern_name("CDLSHOOTINGSTAR", "en") == "Shooting star"
    assert pattern_name("engulfing", "zh") == "吞没"


def test_what_is_not_known_is_called_by_its_key() -> None:
    assert fact_name("1h.new_gauge", "zh") == "new gauge"
    assert (fact_name("1h.rsi_14", "en"), fact_timeframe("1h.rsi_14"), fact_timeframe("rsi_14")) == ("RSI(14)", "1h", None)
    assert state_name("dead_cross", "en") == "below its signal"
    assert role_name("onchain_flow", words_in("en")) == "Onchain flow"
    with pytest.raises(KeyError):
        words_in("en")("no such word")
