"""What changed since the decision before, as HTML: what is told first, what is said of it, and strangers' words in it."""

from datetime import UTC, datetime
from typing import Any

from engine.domain.change_of_mind import ChangeOfMind, FactMove, FallenClaim
from engine.domain.facts import Fact
from pages.frame.show import Show
from pages.run.mind import mind_band

ACTIONS = {"signal_entry_long": "▲ Enter long", "signal_entry_short": "▼ Enter short"}


def move(key: str, moved: float | None, unit: str = "sd") -> FactMove:
    return FactMove(key=key, before=53.0, now=48.6, moved=moved, unit=unit)  # type: ignore[arg-type]


MOVES = (move("ema_20", 9.0, "atr"), move("1h.adx_14", -3.0), move("rsi_14", -1.2), move("close", -0.6, "atr"), move("macd_hist", 2.0))


def change(**more: Any) -> ChangeOfMind:
    known = {"run_id": "now", "previous": "before", "action_before": "signal_entry_long", "action_now": "signal_entry_short"}
    at = datetime(2026, 5, 17, 8, 15, tzinfo=UTC)
    return ChangeOfMind.model_validate({**known, "facts": MOVES, "reversal": True, "previous_at": at, **more})


def test_a_band_says_it_in_two_lines_and_the_rest_behind_them() -> None:
    fallen = (FallenClaim(role="bull", text="<script>alert(1)</script>", key="rsi_14"),)
    facts = {"rsi_14": Fact(key="rsi_14", value=48.6, unit="index", timeframe="15m")}
    found = change(claims_fallen=fallen, invalidations_fired=("close below 78060",), person="rejected")
    shown = str(mind_band(found, ACTIONS, Show(facts=facts)))
    first, _, rest = shown.partition("</summary>")
    said = ("Since 05-17 08:15", "▲ Enter long", "<b>▼ Enter short</b>", "5 facts moved", "−0.60 ATR", "came true: Price below 78,060")
    for words in said:
        assert words in first
    assert "1 statement no longer holds" in first
    assert "EMA" not in first
    assert "EMA" in rest
    assert "&lt;script&gt;" in rest
    assert "<script>" not in shown
    assert "Its proposal: rejected" in rest
    assert 'href="./runs?a=before&amp;b=now&amp;lang=en"' in rest
    assert "href" not in str(mind_band(change(), ACTIONS, Show(), linked=False))


def test_a_reversal_without_a_fact_another_model_and_other_prompts_are_said() -> None:
    found = change(facts=(), reversal_without_fact=True, other_model="qwen", prompts_changed=("judge",))
    shown = str(mind_band(found, ACTIONS, Show(language="zh")))
    for words in ("方向反转，但实测数据没有变动", "模型不同：上一次为 qwen", "提示词不同：裁判"):
        assert f"! {words}" in shown
    assert "实测数据没有变动" in shown


def test_a_first_decision_says_so_in_one_muted_sentence() -> None:
    first = ChangeOfMind(run_id="now", previous=None, action_before=None, action_now="buy", first_of="<b>AAPL")
    english, chinese = (str(mind_band(first, {}, Show(language=language))) for language in ("en", "zh"))
    assert english == '<p class="tb tb-muted">First decision on &lt;b&gt;AAPL at this desk: nothing to compare with.</p>'
    assert "首次对 &lt;b&gt;AAPL 作出决策" in chinese
    assert str(mind_band(first.model_copy(update={"first_of": None}), {}, Show())) == "", "another account's is none to compare with"
