"""The executor's prompt: within its budget, corrected data first, nothing cut inside a sentence, in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.decision import actions_of
from engine.domain.risk import RiskConfig
from engine.domain.text.language import LANGUAGES, Language
from engine.flows.decision.executor.prompt import BUDGET, ExecutorBrief, Statement, executor_system, executor_user
from engine.prompts.tokens import count_tokens

SENTENCES = {"en": "RSI is 48.6 and price stays under the EMA 200 at 78,701.5. ", "zh": "RSI 为48.6，价格仍在 EMA200（78701.5）之下。"}


def brief(language: Language, statement_sentences: int, corrections: int) -> ExecutorBrief:
    text = SENTENCES[language]
    return ExecutorBrief(
        market="price = 78034.2\nsupport = 77675.4\nresistance = 78300.0\npath = entry",
        facts="\n".join(f"fact_{n} = {n}.5" for n in range(24)),
        position="",
        corrected="\n".join(["=== Grounding ===", *(f"- Bull said {n}: RSI=28 -> 48.6" for n in range(corrections))]),
        summary="Verified: 8/10",
        consensus="indicator: SHORT 60\nconsensus: SHORT 61",
        statements=[Statement(side, f"{side}: confidence 60", text * statement_sentences) for side in ("bull", "bear", "judge")],
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["entry", "position"])
@given(st.integers(0, 200), st.integers(0, 200))
def test_within_budget_and_nothing_vital_lost(language: Language, path: str, sentences: int, corrections: int) -> None:
    actions = actions_of(path)  # type: ignore[arg-type]
    system = executor_system(actions, RiskConfig(), language)
    user = executor_user(brief(language, sentences, corrections), actions, language, BUDGET - count_tokens(system))
    assert count_tokens(system) + count_tokens(user) <= BUDGET
    assert "price = 78034.2" in user
    assert "fact_23 = 23.5" in user
    assert "consensus: SHORT 61" in user
    assert "judge: confidence 60" in user
    assert all(f"- {action.word}:" in user for action in actions)
    for line in user.split("</said>")[0].splitlines():
        if SENTENCES[language].split(" ")[0] in line and "said" not in line and "=" not in line:
            assert line.rstrip().endswith((".", "。"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_corrected_data_stands_before_what_was_said(language: Language) -> None:
    user = executor_user(brief(language, 2, 3), actions_of("entry"), language, BUDGET)
    assert user.index("RSI=28 -> 48.6") < user.index('<said by="bull">')


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_in_the_prompt(language: Language) -> None:
    system = executor_system(actions_of("entry"), RiskConfig(max_leverage=7, min_confidence=61), language)
    assert "max_leverage = 7\n" in system
    assert "min_confidence = 61\n" in system
    assert "ENTRY_LONG|ENTRY_SHORT|WAIT" in system
