"""An answer, sentence by sentence, against the documents it cites."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.desks.research.answer.confidence import measure_confidence
from engine.domain.research.document import Document
from engine.grounding.cited.numbers import NumberIndex, numbers_of
from engine.grounding.cited.sentences import cited, split_sentences
from engine.grounding.cited.statements import check_answer
from tests.flows.research.played import AT

DOCUMENTS = [
    Document(
        source="openalex",
        title="Funding",
        abstract="The funding rate was 0.0125 % per eight hours. Open interest rose to $1,204,000,000.",
        published_date="2026-05-10",
    ),
    Document(
        source="wikipedia",
        title="Interest",
        abstract="Open interest rose by 12.5 percent. 持仓增加了3成。",
        text="It fell 3.2%.",
    ),
]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("The rate was 0.0125% [1].", "supported"),
        ("The rate was 1.25 bp [1].", "supported"),
        ("The rate was 0.0125% [2].", "unsupported"),
        ("The rate was 0.0135% [1].", "unsupported"),
        ("Open interest is $1.2 billion [1].", "supported"),
        ("Open interest is $1.3 billion [1].", "unsupported"),
        ("It rose by 12.5% to $1.2 billion [1][2].", "supported"),
        ("It rose by 12.5% to $1.2 billion [1].", "unsupported"),
        ("It dropped by 3.2% [2].", "supported"),
        ("持仓增长30%［2］。", "supported"),
        ("0.0125% was paid.", "supported"),
        ("0.0777% was paid.", "unsupported"),
        ("Longs pay shorts [1].", "no_number"),
        ("Longs pay shorts [3].", "unsupported"),
    ],
)
def test_a_sentence_is_supported_by_what_it_cites(sentence: str, status: str) -> None:
    (statement,) = check_answer(sentence, DOCUMENTS)
    assert statement.status == status


def test_citations_behind_a_full_stop_belong_to_the_sentence_before_it() -> None:
    text = "Tesla Inc. sold 5 cars in the U.S. market. [1] Then 6! [2, 3]\n1. A list [4].\n2. goes on"
    assert [(each.text[:5], each.citations) for each in split_sentences(text)] == [
        ("Tesla", (1,)),
        ("Then ", (2, 3)),
        ("1. A ", (4,)),
        ("2. go", ()),
    ]
    assert cited("[1-3] ［5］【2，7】[99]") == (1, 2, 3, 5, 7, 99)
    assert numbers_of("Q3 and S&P [500] of BTC2\n2) x\n3. y") == [], "names, citations and numbering are no figures"


@given(st.floats(min_value=0.01, max_value=1e9), st.integers(0, 4), st.sampled_from(["", " %", " USD", "x"]))
def test_a_document_holds_what_it_says_and_what_rounds_to_it_and_nothing_far_from_it(value: float, decimals: int, unit: str) -> None:
    written = f"{value:.4f}{unit}"
    held = NumberIndex(f"It was {written} then.")
    (stated,) = numbers_of(f"{value:.{decimals}f}{unit}")
    assert held.holds(stated.number)
    (far,) = numbers_of(f"{value * 1.5 + 10.0 ** (1 - decimals):.{decimals}f}{unit}")
    assert not held.holds(far.number)


def test_confidence_is_what_its_formula_says() -> None:
    statements = check_answer("It was 0.0125 % [1]. It was 9 % [1].", DOCUMENTS)
    parts = measure_confidence(statements, DOCUMENTS, AT.date())
    fresh = 0.5 ** (6 / 365)
    assert (parts.supported, parts.agreement, parts.freshness) == (0.5, 0.5, round(fresh, 4))
    assert math.isclose(parts.confidence, 0.5 * (0.6 + 0.25 * 0.5 + 0.15 * fresh), abs_tol=1e-4)
    half = measure_confidence(statements, DOCUMENTS, AT.date(), answered=0.5)
    assert math.isclose(half.confidence, parts.confidence * 0.85, abs_tol=1e-4), "half of the sources did not answer"
    assert measure_confidence([], DOCUMENTS, AT.date()).confidence == 0
    twice = [DOCUMENTS[0], DOCUMENTS[0].model_copy(update={"source": "tavily"})]
    assert measure_confidence(check_answer("It was 0.0125 % [1].", twice), twice, AT.date()).agreement == 1
    again = [DOCUMENTS[0], DOCUMENTS[0].model_copy(update={"source": "journal"})]
    assert measure_confidence(check_answer("It was 0.0125 % [1].", again), again, AT.date()).agreement == 0.5


LONG = [
    Document.model_validate(
        {"title": "Funding of perpetual swaps", "source": "wikipedia", "abstract": text, "url": f"https://example.org/{place}"}
    )
    for place, text in enumerate(
        (
            "Perpetual contracts have no expiry. A periodic payment between holders of long and short positions keeps their price close to "
            "the spot market; when the contract trades above spot, longs pay shorts, and crowded positions become expensive to hold.",
            "永续合约没有到期日。多头与空头之间定期交换资金费用，使合约价格贴近现货；合约高于现货时由多头支付，持仓过于拥挤时成本上升。",
        )
    )
]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Pandas eat bamboo in the forests of Sichuan [1].", "unsupported"),
        ("大熊猫以竹子为主食，生活在山林之中【2】。", "unsupported"),
        ("Holders of crowded longs keep paying while the contract stays above spot [1].", "no_number"),
        ("拥挤的多头需要持续支付资金费用【2】。", "no_number"),
    ],
)
def test_a_sentence_without_numbers_is_held_to_the_subject_of_what_it_cites(sentence: str, status: str) -> None:
    (statement,) = check_answer(sentence, LONG)
    assert statement.status == status
