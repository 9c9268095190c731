"""The executor: decides on judge, consensus and limits, and writes the decision in the specification's sections.

An entry needs judge and consensus on one side, enough confidence after fact checking, and a plan whose reward pays for its risk; anything
less is WAIT. A position follows its judge as far as the confidence carries; what cannot be justified is HOLD.
"""

from dataclasses import dataclass, replace

from engine.domain.decision import ENTRY_LONG, ENTRY_SHORT, EXIT, HOLD, PARTIAL_EXIT, SCALE_IN, WAIT, Action
from engine.flows.decision.script.lexicon import ExecutorWords, RoleWords
from engine.flows.decision.script.plan import Plan, leverage_of, make_plan
from engine.flows.decision.script.record import Record, direction_of, sign_of
from engine.flows.decision.script.signals import score
from engine.flows.decision.script.speech import Speech
from engine.flows.decision.script.votes import UNKNOWN

_ENTRY_FACTS = ("close", "support", "resistance", "atr_14")
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


def write_decision(speech: Speech, roles: RoleWords, words: ExecutorWords) -> None:
    """Return the executor's whole answer."""
    record = speech.record
    decided = _for_position(record) if record.on_position_path else _for_entry(record)
    decision, risk, adjustment, reasoning, factors, assessment = roles.sections
    name, plan = decided.action.word, decided.plan
    speech.line(decision)
    speech.line(f"action: {name}\nconfidence: {decided.confidence}\nleverage: {decided.leverage}")
    speech.line(f"direction: {direction_of(decided.side).value}\n")
    speech.line(risk)
    speech.line(f"stop_loss_price: {plan.stop if plan else UNKNOWN}\ntake_profit_price: {plan.target if plan else UNKNOWN}")
    speech.line(f"risk_reward_ratio: {f'{plan.ratio:.2f}' if plan else UNKNOWN}\n")
    speech.line(adjustment)
    changed = decided.adjustment
    speech.line(f"adjustment_pct: {UNKNOWN if changed is None else f'{changed:+d}'}")
    speech.line(f"adjustment_type: {decided.action.adjustment_type or UNKNOWN}\n")
    speech.line(reasoning)
    _reason(decided, speech, roles, words)
    speech.line()
    speech.line(factors)
    for factor in decided.factors:
        speech.line(f"- {words.factors[factor]}")
    speech.line()
    speech.line(assessment)
    speech.say_one_of(words.risk[name], "risk")


def _reason(decided: Decided, speech: Speech, roles: RoleWords, words: ExecutorWords) -> None:
    record = speech.record
    speech.say_one_of(words.opening[decided.action.word], "opening")
    if decided.reason:
        speech.say(words.why_not[decided.reason])
    if not speech.sayable(record.values):
        speech.say(roles.nothing)
    first = (*_POSITION_FACTS, "close") if record.on_position_path else _ENTRY_FACTS
    others = sorted(speech.sayable(record.values), key=lambda key: -abs(score(key, record.values[key], record)))
    first_facts = speech.sayable(first)[:4]
    speech.facts([*first_facts, *[key for key in others if key not in first][: 5 - len(first_facts)]])
    if decided.plan:
        speech.say_one_of(words.plan, "plan", stop=decided.plan.stop, target=decided.plan.target)
    if record.penalty > 0:
        speech.say(words.penalty)


def _for_entry(record: Record) -> Decided:
    ruling, consensus = record.ruling, record.consensus
    if ruling is None or consensus is None:
        return _wait("nothing", 20, ("no_ruling", "capital"))
    confidence = _checked(0.7 * ruling.confidence + 0.3 * consensus.confidence, record)
    side = sign_of(ruling.direction)
    if side == 0:
        return _wait("neutral", confidence, ("ruling", "capital"))
    if side != sign_of(consensus.direction):
        return _wait("disagree", min(confidence, 50), ("split", "ruling", "capital"))
    if confidence < _minimum(record):
        return _wait("confidence", confidence, ("agree", "confidence", "capital"))
    plan = make_plan(side, record, confidence)
    if isinstance(plan, str):
        return _wait(plan, confidence, ("agree", {"reward": "thin", "costs": "costs"}.get(plan, "ruling"), "capital"))
    factors = ("agree", "stop", "reward", "limits")
    action = ENTRY_LONG if side > 0 else ENTRY_SHORT
    return Decided(action, confidence, side, leverage_of(confidence, plan.distance_pct, record), "", factors, plan)


def _wait(reason: str, confidence: int, factors: tuple[str, ...]) -> Decided:
    return Decided(WAIT, confidence, 0, 1, reason, factors)


def _for_position(record: Record) -> Decided:  # noqa: PLR0911
    ruling, leverage = record.ruling, _held_leverage(record)
    if ruling is None:
        return Decided(HOLD, 20, record.side, leverage, "nothing", ("no_ruling", "exposure"))
    confidence = _checked(ruling.confidence, record)
    side = record.side or sign_of(ruling.direction)
    enough = confidence >= _minimum(record)
    agrees = record.consensus is None or sign_of(record.consensus.direction) == side
    hold = Decided(HOLD, confidence, side, leverage, "judge_hold", ("ruling", "giveback", "exposure"))
    reduce = replace(hold, action=PARTIAL_EXIT, reason="judge")
    if not side and ruling.verdict != "EXIT":
        return replace(hold, reason="unknown_side", factors=("ruling", "exposure"))
    if ruling.verdict == "EXIT" and (enough or not agrees):
        return replace(hold, action=EXIT, side=0, reason="judge", factors=("ruling", "giveback", "corrected"))
    if ruling.verdict == "EXIT":
        return replace(reduce, reason="weak_exit", adjustment=-70)
    if ruling.verdict == "PARTIAL_EXIT":
        return replace(reduce, adjustment=-min(70, max(30, 5 * round((confidence - 25) / 5))))
    if ruling.verdict == "SCALE_IN":
        share = min(50, max(20, 5 * round((confidence - 38) / 5)))
        added = replace(hold, action=SCALE_IN, reason="judge", factors=("agree", "limits", "giveback"), adjustment=share)
        return added if enough and agrees else replace(hold, reason="no_add")
    return hold


def _checked(confidence: float, record: Record) -> int:
    """Confidence after what fact checking took from it, within 0-100."""
    return round(max(0.0, min(100.0, confidence * (1 - record.penalty / 100))))


def _minimum(record: Record) -> float:
    return record.number("min_confidence") or 0.0


def _held_leverage(record: Record) -> int:
    """Return the position's leverage in whole x, as far as the limits allow; 1 when it is not known."""
    held, most = record.number("leverage") or 1.0, record.number("max_leverage") or 10.0
    return max(1, int(min(held, most)))
