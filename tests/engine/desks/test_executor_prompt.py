"""The executor's prompt: within its budget, corrected data first, nothing cut inside a sentence, in both languages."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.desks.decision.executor.prompt import BUDGET, ExecutorBrief, HeardSpeech, executor_system, executor_user
from engine.desks.decision.paths import ENTRY, PATHS, POSITION, Path
from engine.domain.decision import ENTRY_LONG, SCALE_IN
from engine.domain.holding import Holding
from engine.domain.orders import AccountView
from engine.domain.proposal import Figures
from engine.domain.risk import RiskConfig
from engine.domain.text.language import LANGUAGES, Language
from engine.instruments.limits import Circumstances, check_limits
from engine.prompts.tokens import count_tokens
from tests.engine.journal.test_store import NOW

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


@pytest.mark.full
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
    assert '<said by="judge">' in user, "whatever else is said, the ruling is heard"
    assert all(f"- {action.word}:" in user for action in path.actions)
    assert user.rstrip().endswith(("</format>", "</输出格式>"))
    for line in user.split("</said>")[0].splitlines():
        if SENTENCES[language].split(" ")[0] in line and "said" not in line and "=" not in line:
            assert line.rstrip().endswith((".", "。"))


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
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_the_debate_is_shortened_before_a_correction_is_left_out(path: Path, language: Language) -> None:
    room = BUDGET - count_tokens(executor_system(path, RiskConfig(), "", "", language, around()))
    whole, user = (executor_user(brief(language, 12, n), path, language, room) for n in (0, 12))
    assert [n for n in range(12) if f"- RSI=48.6; Bull said {n}\n" not in f"{user}\n"] == []
    assert 0 < user.count(SENTENCES[language].strip()) < whole.count(SENTENCES[language].strip())
    assert '<said by="judge">' in user


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_many_corrections_are_left_out_is_said(language: Language) -> None:
    room = BUDGET - count_tokens(system(ENTRY, language))
    user = executor_user(brief(language, 12, 100), ENTRY, language, room)
    kept = [int(n) for n in re.findall(r"^- RSI=48\.6; Bull said (\d+)$", user, re.MULTILINE)]
    (left,) = re.findall({"en": r"^- (\d+) more, for which", "zh": r"^- 另有 (\d+) 项"}[language], user, re.MULTILINE)
    assert kept == list(range(len(kept))), "the first ones, which are the debate's"
    assert len(kept) > 10
    assert len(kept) + int(left) == 100
    assert '<said by="judge">' in user


def around(**account: object) -> Circumstances:
    view = AccountView(account="a", broker="paper", equity=10_000.0, **account)  # type: ignore[arg-type]
    return Circumstances("BTC/USDT:USDT", view, price_gap_pct=0.1)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("action", [ENTRY_LONG, SCALE_IN], ids=lambda action: action.word)
def test_every_limit_that_may_block_the_decision_is_told(action: Any, language: Language) -> None:
    held = Holding(side="long", entry_price=100.0, size=1.0, leverage=3.0, opened_at=NOW) if action is SCALE_IN else None
    risk = RiskConfig(max_notional=5000.0, allowed_symbols=["BTC/USDT:USDT"], max_daily_loss_pct=2.5)
    account = around(day_loss_pct=0.4, cooldown_left_min=12.0, orders_last_hour=4)
    figures = Figures.model_construct(reward_risk_net=1.2)
    plan: dict[str, Any] = {"confidence": 70, "leverage": 3, "price": 100.0, "stop": 98.0, "target": 106.0, "adjustment_pct": 20}
    plan |= {"holding": held, "risk": risk, "figures": figures}
    checks = check_limits(action, **plan, around=account)
    told = executor_system(POSITION if held else ENTRY, risk, "", "", language, account)
    rules = {check.rule for check in checks}
    assert len(rules) == 18
    assert not [rule for rule in rules if f"\n{rule} = " not in told]
    assert "\nmax_daily_loss_pct = 2.5 (now 0.4)\n" in told
    assert "\ncooldown_minutes = 30 (now 12)\n" in told
    alone = check_limits(action, **plan)
    without = executor_system(POSITION if held else ENTRY, risk, "", "", language)
    assert not [check.rule for check in alone if f"\n{check.rule} = " not in without]
    assert "max_daily_loss_pct" not in without, "without an account it binds nothing"
