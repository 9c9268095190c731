"""The executor: decides on judge, consensus and limits, and writes the decision in the specification's sections.

An entry needs judge and consensus on one side, enough confidence after fact checking, and a plan whose reward pays for its risk; anything
less is WAIT. Where what was corrected speaks against that side by more than the votes speak for it, the other side is entered if that is
clear and the measured facts are not clearly against it, and none otherwise. A position follows its judge as far as the confidence carries;
what cannot be justified is HOLD.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.desks.decision.script.levels import Plan, leverage_of, make_plan
from engine.desks.decision.script.market_speech import UNKNOWN, MarketSpeech, weighable
from engine.desks.decision.script.record import Record, Vote, direction_of
from engine.domain.decision import ENTRY_LONG, ENTRY_SHORT, EXIT, HOLD, PARTIAL_EXIT, SCALE_IN, WAIT, Action
from engine.grounding.tables.thresholds import after_penalty
from engine.script.signals import balance, score, score_of

_ENTRY_FACTS = ("close", "support", "resistance", "atr_14")
_TURN = 2.5
"""How far corrected points have to speak against the votes, in full scores, to outweigh a unanimous and certain record."""
_CLEAR = 0.15
"""How far something has to point one way to point there clearly: the record after its corrections, or the facts in the prompt."""
_SWAY = 6
"""How many percent of confidence a repetition is off at most."""
_SWAY_ATR = 0.2
"""How many ATR its stop is off at most."""
_POSITION_FACTS = ("profit_pct", "mfe_pct", "drawdown_from_peak_pct", "hold_count")


@dataclass(frozen=True)
class Decided:
    """The decision before it is written. reason: why not more was done, by name. adjustment: percent of the position."""

    action: Action
    confidence: int
    side: int
    leverage: int
    reason: str
    factors: tuple[str, ...]
    plan: Plan | None = None
    adjustment: int | None = None


def write_decision(speech: MarketSpeech) -> None:
    words, with_position = speech.words, speech.texts.get("path") == "position"
    decided = _for_position(speech) if with_position else _for_entry(speech)
    action, plan, changed = decided.action, decided.plan, decided.adjustment
    *forms, reasoning, factors, assessment = words["section"]
    stop, target, ratio = (plan.stop, plan.target, f"{plan.ratio:.2f}") if plan else (UNKNOWN,) * 3
    fields: tuple[Mapping[str, object], ...] = (
        {
            "action": action.word,
            "confidence": decided.confidence,
            "leverage": decided.leverage,
            "direction": direction_of(decided.side).value,
        },
        {"stop_loss_price": stop, "take_profit_price": target, "risk_reward_ratio": ratio},
        {
            "adjustment_pct": UNKNOWN if changed is None else f"{changed:+d}",
            "adjustment_type": action.adjustment_type or UNKNOWN,
        },
    )
    for heading, form in zip(forms, fields, strict=True):
        speech.line("\n".join((heading, *(f"{key}: {value}" for key, value in form.items()), "")))
    speech.line(reasoning)
    _reason(decided, speech, (*_POSITION_FACTS, "close") if with_position else _ENTRY_FACTS)
    speech.line("\n".join(("", factors, *(f"- {words.text(f'factor.{factor}')}" for factor in decided.factors), "", assessment)))
    speech.say(f"risk.{action.word}")


def _reason(decided: Decided, speech: MarketSpeech, order: Sequence[str]) -> None:
    """Write the reasons. order: the facts that are named first."""
    overturned = decided.plan is not None and "fallen" in decided.factors
    speech.say(f"{'overturned' if overturned else 'opening'}.{decided.action.word}")
    if decided.reason:
        speech.say(f"why_not.{decided.reason}")
    known = speech.sayable(speech.texts)
    if not known:
        speech.say("nothing")
    first = [key for key in order if key in known][:4]
    others = sorted(known, key=lambda key: -abs(score_of(key, speech.texts)))
    speech.facts([*first, *[key for key in others if key not in order][: 5 - len(first)]])
    if decided.plan:
        speech.say("plan", stop=decided.plan.stop, target=decided.plan.target)
    if speech.record.penalty > 0:
        speech.say("penalty")


def _for_entry(speech: MarketSpeech) -> Decided:  # noqa: PLR0911
    record = speech.record
    ruling = consensus = _own_view(speech)
    if ruling is None:
        ruling, consensus = record.ruling, record.consensus
    if ruling is None or consensus is None:
        return _wait("nothing", 20, ("no_ruling" if ruling is None else "no_consensus", "capital"))
    confidence = _stated(0.7 * ruling.confidence + 0.3 * consensus.confidence + _SWAY * speech.sway("confidence"))
    edge, ground = _edge_after_corrections(ruling, consensus, record), "agree"
    side = ruling.sign
    if side * edge < 0:
        if abs(edge) < _CLEAR or side * balance(record.texts, weighable(speech)) > _CLEAR:
            return _wait("fallen", min(confidence, 50), ("fallen", "corrected", "capital"))
        side, ground, confidence = -side, "fallen", _stated(50 + 50 * abs(edge))
        consensus = replace(consensus, sign=side)
    counted = after_penalty(confidence, record.penalty)
    if side == 0:
        return _wait("neutral", confidence, ("ruling", "capital"))
    if side != consensus.sign:
        return _wait("disagree", min(confidence, 50), ("split", "ruling", "capital"))
    if counted < record.number("min_confidence"):
        return _wait("confidence", confidence, (ground, "confidence", "capital"))
    if side < 0 and record.is_long_only:
        return _wait("long_only", confidence, (ground, "capital"))
    plan = make_plan(side, record, round(counted), _SWAY_ATR * speech.sway("stop"))
    if isinstance(plan, str):
        return _wait(plan, confidence, (ground, {"reward": "thin", "costs": "costs"}.get(plan, "ruling"), "capital"))
    factors = (ground, "stop", "reward", "limits")
    action = ENTRY_LONG if side > 0 else ENTRY_SHORT
    return Decided(action, confidence, side, leverage_of(round(counted), plan.distance_pct, record), "", factors, plan)


def _own_view(speech: MarketSpeech) -> Vote | None:
    """Return where the facts point, where no one has spoken before; None where someone has."""
    if not speech.record.is_alone:
        return None
    edge, side = balance(speech.texts, weighable(speech)), speech.record.side
    sign = 0 if abs(edge) < _CLEAR else 1 if edge > 0 else -1
    verdict = "EXIT" if side and side * sign < 0 else "HOLD" if side else ""
    return Vote(sign, 50 + 50 * min(1.0, abs(edge)), verdict)


def _edge_after_corrections(ruling: Vote, consensus: Vote, record: Record) -> float:
    """Return where the record points, -1 short to +1 long: the votes, moved by how differently the true values read from the false ones
    that they rested on."""
    argued = 0.7 * _pull(ruling) + 0.3 * _pull(consensus)
    points = [(each.true, said, each.key) for each in record.corrections for said in each.said]
    moved = sum(score(key, true, record.texts) - score(key, said, record.texts) for true, said, key in points)
    return max(-1.0, min(1.0, argued + moved / _TURN))


def _pull(vote: Vote) -> float:
    return vote.sign * max(0.0, vote.confidence - 50) / 50


def _wait(reason: str, confidence: int, factors: tuple[str, ...]) -> Decided:
    return Decided(WAIT, confidence, 0, 1, reason, factors)


def _for_position(speech: MarketSpeech) -> Decided:  # noqa: PLR0911
    record = speech.record
    ruling, leverage = _own_view(speech) or record.ruling, int(min(record.number("leverage", 1.0), record.number("max_leverage", 10.0)))
    if ruling is None:
        return Decided(HOLD, 20, record.side, max(1, leverage), "nothing", ("no_ruling", "exposure"))
    confidence = _stated(ruling.confidence + _SWAY * speech.sway("confidence"))
    counted = after_penalty(confidence, record.penalty)
    side = record.side or ruling.sign
    enough = counted >= record.number("min_confidence")
    agrees = record.consensus is not None and record.consensus.sign == side
    hold = Decided(HOLD, confidence, side, max(1, leverage), "judge_hold", ("ruling", "giveback", "exposure"))
    reduce = replace(hold, action=PARTIAL_EXIT, reason="judge")
    if not side and ruling.verdict != "EXIT":
        return replace(hold, reason="unknown_side", factors=("ruling", "exposure"))
    if ruling.verdict == "EXIT" and (enough or (record.consensus is not None and not agrees)):
        return replace(hold, action=EXIT, side=0, reason="judge", factors=("ruling", "giveback", "corrected"))
    if ruling.verdict == "EXIT":
        return replace(reduce, reason="weak_exit", adjustment=-70)
    if ruling.verdict == "PARTIAL_EXIT":
        return replace(reduce, adjustment=-min(70, max(30, 5 * round((counted - 25) / 5))))
    if ruling.verdict == "SCALE_IN":
        share = min(50, max(20, 5 * round((counted - 38) / 5)))
        added = replace(hold, action=SCALE_IN, reason="judge", factors=("agree", "ruling", "giveback"), adjustment=share)
        return added if enough and agrees else replace(hold, reason="no_add" if agrees else "no_backing")
    return hold


def _stated(confidence: float) -> int:
    return round(max(0.0, min(100.0, confidence)))
