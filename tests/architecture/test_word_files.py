"""The files of words: every entry in both languages, texts alone, and no file that nobody reads."""

import ast
import re
import string
from pathlib import Path

import pytest

from engine.domain.text.reason import ROOMS
from engine.domain.text.word_files import Pair, read_chinese, read_pairs

ROOT = Path(__file__).resolve().parents[2]
ANALYSTS = {ROOT / "engine/desks/decision/analysts", ROOT / "engine/desks/equities/presets"}
"""A file or a table there is an analyst, in both languages (`engine/README.md`)."""
HEARD = ROOT / "engine" / "grounding"
"""Words that are looked for in texts of either language, not said: `tests/engine/grounding/test_words.py`."""
FILES = sorted(
    path
    for room in ("engine", "pages")
    for path in (ROOT / room).rglob("*.toml")
    if path.parent not in ANALYSTS and not path.is_relative_to(HEARD)
)
TRANSLATIONS = {ROOT / "pages/words/formulas.toml", ROOT / "engine/shell/terms.toml", ROOT / "engine/shell/argparse.toml"}
"""What is English by itself: formulas and words of the engine, sentences of argparse."""
READERS = {"read_pairs", "read_paragraphs", "read_texts", "read_chinese", "read_words", "ShellWords"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> dict[str, Pair]:
    found = read_chinese(path.parent, path.stem)
    return {key: (key, text) for key, text in found.items()} if path in TRANSLATIONS else read_pairs(path.parent, path.stem)


def filled_in(text: str) -> set[str]:
    """The names of what a text is filled in with. One with a JSON object in it is for the renderer of prompts, which reads names alone."""
    if '{"' in text:
        return set(re.findall(r"\{([a-z_]+)\}", text))
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_there_are_files() -> None:
    assert len(FILES) > 30


@pytest.mark.parametrize("path", [path for path in FILES if path not in TRANSLATIONS], ids=relative)
def test_both_languages_fill_in_the_same(path: Path) -> None:
    assert [key for key, (english, chinese) in read(path).items() if filled_in(english) != filled_in(chinese)] == []


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_file_says_what_it_is_and_holds_texts_alone(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert {key: pair for key, pair in read(path).items() if not key.strip() or not all(text.strip() for text in pair)} == {}


def test_every_file_is_read() -> None:
    """By its name in a call of a reader, in a module beside it or beside its folder. Those of a desk's pages are found by their name."""
    named = {(path.parent, "words") for path in FILES if path.is_relative_to(ROOT / "pages" / "desks")}
    for folder in {path.parent for path in FILES}:
        for module in (*folder.glob("*.py"), *folder.parent.glob("*.py")):
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READERS:
                    named |= {(folder, each.value) for each in node.args if isinstance(each, ast.Constant)}
    named |= {(ROOT / "engine" / "domain" / "text" / "reasons", room) for room in ROOMS}
    assert [relative(path) for path in FILES if (path.parent, path.stem) not in named] == []


REFUSED = {
    "私钥": "API Secret（密钥）",
    "决策台": "交易台",
    "执行官": "交易执行",
    "风险回报比": "盈亏比",
    "信心": "置信度",
    "可信度": "置信度",
    "名义金额": "名义价值",
    "未平仓量": "持仓量",
    "浮动盈亏": "未实现盈亏",
    "量比": "成交量/20均量（倍）",
    "经纪商": "交易通道",
    "沙盒": "测试网",
    "测试环境": "测试网",
    "紧急停止": "停止交易开关",
    "暂停开关": "停止交易开关",
    "词元": "Token",
    "熔断": "调用上限",
    "闸门": "触发拦截",
    "幻觉分": "幻觉率",
    "谎言": "错误",
    "声称": "陈述",
    "因子": "因素",
    "高周期": "大周期",
    "资料卷": "研究档案",
    "文献": "资料",
    "汇合": "汇总",
    "目标价": "止盈价",
    "订单": "委托",
    "评测": "测评",
    "前收盘": "昨收",
    "秃线": "光头线",
    "K 线": "K线",
}
"""A word that Chinese texts do not use -> the one word for the same thing."""
COMPOUNDS = ("复权因子", "前收盘价", "止损与目标价", "{timeframe} K 线", "最近的 K 线", "<风险回报比>", "每张订单", "订单价位")
"""Terms that hold a refused word and mean another thing, and words of prompts, which stay as models were asked."""


def refused_in(text: str) -> dict[str, str]:
    """Return what a text should not say, with what it should say instead."""
    for compound in COMPOUNDS:
        text = text.replace(compound, "")
    return {word: better for word, better in REFUSED.items() if word in text}


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_chinese_has_one_word_for_one_thing(path: Path) -> None:
    assert {key: found for key, (_, chinese) in read(path).items() if (found := refused_in(chinese))} == {}


def test_a_refused_word_is_found_beside_a_term_that_holds_it() -> None:
    assert refused_in("没有复权因子，共 3 个因子") == {"因子": "因素"}
    assert refused_in("没有它的复权因子") == {}


NAMED = {
    "Semantic Scholar",
    "SEC EDGAR",
    "Context Protocol",
    "Msg Clear",
    "API Key",
    "API Secret",
    "pip install",
    "pip install yfinance",
    "JSON schema",
    "claim reader",  # a role, as models are told it in either language
}
CODE = re.compile(r"`[^`]*`|\{[^}]*\}|\S*[_/.*\d-]\S*")
PROSE = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)+")


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_chinese_has_no_two_english_words_in_a_row_but_names(path: Path) -> None:
    found = {key: set(PROSE.findall(CODE.sub("，", chinese))) - NAMED for key, (_, chinese) in read(path).items()}
    assert {key: words for key, words in found.items() if words} == {}
