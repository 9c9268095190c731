"""The executor's prompt: within its budget, corrected data first, nothing cut inside a sentence, in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.risk import RiskConfig
from engine.domain.text.language import LANGUAGES, Language
from engine.flows.decision.executor.prompt import BUDGET, ExecutorBrief, HeardSpeech, executor_system, executor_user
from engine.flows.decision.paths import ENTRY, PATHS, POSITION, Path
from engine.prompts.tokens import count_tokens

SENTENCES = {"en": "RSI is 48.6 and price stays under the EMA 200 at 78,701.5. ", "zh": "RSI 为48.6，价格仍在 EMA200（78701.5）之下。"}
FACTS = "\n".join(f"fact_{n} = {n}.5" for n in range(24))


def said(by: str, text: str, *, last: bool = True) -> HeardSpeech:
    return HeardSpeech(by, f"{by.capitalize()} speaks. {text}", last)


def brief(language: Language, sentences: int, corrections: int, rounds: int = 1) -> ExecutorBrief:
    text = SENTENCES[language] * sentences
    speeches = [said(f"{side} {n}", text, last=n == rounds) for n in range(1, rounds + 1) for side in ("bull", "bear")]
    return ExecutorBrief(
        market="price = 78034.2\nsupport = 77675.4\nresistance = 78300.0\npath = entry",
        facts=FACTS,
        position="",
        corrections="\n".join(["Corrections:", *(f"- RSI=48.6; Bull said {n}" for n in range(corrections))]),
        summary="Verified: 8/10",
        consensus="indicator: SHORT 60\nconsensus: SHORT 61",
        heads=["bull: confidence 60", "bear: confidence 60", "judge: BEAR SHORT 60"],
        said=[*speeches, said("judge", text)],
    )


def system(path: Path, language: Language, risk: RiskConfig | None = None) -> str:
    return executor_system(path, risk or RiskConfig(), "Horizon: the next 24 candles of 15m (about 6 h).", "", language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 3))
def test_within_budget_and_nothing_vital_lost(language: Language, path: Path, sentences: int, corrections: int, rounds: int) -> None:
    room = BUDGET - count_tokens(system(path, language))
    user = executor_user(brief(language, sentences, corrections, rounds), path, language, room)
    assert count_tokens(user) <= room
    assert "price = 78034.2" in user
    assert "fact_23 = 23.5" in user
    assert "consensus: SHORT 61" in user
    assert "judge: BEAR SHORT 60" in user
    assert all(f"- {action.word}:" in user for action in path.actions)
    assert user.rstrip().endswith(("</format>", "</输出格式>"))
    for line in user.split("</said>")[0].splitlines():
        if SENTENCES[language].split(" ")[0] in line and "said" not in line and "=" not in line:
            assert line.rstrip().endswith((".", "。"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_corrected_data_stands_before_what_was_said_and_votes_behind_it(language: Language) -> None:
    user = executor_user(brief(language, 2, 3), ENTRY, language, BUDGET)
    assert user.index("RSI=48.6; Bull said 0") < user.index('<said by="bull 1">') < user.index("bull: confidence 60")
    assert user.index("[Reasoning]" if language == "en" else "[决策理由]") < user.index("action: ENTRY_LONG|ENTRY_SHORT|WAIT")


@pytest.mark.parametrize("language", LANGUAGES)
def test_rounds_stand_in_order_and_when_room_is_short_the_last_one_is_kept(language: Language) -> None:
    whole = executor_user(brief(language, 1, 0, rounds=2), ENTRY, language, 10 * BUDGET)
    order = [whole.index(f'<said by="{by}">') for by in ("bull 1", "bear 1", "bull 2", "bear 2", "judge")]
    assert order == sorted(order)
    long = brief(language, 12, 0, rounds=2)
    short = executor_user(long, ENTRY, language, count_tokens(executor_user(long, ENTRY, language, 10 * BUDGET)) - 500)
    assert [f'<said by="{by} 1">' in short for by in ("bull", "bear")] == [False, False]
    assert [f'<said by="{by} 2">' in short for by in ("bull", "bear")] == [True, True]


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_in_the_prompt(language: Language) -> None:
    text = system(ENTRY, language, RiskConfig(max_leverage=7, min_confidence=61))
    assert "max_leverage = 7\n" in text
    assert "min_confidence = 61\n" in text
    assert text.startswith("Role: executor\n")
    held = executor_system(POSITION, RiskConfig(), "", "The open position is SHORT.", language)
    assert "The open position is SHORT." in held
