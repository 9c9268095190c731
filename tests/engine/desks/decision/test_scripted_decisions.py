"""What the scripted analyst decides is sensible."""

import pytest

from engine.domain.text.language import Language
from tests.engine.desks.decision.scripted_market import ANALYSTS, RULES, call, scripted, vote_of


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("prompt", ["", "nothing measured here", "rsi_14 = n/a\nclose = nan"])
def test_without_facts_it_says_so_and_takes_no_side(language: Language, prompt: str) -> None:
    safe = {"judge": ("verdict", "NEUTRAL"), "position_judge": ("verdict", "HOLD"), "executor": ("action", "WAIT")}
    for role in (*ANALYSTS, "bull", "bear", "judge", "position_judge", "executor"):
        text = scripted().write(call(role, prompt, language)).text
        key, word = safe.get(role, ("direction", "NEUTRAL"))
        if key + ":" in text:
            assert vote_of(text, key) == word
        assert int(vote_of(text, "confidence")) <= 40
    held = scripted().write(call("executor", "path = position", language)).text
    assert vote_of(held, "action") == "HOLD"


_AGREED = "judge: BULL LONG 70\nconsensus: LONG 65 (long 0.80 short 0.20 neutral 0.00)\nprice = 100.00\nsupport = 98.50\natr_14 = 1.00"


@pytest.mark.parametrize(
    ("change", "action"),
    [
        ("", "ENTRY_LONG"),
        ("judge: BEAR SHORT 70", "WAIT"),
        ("consensus: NEUTRAL 60", "WAIT"),
        ("min_confidence = 80", "WAIT"),
        ("min_risk_reward_ratio = 6", "WAIT"),
        ("Verified: 4/10 passed | Confidence penalty: -24%", "WAIT"),
    ],
)
def test_an_entry_needs_agreement_confidence_and_a_plan_that_pays(change: str, action: str) -> None:
    text = scripted().write(call("executor", f"path = entry\n{_AGREED}\n{change}", system=RULES)).text
    assert vote_of(text, "action") == action


def test_position_path_follows_its_judge_as_far_as_confidence_goes() -> None:
    base = "path = position\nside = short\nprofit_pct = 1.20 %\nmfe_pct = 1.50 %\nleverage = 40.0\nconsensus: SHORT 60\n"
    for ruling, action in (
        ("EXIT NEUTRAL 70", "EXIT"),
        ("EXIT NEUTRAL 40", "PARTIAL_EXIT"),
        ("SCALE_IN SHORT 70 +35", "SCALE_IN"),
        ("SCALE_IN SHORT 40 +35", "HOLD"),
        ("PARTIAL_EXIT SHORT 60 -40", "PARTIAL_EXIT"),
        ("HOLD SHORT 60", "HOLD"),
    ):
        text = scripted().write(call("executor", f"{base}judge: {ruling}", system=RULES)).text
        assert vote_of(text, "action") == action
        assert int(vote_of(text, "leverage")) <= 10
