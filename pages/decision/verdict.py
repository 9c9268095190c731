"""The verdict bar: what was decided or who is speaking, and the numbers a signature would stand under. The page puts buttons beside it."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.domain.decision import Signal
from pages.decision.decision_view import DecisionView, executor_result
from pages.decision.steps import stages
from pages.decision.why import why_sentence
from pages.frame import json_fields, numbers
from pages.frame.cards import ARROWS, level
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.messages import not_valid_word
from pages.run.node_state import requests_sent, retries
from pages.run.run_clock import reading_words
from pages.run.state_signs import NO_RUN, STATE_SIGNS
from pages.trading.limits import limits_count, limits_of_run
from pages.trading.proposal_state import GLYPHS
from pages.words.fact_names import fact_name

_TONE = {Signal.ENTRY_LONG: " tb-up", Signal.ENTRY_SHORT: " tb-down"}
SAFE_ACTION = {"entry": "WAIT", "position": "HOLD"}


def verdict_bar(view: DecisionView, show: Show, signed: Sequence[Markup] = (), limits: str = "") -> Markup:
    """Return the word, its remark and the numbers. Announced politely, on a change of state only: seconds stand outside of it.

    signed: the numbers that a signature would stand under, as safe HTML, in place of the executor's own. limits: how many of them pass now,
    in place of those that were measured when it was decided.
    """
    glyph, tone, word, remark = _decided(view, show, limits) if view.ending else _speaking(view, show)
    css_class = "" if view.ending else " wait"
    because = why_sentence(view, show)
    why = markup('<div class="tb-why">{}</div>', because) if because else Markup()
    said = markup('<div><div class="word">{}</div><div class="tb-lab">{}</div>{}</div>', word, remark, why)
    act = markup(
        '<div class="tb-act" role="status" aria-live="polite"><span class="arrow{}" aria-hidden="true">{}</span>{}</div>', tone, glyph, said
    )
    label_ = plain(show.say("decision"))
    levels = markup('<div class="tb-lev">{}</div>', joined(signed or _numbers(view, show)))
    return markup('<section class="tb tb-verdict{}" role="region" aria-label="{}">{}{}</section>', css_class, label_, act, levels)


def action_word(action: str | None, result: json_fields.Fields, show: Show, *, valid: bool = True) -> str:
    """Return `Enter short`, `Reduce −50 %`, `Wait, not valid`."""
    say = show.say
    kind, percent = json_fields.words(result, "adjustment_type"), json_fields.number(result, "adjustment_pct")
    if action == Signal.ADJUST and kind in ("scale_in", "partial_exit"):
        word = say(kind, pct=numbers.signed_percent(percent, 0))
    else:
        word = say(action) if action in {str(signal) for signal in Signal} else (action or numbers.DASH)
    return word if valid else say("not_valid", action=word)


def held_side(view: DecisionView) -> str | None:
    """Return `long` or `short` of the position a run was asked about; None without one."""
    return json_fields.words(view.facts.holding, "side") if view.facts else None


def action_glyph(action: str | None, result: json_fields.Fields, *, valid: bool = True, side: str | None = None) -> str:
    """Return the sign that goes with the word: the way its order goes, so that adding to a short points down. side: of the position, None
    where it is not known."""
    if not valid:
        return STATE_SIGNS["invalid"][0]
    if action == Signal.ADJUST:
        way = (json_fields.number(result, "adjustment_pct") or 0.0) * {"long": 1, "short": -1}.get(side or "", 0)
        return "▲" if way > 0 else "▼" if way < 0 else "◆"
    return next((glyph for signal, glyph in GLYPHS.items() if signal == action), "◆")


def _decided(view: DecisionView, show: Show, limits: str) -> tuple[str, str, str, Markup]:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.action is None:
        sign, colour = STATE_SIGNS[view.status]
        return sign, f" tb-{colour}", say("run_stopped" if ending.stopped else "run_failed"), plain(say("nothing_ordered"))
    result = executor_result(view)
    signal = next((known for known in Signal if known == ending.action), None)
    tone = _TONE.get(signal, "") if signal and ending.is_valid else ("" if ending.is_valid else " tb-bad")
    remarks: list[Markup] = []
    confidence, leverage = json_fields.number(result, "confidence"), json_fields.number(result, "leverage")
    if confidence is not None:
        remarks.append(markup("{} <b>{}</b>", say("confidence"), numbers.number(confidence)))
    if leverage is not None and signal in _TONE:
        remarks.append(plain(f"{numbers.number(leverage)}×"))
    if limits:
        remarks.append(plain(limits))
    elif measured := limits_of_run(view, view.limits):
        remarks.append(plain(limits_count(measured, show)))
    if not ending.is_valid:
        remarks = [plain(say("nothing_ordered"))]
    return (
        action_glyph(ending.action, result, valid=ending.is_valid, side=held_side(view)),
        tone,
        not_valid_word(view, show) or action_word(ending.action, result, show, valid=ending.is_valid),
        Markup(" · ").join(remarks),
    )


def _speaking(view: DecisionView, show: Show) -> tuple[str, str, str, Markup]:
    say = show.say
    if view.run_id is None:
        return NO_RUN, "", say("no_run"), plain(say("no_run_hint"))
    if view.reading is not None:
        headline, count = reading_words(view.reading, show)
        return STATE_SIGNS["running"][0], "", headline, plain(count)
    step = max((index for index, stage in enumerate(stages(view), 1) if stage.state != "waiting"), default=1)
    safe = SAFE_ACTION["position" if view.is_position else "entry"]
    remark = markup("{} · {} <b>{}</b>", say("step_of", n=step), say("if_fails"), safe)
    return STATE_SIGNS[view.status][0], "", say("state_interrupted").capitalize() if view.interrupted else _now(view, show), remark


def _now(view: DecisionView, show: Show) -> str:
    busy = [node for node in view.nodes.values() if node.state in ("running", "retrying")]
    say = show.say
    if not busy:
        return say("starting") if not view.nodes else say("checking_numbers") if view.role("judge").ended else say("running").capitalize()
    node = next((node for node in reversed(busy) if not node.is_reader), busy[-1])
    if node.stage == "analysis":
        return say("analysts_write")
    if node.stage == "grounding" or node.is_reader:
        return say("checking_numbers")
    if node.stage == "executor":
        return say("deciding")
    return say("is_speaking", role=show.name(node.side))


def _numbers(view: DecisionView, show: Show) -> list[Markup]:
    levels = _position_numbers(view, show) if view.is_position else _entry_numbers(view, show)
    return [*levels, _consensus(view, show), _calls(view, show)]


def _entry_numbers(view: DecisionView, show: Show) -> list[Markup]:
    say, result = show.say, executor_result(view)
    price = view.facts.price if view.facts else None
    stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
    entry = price if stop is not None else None
    return [
        level(say("entry"), numbers.price(entry, show.step), say("at_market") if entry else ""),
        level(say("stop"), numbers.price(stop, show.step), _distance(stop, price)),
        level(say("target"), numbers.price(target, show.step), _distance(target, price)),
        _ratio(view, json_fields.number(result, "risk_reward_ratio") if stop is not None else None, show),
    ]


def _ratio(view: DecisionView, gross: float | None, show: Show) -> Markup:
    """After costs, as where it is signed; before costs in a run that did not measure them."""
    say, refused = show.say, view.ending is not None and not view.ending.is_valid
    net = next((check.measured for check in view.limits if check.rule == "min_risk_reward_after_costs"), None)
    if gross is None or net is None:
        return level(say("reward_risk"), numbers.number(gross, 2), say("before_costs") if gross else "", quiet=refused)
    return level(say("reward_risk"), numbers.number(net, 2), say("after_and_before", x=numbers.number(gross, 2)), quiet=refused)


def _position_numbers(view: DecisionView, show: Show) -> list[Markup]:
    say = show.say
    holding = view.facts.holding if view.facts else {}
    entry, size, leverage = (json_fields.number(holding, key) for key in ("entry_price", "size", "leverage"))
    side = json_fields.words(holding, "side")
    profit = show.facts["profit_pct"].number if "profit_pct" in show.facts else _profit(view, entry, side)
    word = {"long": "LONG", "short": "SHORT"}.get(side or "", "")
    return [
        level(
            say("position"),
            f"{ARROWS[word]} {say(word)}" if word else numbers.DASH,
            f"{numbers.number(leverage)}×" if leverage else "",
        ),
        level(say("entry"), numbers.price(entry, show.step), numbers.clock(json_fields.instant(holding, "opened_at"))),
        level(fact_name("profit_pct", show.language), numbers.signed_percent(profit), say("since_entry")),
        level(fact_name("size", show.language), f"{size:g}" if size else numbers.DASH, ""),
    ]


def _profit(view: DecisionView, entry: float | None, side: str | None) -> float | None:
    if view.facts is None or view.facts.price is None or not entry:
        return None
    return (view.facts.price / entry - 1) * (100 if side == "long" else -100)


def _distance(level_: float | None, price: float | None) -> str:
    return numbers.signed_percent((level_ / price - 1) * 100) if level_ and price else ""


def _consensus(view: DecisionView, show: Show) -> Markup:
    found, say = view.consensus, show.say
    asked = view.facts.analysts if view.facts else ()
    spoke = sum(view.role(name).state == "done" for name in asked)
    if found is None or found.direction is None:
        return level(say("consensus"), numbers.DASH)
    text = f"{ARROWS.get(found.direction, '◆')} {numbers.number(found.confidence)}"
    return level(say("consensus"), text, say("of_reports", n=spoke, of=len(asked)))


def _calls(view: DecisionView, show: Show) -> Markup:
    sent, again = requests_sent(view), sum(len(node.retries) for node in view.nodes.values())
    return level(show.say("calls"), numbers.number(sent) if sent else numbers.DASH, retries(again, show.say) if again else "")
