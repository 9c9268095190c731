"""What the scripted analyst decides: well formed whatever it is given, and sensible."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.text.language import Language
from tests.engine.desks.decision.scripted_market import ANALYSTS, RULES, call, make_market, play, scripted, vote_of

_BLOCK = {
    **dict.fromkeys((*ANALYSTS, "onchain"), ("direction", "confidence", "support", "resistance")),
    **dict.fromkeys(("bull", "bear", "position_bull", "position_bear"), ("confidence",)),
    "judge": ("verdict", "direction", "confidence"),
}
_SECTIONS = {
    "en": ["[Decision]", "[Risk management]", "[Adjustment]", "[Reasoning]", "[Key factors]", "[Risk assessment]"],
    "zh": ["[决策]", "[风险管理]", "[调整参数]", "[决策理由]", "[关键因素]", "[风险评估]"],
}
_FORM = ["action", "confidence", "leverage", "direction", "stop_loss_price", "take_profit_price", "risk_reward_ratio"]
_FORM += ["adjustment_pct", "adjustment_type"]
_HEADING = {"en": "[Vote]", "zh": "[表决]"}
_ENTRY = ("ENTRY_LONG", "ENTRY_SHORT", "WAIT")
_POSITION = ("HOLD", "EXIT", "SCALE_IN", "PARTIAL_EXIT")


def _check_form(role: str, text: str, language: Language) -> None:
    if role == "executor":
        lines = text.splitlines()
        assert [line for line in lines if line.startswith("[")] == _SECTIONS[language]
        assert re.findall(r"^(\w+): ", text, re.MULTILINE) == _FORM
        story = re.split("|".join(map(re.escape, _SECTIONS[language][3:])), text)[1:]
        assert all(part.strip() for part in story)
        assert all(line.startswith("- ") for line in story[1].strip().splitlines())
    else:
        prose, _, block = text.partition("\n" + _HEADING[language] + "\n")
        keys = [line.partition(": ")[0] for line in block.strip().splitlines()]
        wanted = list(_BLOCK.get(role, ("verdict", "direction", "confidence")))
        if role == "position_judge" and vote_of(text, "verdict") in ("SCALE_IN", "PARTIAL_EXIT"):
            wanted.append("adjustment_pct")
        assert keys == wanted
        assert prose.strip()
    assert 0 <= int(vote_of(text, "confidence")) <= 100


@pytest.mark.full
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**9), language=st.sampled_from(["en", "zh"]), drop=st.sampled_from([0.0, 0.3, 0.8, 0.97]))
def test_every_role_is_well_formed_whatever_facts_there_are(seed: int, language: Language, drop: float) -> None:
    rng = Random(seed)
    position = rng.random() < 0.5
    market = make_market(rng, position=position, drop=drop)
    said = play(scripted(seed=seed, lies=rng.choice([0, 0.5])), market, language, str(seed), position=position)
    for role, script in said.items():
        _check_form(role, script.text, language)
    text = said["executor"].text
    action = vote_of(text, "action")
    assert action in (_POSITION if position else _ENTRY)
    price = market.values.get("close")
    if action.startswith("ENTRY"):
        assert price is not None
        _check_entry(text, market.text("close"))
    adjustment = vote_of(text, "adjustment_pct")
    low, high = {"SCALE_IN": (20, 50), "PARTIAL_EXIT": (-70, -30)}.get(action, (0, 0))
    assert (adjustment == "N/A") if low == 0 else (low <= int(adjustment) <= high)


def _check_entry(text: str, price_text: str) -> None:
    """Levels on their sides, written like the price, within the limits of RULES."""
    price, stop, target = float(price_text), float(vote_of(text, "stop_loss_price")), float(vote_of(text, "take_profit_price"))
    sign = 1 if vote_of(text, "action") == "ENTRY_LONG" else -1
    assert vote_of(text, "direction") == ("LONG" if sign > 0 else "SHORT")
    risk, reward = sign * (price - stop), sign * (target - price)
    assert risk > 0
    assert reward / risk >= 1.5
    assert float(vote_of(text, "risk_reward_ratio")) == pytest.approx(reward / risk, abs=0.006)
    assert risk / price <= 0.05
    assert 1 <= int(vote_of(text, "leverage")) <= 10
    assert int(vote_of(text, "confidence")) >= 55
    decimals = {
        len(value.partition(".")[2]) for value in (price_text, vote_of(text, "stop_loss_price"), vote_of(text, "take_profit_price"))
    }
    assert len(decimals) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("prompt", ["", "nothing measured here", "rsi_14 = n/a\nclose = nan"])
def test_without_facts_it_says_so_and_takes_no_side(language: Language, prompt: str) -> None:
    safe = {"judge": ("verdict", "NEUTRAL"), "position_judge": ("verdict", "HOLD"), "executor": ("action", "WAIT")}
    for role in (*_BLOCK, "position_judge", "executor"):
        text = scripted().write(call(role, prompt, language)).text
        _check_form(role, text, language)
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
        ("judge: NEUTRAL NEUTRAL 60", "WAIT"),
        ("consensus: NEUTRAL 60", "WAIT"),
        ("min_confidence = 80", "WAIT"),
        ("min_risk_reward_ratio = 6", "WAIT"),
        ("max_stop_distance_pct = 1", "WAIT"),
        ("Verified: 4/10 passed | Confidence penalty: -24%", "WAIT"),
        ("验证: 4/10 通过 | 置信度惩罚: -24%", "WAIT"),
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
