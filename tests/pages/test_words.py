"""Every word exists in both languages, is used, and every word that is used exists."""

import ast
import re
import string
from pathlib import Path
from typing import get_args

import pytest

from engine.domain.alert import TOPICS
from engine.domain.chaos import CHAOS_KINDS
from engine.domain.checked_text import WhyUnread
from engine.domain.decision import Signal
from engine.domain.events import KINDS, EventData
from engine.domain.honesty import HonestyGroup
from engine.domain.lesson import LessonKind
from engine.domain.market.instrument import FeedName
from engine.domain.opinion import DebateWinner, Direction, PositionVerdict
from engine.domain.outcome import AnswerGroup, ExitReason
from engine.domain.position_record import EndedBy
from engine.domain.replay import World
from engine.domain.research.dossier import StatementStatus
from engine.domain.risk import RiskConfig
from engine.domain.shown_state import ShownState
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.reason import catalogue
from engine.replay.baselines import REGIMES
from pages.desks import flow_pages
from pages.frame.page_frame import KEYS
from pages.journal.table import SORTS
from pages.replay.panels import SIGNS, TRADE_COLUMNS
from pages.run.state_signs import StepState
from pages.words.fact_names import FACTS, PATTERNS, PERIODS, STATES, fact_name, fact_timeframe, pattern_name, state_name
from pages.words.form_texts import FORM_WORDS, form_word
from pages.words.texts import WORDS, event_word, role_name, words_in

PAGES = Path(__file__).parents[2] / "pages"
SOURCES = sorted(PAGES.rglob("*.py"))
COLUMNS = ("point_in_time", "data_split", "held_out", "cost_and_turnover", "execution", "universe", "artefacts")
HAN = re.compile("[\u4e00-\u9fff]")
SAME_IN_BOTH = {"RSI(14)", "RSI(7)", "ADX(14)", "+DI", "−DI", "MACD", "VWAP", "ATR(14)", "CCI(20)", "MFI(14)", "OBV"}


def literals() -> set[str]:
    """Every string constant of the pages, but for the names of the files of words."""
    sources = [path for path in SOURCES if path.parent.name != "words"]
    nodes = (node for path in sources for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_desk_has_one_name(language: Language) -> None:
    """In the navigation, in the form that chooses it, in the link that leads to it."""
    say = words_in(language)
    for desk, page in (("desk", "home"), ("equities", "equities")):
        assert form_word(f"rs_to_{desk}", language) == say(f"nav_{page}")
        assert say(f"nav_{page}").lower() in say(f"rs_attach_{desk}")


def test_every_key_the_pages_ask_for_exists() -> None:
    assert asked_for() - WORDS.keys() == set()


def test_no_word_is_left_that_nobody_says() -> None:
    by_value = {f"stage_{name}" for name in ("analysis", "debate", "grounding", "executor")} | set(RiskConfig.model_fields)
    by_value |= {f"{name}_market" for name in ("simulated", "recorded", "live")} | {
        f"aria_{name}" for name in ("true", "false", "moved", "unverifiable")
    }
    by_value |= {*map(str, Signal), *map(str, Direction), *map(str, DebateWinner), *map(str, PositionVerdict)}
    by_value |= {"true", "false", "unverifiable", "aggregator", "abstained", "failed", "stopped", "done", "retrying", "perp", "spot"}
    by_value |= {f"flow_{name}" for name in ("decision", "fusion", "plan", "research")}
    by_value |= {"not_valid_key", "not_valid_format"}  # by what was wrong with the model
    by_value |= {f"unread_{why}" for why in get_args(WhyUnread) if why}
    by_value |= {f"cn_{name}" for name in ("tokens", "money", "time", "simulated", "recorded")}
    by_value |= {f"cn_alerts_when_{topic}" for topic in TOPICS}
    by_value |= {f"demo_{guide.key}_help" for page in flow_pages().values() if (guide := getattr(page, "guide", None)) is not None}
    by_value |= {f"demo_ended_{how}" for how in ("stop", "target")}
    by_value |= {f"key_{key}" for key in KEYS if key != "?"}
    by_value |= {f"rs_{status}" for status in get_args(StatementStatus)}
    by_value |= {"min_cash_left", "drawdown_share_pct"}  # limits of shares, by their key
    by_value |= {
        f"nav_{name}"
        for name in ("home", "equities", "research", "approvals", "positions", "journal", "replay", "runs", "connect", "settings")
    }
    by_value |= {f"journal_{word}{more}" for word in ("few", "proven", "unproven", "loses") for more in ("", "_means")}
    by_value |= {f"replay_{word}_means" for word in ("few", "proven", "unproven", "loses")} | {f"replay_did_{action}" for action in SIGNS}
    by_value |= {f"replay_{name}" for name in ("sharpe", "sortino", "right", "trades", "exposure", "turnover", "long", "short")}
    by_value |= {f"replay_answer_{name}" for name in ("filled", "none")} | {f"regime_{name}" for name in REGIMES}
    by_value |= {f"world_{name}" for name in get_args(World)} | {f"feed_{name}" for name in get_args(FeedName)}
    by_value |= {f"column_{name}" for name in COLUMNS} | {f"trade_{name}" for name in TRADE_COLUMNS}
    by_value |= {f"mind_{name}" for name in ("atr", "sd", "fact", "before", "now", "by")}
    by_value |= {f"mind_{name}{more}" for name in ("moved", "fallen") for more in ("", "_one")}
    by_value |= {f"prompts_{name}" for name in ("week", "desk", "version", "n", "actions", "false", "sure")}
    by_value |= {f"exit_{reason}" for reason in get_args(ExitReason)} | {f"sort_{name}" for name in SORTS}
    by_value |= {f"person_{answer}" for answer in get_args(AnswerGroup) if answer != "filled"}
    by_value |= {f"calibration_{word}" for word in ("over", "under", "fits")}
    by_value |= {f"honesty_{group}" for group in get_args(HonestyGroup)} | {f"lesson_{kind}" for kind in get_args(LessonKind)}
    by_value |= {f"eq_{word}" for word in ("BUY", "SELL", "HOLD", "BULLISH", "BEARISH", "NEUTRAL", "pre_open", "post_close")}
    by_value |= {f"state_{state}" for state in get_args(ShownState)} | {"reason_other"}
    by_value |= {f"ended_{how}" for how in get_args(EndedBy)} | set(get_args(StepState))
    by_value |= {f"halt_{what}" for what in ("called_off", "cancelled", "under_way")} | {"side_buy", "side_sell"}
    by_value |= {f"why_{key.removeprefix('lock_')}" for key in catalogue() if key.startswith("lock_")} | {
        "set_manual",
        "set_automatic",
        "above",
        "below",
    }
    by_value |= {
        key
        for key in WORDS
        if key.startswith(
            (
                "ev_",
                "tl_",
                "diag_",
                "check_",
                "eq_step_",
                "eq_layer_",
                "eq_see_",
                "eq_sent_",
                "eq_bound_",
                "eq_left_",
                "rs_check_",
                "rs_decided_",
                "rs_tool_",
                "rs_figure_",
                "rs_is_",
                "rs_part_",
                "rs_by_",
                "rs_verdict_",
                "reading_",
                "bench_",
                "bm_",
                "dose_",
            )
        )
    }  # kinds of events, parts of a timeline
    assert WORDS.keys() - literals() - by_value == set()
    assert FORM_WORDS.keys() - literals() - {f"lie_{kind}" for kind in CHAOS_KINDS} == set()


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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_vocabulary_of_the_engine_has_its_words(language: str) -> None:
    say = words_in(language)  # type: ignore[arg-type]
    for word in [*Signal, *Direction, *DebateWinner, *PositionVerdict]:
        assert say(str(word))
    rules = {"max_leverage", "min_confidence", "min_risk_reward_ratio", "max_stop_distance_pct", "max_position_pct", "max_open_positions"}
    assert rules <= RiskConfig.model_fields.keys() & WORDS.keys()


def test_every_kind_of_event_has_its_word() -> None:
    assert {key for key in WORDS if key.startswith("ev_")} == {f"ev_{kind}" for kind in KINDS}
    assert emitted() == set(KINDS), "what the engine writes is what it says it writes"
    assert event_word("market.blinked", words_in("zh")) == "market.blinked"


def emitted() -> set[str]:
    """The kinds that all flows share whose data the engine's code makes, read out of its calls."""
    kinds, made = set(), {of.__name__: kind for kind, of in EventData.of.items() if of.__module__ == EventData.__module__}
    for path in (PAGES.parent / "engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in made:
                kinds.add(made[node.func.id])
    return kinds


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
