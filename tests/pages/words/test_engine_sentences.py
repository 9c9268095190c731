"""What the engine writes down in English is said in Chinese: every sentence of its code, and those within sentences."""

import ast
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.frame.show import Show
from pages.run.messages import endings, failures, remarks
from pages.run.view import Ending, NodeView, Retry, RunView
from pages.trading.answered import reason_text
from pages.words.engine_texts import ENGLISH, SENTENCES, engine_text
from tests.conftest import ROOT
from tests.pages import event_log as log
from tests.pages.words.engine_sentences import ELSEWHERE, engine_sentences, engine_trees, error_classes, sentences_in_both, sentences_of

CHINESE = Show("zh")
HOLES = re.compile(r"\{(\d)\}")


def test_every_sentence_that_can_come_before_a_person_has_its_chinese() -> None:
    found = engine_sentences()
    assert len(found) > 450
    assert {sentence: where for sentence, where in found.items() if not {sentence, f"{{}} {sentence}"} & SENTENCES.keys()} == {}


def test_what_is_written_in_a_runs_language_is_said_in_the_other_one_as_the_engine_says_it_itself() -> None:
    found = sentences_in_both()
    assert len(found) > 40
    assert {sentence: chinese for sentence, chinese in found.items() if SENTENCES.get(sentence) != chinese} == {}
    assert engine_text("nothing was ordered: the stop 78,100 has been crossed already: the price is 78,200", "zh") == (
        "没有下单：已穿过止损 78,100：现价 78,200"
    )


def test_every_sentence_that_a_page_knows_is_one_that_the_engine_writes() -> None:
    """A piece of it without a value stands in the engine's code: a sentence that went away there goes away here."""
    constants = (node.value for tree in engine_trees().values() for node in ast.walk(tree) if isinstance(node, ast.Constant))
    written = "\0".join(value for value in constants if isinstance(value, str))
    known = SENTENCES.keys() - sentences_in_both().keys()
    assert [sentence for sentence in sorted(known) if not any(piece in written for piece in pieces_of(sentence))] == []
    assert ENGLISH.keys() <= SENTENCES.keys()


def pieces_of(sentence: str) -> list[str]:
    """Its longest piece without a value, and every other one that is long enough to be its own."""
    pieces = [piece.strip(" ():,;.") for piece in sentence.split("{}")]
    return [piece for piece in pieces if len(piece) >= 12] or [max(pieces, key=len)]


def test_rooms_that_are_left_out_are_there() -> None:
    assert [each for each in ELSEWHERE if not (ROOT / "engine" / each).exists()] == []


def test_every_value_of_a_sentence_is_in_its_chinese_at_most_once() -> None:
    for sentence, chinese in SENTENCES.items():
        holes = [int(number) for number in HOLES.findall(chinese)]
        assert len(holes) == len(set(holes)), sentence
        assert max(holes, default=-1) < sentence.count("{}"), sentence
        assert re.search("[\u4e00-\u9fff]", chinese) or not re.search("[A-Za-z]", HOLES.sub("", chinese)), sentence


def test_a_new_sentence_is_seen_wherever_it_is_written() -> None:
    code = """
class Mine(BadInput): ...
def why(x):
    return f"the {x} is gone" if x else "it was never there"
def act(x):
    trouble = "no one knows"
    if x:
        raise Mine(f"cannot be done: {why(x)}; {x} " + "and that is all")
    emit(reason=trouble)
    errors.append("a third fault")
    return {"why": f"{x} was lost here"}
print("never said")
"""
    tree = ast.parse(code)
    base = ast.parse("class TribunalError(Exception): ...\nclass BadInput(TribunalError): ...")
    found = {sentence for _, sentence in sentences_of(tree, error_classes([tree, base]))}
    assert found == {
        "cannot be done: {}; {}",
        "and that is all",
        "the {} is gone",
        "it was never there",
        "no one knows",
        "a third fault",
        "{} was lost here",
    }


@pytest.mark.parametrize(
    ("written", "chinese"),
    [
        ("nothing was ordered: trading was halted", "没有下单：交易已暂停"),
        (
            "the broker refused order c-1 of proposal p-7: the price 78,000 is beyond its stop 78,100 already",
            "经纪商拒绝了提案 p-7 的委托 c-1：价格 78,000 已越过其止损 78,100",
        ),
        (
            "gpt-x: no complete answer within 90 s (TRIBUNAL_CALL_DEADLINE_S), in attempt 3; before that: too many requests (429)",
            "gpt-x：90 秒内没有完整的回答（TRIBUNAL_CALL_DEADLINE_S），尝试次数 3；此前：请求过多（429）",
        ),
        ("执行官没有可用的回答：the answer is empty", "执行官没有可用的回答：回答为空"),
        ("run r-1 was stopped", "运行 r-1 已停止"),
        ("binanceusdm did not give its candles within 5 s.", "binanceusdm 未在 5 秒内给出 its candles。"),
        ("{reference} is not Python's format {0}", "{reference} is not Python's format {0}"),
    ],
)
def test_sentences_within_sentences_are_said_too(written: str, chinese: str) -> None:
    assert engine_text(written, "zh") == chinese
    assert engine_text(written, "en") == written


@settings(deadline=None)
@given(st.text(st.sampled_from("a {}:;：；.0is not, at fee"), max_size=400))
def test_whatever_was_quoted_the_words_come_back(text: str) -> None:
    assert engine_text(text, "en") is not None
    assert len(engine_text(text, "zh")) <= 4 * len(text) + 40


def test_a_run_that_failed_says_why_in_chinese_and_a_persons_own_words_stay() -> None:
    node = NodeView(name="bull", state="failed", reason="the answer cannot be read: the answer is empty")
    retried = NodeView(name="bear", state="done", retries=(Retry(log.START, 2, "the endpoint failed (502)", 1.0, False),))
    ending = Ending(
        log.START,
        "finished",
        "signal_wait",
        is_valid=False,
        errors=("run r-1 has no snapshot",),
        warnings=("nothing was published",),
        metrics={},
    )
    view = RunView(nodes={"bull": node, "bear": retried}, ending=ending)
    shown = "".join((*failures(view, CHINESE), *endings(view, CHINESE), *remarks(view, CHINESE)))
    for words in ("无法读取回答：回答为空", "端点出错（502）", "运行 r-1 没有快照", "没有发布"):
        assert words in shown
    assert "answer" not in shown
    assert "the answer is empty" in "".join(failures(view, Show()))
    assert reason_text("nothing was published", CHINESE, by_person=True) == "nothing was published"
