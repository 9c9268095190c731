"""Event lists as a run writes them: an entry with false claims, a position, and what can go wrong."""

from engine.domain.events import Event
from tests.pages.event_log import ANALYSTS, TEXTS, Log, claim, decision, entry_claims, position_claims, spoken

LIMITS = [
    {"rule": "max_leverage", "measured": 3.0, "bound": 10.0, "passed": True},
    {"rule": "min_confidence", "measured": 58.0, "bound": 55.0, "passed": True},
    {"rule": "min_risk_reward_ratio", "measured": 2.08, "bound": 1.5, "passed": True},
    {"rule": "max_stop_distance_pct", "measured": 0.21, "bound": 5.0, "passed": True},
    {"rule": "max_position_pct", "measured": 29.1, "bound": 30.0, "passed": True},
    {"rule": "max_open_positions", "measured": 1.0, "bound": 3.0, "passed": True},
]
ARGUMENT = {"bull": {"side": "bull", "round": 1, "confidence": 62.0}, "bear": {"side": "bear", "round": 1, "confidence": 68.0}}
VERDICT = {"verdict": "BEAR", "direction": "SHORT", "confidence": 64.0}
ENTRY = {
    "stop_loss_price": 78200.0,
    "take_profit_price": 77690.0,
    "stop_loss_pct": 0.21,
    "take_profit_pct": 0.44,
    "risk_reward_ratio": 2.08,
}


def entry_run() -> list[Event]:
    """An entry, finished, with four false claims, one retry and one planted value."""
    log = Log()
    log.start()
    log.analysis()
    log.add("model.planted", "bull", role="bull", key="rsi_14", stated=28.4, true=48.6)
    log.add("node.started", "bull", stage="debate")
    log.add("node.tokens", "bull", after=0.5, text="Sellers are", attempt=1)
    log.add("node.retried", "bull", after=0.4, attempt=2, reason="the endpoint answered 429", wait_s=0.9, repair=False)
    for at in range(0, len(spoken("bull")), 60):
        log.add("node.tokens", "bull", after=0.6, text=spoken("bull")[at : at + 60], attempt=2)
    log.finish("bull", ARGUMENT["bull"], 6.4, attempt=2)
    log.say("bear", "debate", ARGUMENT["bear"], 7.3)
    log.say("judge", "debate", VERDICT, 6.1)
    log.ground("entry_grounding", entry_claims(), ("bull", "bear", "judge"))
    log.say("executor", "executor", decision("signal_entry_short", **ENTRY), 7.2)
    log.add("limits.checked", "executor", limits=LIMITS, passed=True)
    log.finish_run("signal_entry_short", warnings=["open interest is missing from this feed"])
    return log.events


def debating_run() -> list[Event]:
    """The middle of the debate: Bull has spoken, Bear is writing."""
    log = Log()
    log.start()
    log.analysis()
    log.say("bull", "debate", ARGUMENT["bull"], 6.4)
    log.say("bear", "debate", ARGUMENT["bear"], 4.4, upto=0.6)
    return log.events


def starting_run() -> list[Event]:
    """Three analysts write, one has been cut off and waits for its next attempt."""
    log = Log()
    log.start()
    for role in ANALYSTS:
        log.add("node.started", role, stage="analysis")
    log.add("node.tokens", "trend", after=2.0, text=TEXTS["trend"][:52], attempt=1)
    log.add("node.tokens", "sentiment", text="Funding is", attempt=1)
    log.add("node.retried", "sentiment", after=0.1, attempt=2, reason="the endpoint answered 429", wait_s=0.9, repair=False)
    return log.events


def short_handed_run() -> list[Event]:
    """Three of four analysts are silent: the safe action, nothing argued."""
    log = Log()
    log.start()
    log.analysis(silent=("trend", "sentiment", "pattern"))
    reason = "only 1 of 4 analysts answered; 2 are needed"
    log.add("node.failed", "aggregator", reason=reason, consequence="safe_action")
    log.finish_run("signal_wait", valid=False, errors=[reason])
    return log.events


def abstained_run() -> list[Event]:
    """One analyst is silent; the run goes on into the debate."""
    log = Log()
    log.start()
    log.analysis(silent=("pattern",))
    log.say("bull", "debate", ARGUMENT["bull"], 6.4, upto=0.4)
    return log.events


def failed_run() -> list[Event]:
    """The judge's answer could not be read, even after a repair."""
    log = Log()
    log.start()
    log.analysis()
    log.say("bull", "debate", ARGUMENT["bull"], 6.4)
    log.say("bear", "debate", ARGUMENT["bear"], 7.3)
    log.say("judge", "debate", VERDICT, 5.0, upto=0.8)
    log.add("node.retried", "judge", attempt=2, reason="the answer has no verdict line", wait_s=0.0, repair=True)
    log.add("node.tokens", "judge", after=3.0, text="I cannot say.", attempt=2)
    reason = "the answer has no verdict line, and the repair did not give one"
    log.add("node.failed", "judge", after=0.1, reason=reason, consequence="safe_action")
    log.finish_run("signal_wait", valid=False, errors=[f"judge: {reason}"])
    return log.events


def gate_closed_run() -> list[Event]:
    """Most of what was said is false: the executor is not asked."""
    log = Log()
    log.start()
    log.analysis()
    for role, result in (("bull", ARGUMENT["bull"]), ("bear", ARGUMENT["bear"]), ("judge", VERDICT)):
        log.say(role, "debate", result, 6.0)
    wrong = {"bull": ("77,675.4", "28.4", "77,850"), "bear": ("78,068", "31", "78,850")}
    lies = [
        claim(side, words, "close", 1.0, 2.0, verdict="false", deviation=-0.5, tolerance=0.1)
        for side, said in wrong.items()
        for words in said
    ]
    good = [item for item in entry_claims() if item.source == "judge" and item.verdict == "true"][:2]
    log.ground("entry_grounding", (*lies, *good), ("bull", "bear", "judge"))
    reason = "gate closed: 75 % of the checked claims were false (6 of 8)"
    log.finish_run("signal_wait", valid=False, errors=[reason])
    return log.events


def breached_run() -> list[Event]:
    """A sound answer that breaks two limits."""
    log = Log()
    log.start()
    log.analysis()
    for role, result in (("bull", ARGUMENT["bull"]), ("bear", ARGUMENT["bear"]), ("judge", VERDICT)):
        log.say(role, "debate", result, 6.0)
    log.ground("entry_grounding", entry_claims(), ("bull", "bear", "judge"))
    log.say("executor", "executor", decision("signal_wait", confidence=58.0), 7.2)
    broken = [{**LIMITS[0], "measured": 20.0, "passed": False}, *LIMITS[1:4], {**LIMITS[4], "measured": 44.0, "passed": False}, LIMITS[5]]
    log.add("limits.checked", "executor", limits=broken, passed=False)
    log.finish_run("signal_wait", valid=False, errors=["max_leverage: 20 is above 10", "max_position_pct: 44 is above 30"])
    return log.events


def position_run() -> list[Event]:
    """A long position is judged; half of it is to be closed."""
    log = Log()
    holding = {"side": "long", "entry_price": 77400.0, "size": 0.25, "leverage": 3.0, "opened_at": "2026-05-17T00:30:00+00:00"}
    log.start("position", holding=holding)
    log.analysis()
    log.say("position_bull", "debate", {**ARGUMENT["bull"], "confidence": 58.0}, 5.0)
    log.say("position_bear", "debate", {**ARGUMENT["bear"], "confidence": 66.0}, 5.0)
    ruling = {"verdict": "PARTIAL_EXIT", "direction": "LONG", "confidence": 63.0, "adjustment_pct": -50.0}
    log.say("position_judge", "debate", ruling, 4.0)
    log.ground("position_grounding", position_claims(), ("position_bull", "position_bear", "position_judge"))
    log.add("node.started", "executor", stage="executor")
    adjusted = decision(
        "adjust_position", direction="LONG", adjustment_pct=-50.0, adjustment_type="partial_exit", reasoning="Bank half of it."
    )
    log.finish("executor", adjusted, 5.0)
    log.add("limits.checked", "executor", limits=LIMITS[:2], passed=True)
    log.finish_run("adjust_position")
    return log.events


RUNS = {
    "starting": starting_run,
    "debating": debating_run,
    "entry": entry_run,
    "abstained": abstained_run,
    "short_handed": short_handed_run,
    "failed": failed_run,
    "gate_closed": gate_closed_run,
    "breached": breached_run,
    "position": position_run,
}
