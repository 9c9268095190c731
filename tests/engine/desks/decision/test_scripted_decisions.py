"""What the scripted analyst decides: well formed whatever it is given, sensible, and every action somewhere."""

import re
from collections import Counter
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.text.language import LANGUAGES, Language
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


@pytest.mark.full
def test_every_action_and_every_direction_happens() -> None:
    actions: Counter[str] = Counter()
    votes: Counter[str] = Counter()
    for seed in range(300):
        position = seed % 2 == 1
        market = make_market(Random(seed), position=position)
        said = play(scripted(seed=seed), market, "en" if seed % 4 < 2 else "zh", str(seed), position=position)
        actions[vote_of(said["executor"].text, "action")] += 1
        votes.update(vote_of(said[role].text, "direction") for role in ANALYSTS)
    assert set(actions) == {*_ENTRY, *_POSITION}
    assert min(actions.values()) >= 4, actions
    assert min(votes[word] for word in ("LONG", "SHORT", "NEUTRAL")) >= 60, votes


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


def test_missing_open_interest_is_said_and_not_guessed() -> None:
    text = scripted().write(call("sentiment", "funding_rate_pct = 0.0040 %\nfear_greed = 40.0")).text
    assert "Open interest is missing from this feed and is left out, not guessed." in text
    assert "missing" not in scripted().write(call("sentiment", make_market(Random(1), position=False).lines())).text


def test_analysts_follow_the_market() -> None:
    up = "close = 110.00\nema_20 = 107.00\nema_50 = 104.00\nema_200 = 98.00\nrsi_14 = 61.0\nmacd = 1.2\nmacd_signal = 0.8\nmacd_hist = 0.4"
    down = (
        "close = 90.00\nema_20 = 93.00\nema_50 = 96.00\nema_200 = 102.00\nrsi_14 = 39.0\nmacd = -1.2\nmacd_signal = -0.8\nmacd_hist = -0.4"
    )
    for role in ("trend", "indicator", "onchain"):
        assert vote_of(scripted().write(call(role, up)).text, "direction") == "LONG"
        assert vote_of(scripted().write(call(role, down)).text, "direction") == "SHORT"
    for facts, stronger, weaker in ((up, "bull", "bear"), (down, "bear", "bull")):
        confidence = {side: int(vote_of(scripted().write(call(side, facts)).text, "confidence")) for side in ("bull", "bear")}
        assert confidence[stronger] > confidence[weaker] + 20


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_no_short_is_offered_none_is_taken(language: Language) -> None:
    falls = "path = entry\njudge: BEAR SHORT 70\nconsensus: SHORT 65\nprice = 100.00\nresistance = 101.50\natr_14 = 1.00"
    options = "- ENTRY_LONG: open a long\n- WAIT: wait"
    with_short = f"{falls}\n- ENTRY_SHORT: open a short\n{options}"
    said = [scripted().write(call("executor", user, language, system=RULES)).text for user in (f"{falls}\n{options}", with_short)]
    assert [vote_of(text, "action") for text in said] == ["WAIT", "ENTRY_SHORT"]
    assert {"en": "cannot be sold short", "zh": "不能做空"}[language] in said[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_entry_that_cannot_pay_its_costs_waits_and_says_so(language: Language) -> None:
    agreed = _AGREED.replace("atr_14 = 1.00", "atr_14 = 0.20").replace("support = 98.50", "support = 99.80")
    costly = scripted().write(call("executor", f"path = entry\n{agreed}\nround_trip_cost_pct = 0.5", language, system=RULES)).text
    cheap = scripted().write(call("executor", f"path = entry\n{agreed}\nround_trip_cost_pct = 0.05", language, system=RULES)).text
    assert (vote_of(costly, "action"), vote_of(cheap, "action")) == ("WAIT", "ENTRY_LONG")
    assert {"en": "fees and slippage", "zh": "手续费与滑点"}[language] in costly


@pytest.mark.full
@given(
    costs=st.floats(0, 0.6),
    atr=st.floats(0.05, 3),
    support=st.floats(90, 99.9),
    resistance=st.floats(100.1, 120),
    step=st.sampled_from(["0.01", "0.05", "0.1", "0.5"]),
    least=st.sampled_from([0.0, 1.0, 1.5]),
)
def test_every_plan_pays_after_its_costs_with_room_to_spare_in_the_steps_of_its_market(
    costs: float, atr: float, support: float, resistance: float, step: str, least: float
) -> None:
    known = f"judge: BULL LONG 70\nconsensus: LONG 65\nprice = 100.00\nsupport = {support:.2f}\nresistance = {resistance:.2f}"
    costs_known = f"atr_14 = {atr:.3f}\nround_trip_cost_pct = {costs:.3f}\nprice_step = {step}"
    rules = f"{RULES}\nmin_risk_reward_after_costs = {least}"
    text = scripted().write(call("executor", f"path = entry\n{known}\n{costs_known}", system=rules)).text
    if vote_of(text, "action") == "WAIT":
        return
    stop, target, paid = Decimal(vote_of(text, "stop_loss_price")), Decimal(vote_of(text, "take_profit_price")), Decimal(f"{costs:.3f}")
    assert (target - 100 - paid) / (100 - stop + paid) >= Decimal(str(least)) + Decimal("0.249")
    assert stop % Decimal(step) == target % Decimal(step) == 0
    assert 100 - stop >= 2 * paid - Decimal(step), "no stop nearer than what the trade costs would leave it"


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
