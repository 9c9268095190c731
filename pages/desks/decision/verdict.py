"""The market line and the verdict bar of a decision: what was decided or who is speaking, and the numbers a signature would stand under."""

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from engine.domain.decision import Signal
from engine.domain.errors import BadInput
from engine.domain.market.instrument import Market
from pages.claims.claim_markup import mark_claims, quoted
from pages.claims.prose import first_sentence, sections
from pages.desks.decision.decision_view import DecisionView, executor_result
from pages.desks.decision.steps import stages
from pages.frame import json_fields, numbers
from pages.frame.cards import ARROWS, level
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.bar import BarWords, bar, levels, now_said, reasons
from pages.run.limit_setting import limit_setting
from pages.run.market_line import figure, priced, run_tags, subject_line
from pages.run.messages import not_valid_word, refused_key
from pages.run.run_clock import reading_words
from pages.run.stamp import stamp_card, stamp_level
from pages.run.states import NO_RUN, STATE_SIGNS
from pages.run.view import Turn
from pages.trading.limits import limits_count, limits_of_run
from pages.trading.proposal_state import GLYPHS
from pages.words.fact_names import fact_name

_TONE = {Signal.ENTRY_LONG: "tb-up", Signal.ENTRY_SHORT: "tb-down"}
SAFE_ACTION = {"entry": "WAIT", "position": "HOLD"}


def why_sentence(view: DecisionView, show: Show) -> Markup:
    """Return it as a paragraph; "" for a run that goes on, and for an order, whose reasons stand below. A model's words are marked as
    everywhere."""
    ending, checked = view.ending, view.checked
    if ending is None:
        return Markup()
    if checked is not None and checked.gate_closed:
        words, score, false, total = checked.gate_words
        return markup("<p>{}</p>", show.say(words, score=numbers.percent(score, 0), false=false, total=total))
    if refused := refused_key(view, show):
        return refused
    if ending.errors:
        return markup("<p>{}{}</p>", first_sentence(show.translated(ending.errors[0]))[0], limit_setting(ending.errors[0], show))
    return _executors(view, show) if ending.action in (Signal.WAIT, Signal.HOLD) else Markup()


def _executors(view: DecisionView, show: Show) -> Markup:
    node = view.role("executor")
    found = sections(node.text).get("reasoning")
    if found is not None:
        words, start = first_sentence(node.text[found[0] : found[1]])
        return mark_claims(node.text, node.claims, show, span=(found[0] + start, found[0] + start + len(words)))
    words, _ = first_sentence(json_fields.words(node.result, "reasoning") or "")
    return quoted(words, node.text, node.claims, show) if words else Markup()


def market_line(view: DecisionView, show: Show) -> Markup:
    """Return symbol, last price, change, venue, funding, ATR and the snapshot's time; "" before the run has said it."""
    facts, say = view.opening, show.say
    if facts is None:
        return Markup()
    frames = " / ".join(frame for frame in (facts.timeframe, facts.timeframe_htf) if frame)
    venue = " · ".join(part for part in (frames, _venue(facts.symbol, facts.venue, show)) if part)
    parts = [
        priced(numbers.price(facts.price, show.step), _fact(view, show, "change_24h_pct")),
        markup('<span class="kv">{}</span>', venue),
    ]
    funding, atr = _fact(view, show, "funding_rate_pct"), _fact(view, show, "atr_14")
    if funding is not None:
        parts.append(figure(say("funding"), numbers.percent(funding, 4)))
    if atr is not None:
        parts.append(figure("ATR", numbers.number(atr, numbers.decimals(facts.price, show.step))))
    if facts.at is not None:
        parts.append(figure(say("snapshot"), numbers.clock(facts.at)))
    return subject_line(facts.symbol, parts, run_tags(facts.feed, facts.model, show))


def _fact(view: DecisionView, show: Show, key: str) -> float | None:
    known = show.facts.get(key)
    if known is not None:
        return known.number
    return view.opening.facts.get(key) if view.opening else None


def _venue(symbol: str, venue: str, show: Show) -> str:
    try:
        kind = show.say(Market.parse(symbol).kind)
    except BadInput:
        kind = ""
    named = show.say("simulated_venue") if venue == "simulated" else venue[:1].upper() + venue[1:]
    return " ".join(part for part in (named, kind) if part)


def verdict_bar(view: DecisionView, show: Show, signed: Sequence[Markup] = (), limits: str = "") -> Markup:
    """Return the bar: the word with its remark, and beside it the numbers, the words of the role that speaks, or why nothing is ordered.

    signed: the numbers that a signature would stand under, as safe HTML, in place of the executor's own. limits: how many of them pass now,
    in place of those that were measured when it was decided.
    """
    if view.ending is None:
        return bar(_speaking(view, show), now_said(view, show, parts=live_parts) or levels(_consensus(view, show)), show.say("decision"))
    again = stamp_level(view.stability, view.ending.action, partial(named_action, show=show), show)
    body = levels([*(signed or _numbers(view, show)), *again]) + reasons(why_sentence(view, show))
    return bar(_decided(view, show, limits), body, show.say("decision"))


def live_parts(node: Turn) -> dict[str, tuple[int, int]]:
    """Return the sections of the executor's text that are shown, and of anybody else's what is said in this turn; "" for all of a text that
    has no headings."""
    if node.side != "executor":
        return {"": (len(node.earlier), len(node.text))}
    found = sections(node.text)
    return {name: found[name] for name in ("reasoning", "key_factors", "risk") if name in found} if found else {"": (0, len(node.text))}


def action_word(action: str | None, result: json_fields.Fields, show: Show, *, valid: bool = True) -> str:
    """Return `Enter short`, `Reduce −50 %`, `Wait, not valid`."""
    say = show.say
    kind, percent = json_fields.words(result, "adjustment_type"), json_fields.number(result, "adjustment_pct")
    if action == Signal.ADJUST and kind in ("scale_in", "partial_exit"):
        word = say(kind, pct=numbers.signed_percent(percent, 0))
    else:
        word = say(action) if action in {str(signal) for signal in Signal} else (action or numbers.DASH)
    return word if valid else say("not_valid", action=word)


def named_action(action: str | None, show: Show, *, valid: bool = True) -> tuple[str, str]:
    """Return the sign and the word of an action."""
    return action_glyph(action, {}, valid=valid), action_word(action, {}, show, valid=valid)


def stability_panel(view: DecisionView, show: Show) -> Markup:
    """Return how far the repetitions of a decision agree; "" where nothing was asked again."""
    return stamp_card(view.stability, view.ending.action if view.ending is not None else None, partial(named_action, show=show), show)


def held_side(view: DecisionView) -> str | None:
    """Return `long` or `short` of the position a run was asked about; None without one."""
    return json_fields.words(view.holding, "side")


def action_glyph(action: str | None, result: json_fields.Fields, *, valid: bool = True, side: str | None = None) -> str:
    """Return the sign that goes with the word: the way its order goes, so that adding to a short points down. side: of the position, None
    where it is not known."""
    if not valid:
        return STATE_SIGNS["invalid"][0]
    if action == Signal.ADJUST:
        way = (json_fields.number(result, "adjustment_pct") or 0.0) * {"long": 1, "short": -1}.get(side or "", 0)
        return "▲" if way > 0 else "▼" if way < 0 else "◆"
    return next((glyph for signal, glyph in GLYPHS.items() if signal == action), "◆")


def _decided(view: DecisionView, show: Show, limits: str) -> BarWords:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.action is None:
        sign, colour = STATE_SIGNS[view.status]
        word = say("run_stopped" if ending.stopped else "run_failed")
        return BarWords(sign, word, say("nothing_ordered"), f"tb-{colour}", settled=True)
    result = executor_result(view)
    signal = next((known for known in Signal if known == ending.action), None)
    tone = _TONE.get(signal, "") if signal and ending.is_valid else ("" if ending.is_valid else "tb-bad")
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
    return BarWords(
        action_glyph(ending.action, result, valid=ending.is_valid, side=held_side(view)),
        not_valid_word(view, show) or action_word(ending.action, result, show, valid=ending.is_valid),
        Markup(" · ").join(remarks),
        tone,
        settled=True,
    )


def _speaking(view: DecisionView, show: Show) -> BarWords:
    say = show.say
    if view.run_id is None:
        return BarWords(NO_RUN, say("no_run"), say("no_run_hint"))
    if view.reading is not None:
        return BarWords(STATE_SIGNS["running"][0], *reading_words(view.reading, show))
    step = max((index for index, stage in enumerate(stages(view), 1) if stage.nodes), default=1)
    safe = SAFE_ACTION["position" if view.is_position else "entry"]
    remark = markup("{} · {} <b>{}</b>", say("step_of", n=step), say("if_fails"), safe)
    word = say("state_interrupted").capitalize() if view.interrupted else _now(view, show)
    return BarWords(STATE_SIGNS[view.status][0], word, remark)


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
    return [*(_position_numbers(view, show) if view.is_position else _entry_numbers(view, show)), *_consensus(view, show)]


def _entry_numbers(view: DecisionView, show: Show) -> list[Markup]:
    say, result = show.say, executor_result(view)
    price = view.opening.price if view.opening else None
    stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
    if stop is None:
        return []
    return [
        level(say("entry"), numbers.price(price, show.step), say("at_market")),
        level(say("stop"), numbers.price(stop, show.step), _distance(stop, price)),
        level(say("target"), numbers.price(target, show.step), _distance(target, price)),
        _ratio(view, json_fields.number(result, "risk_reward_ratio"), show),
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
    holding = view.holding
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
    if view.opening is None or view.opening.price is None or not entry:
        return None
    return (view.opening.price / entry - 1) * (100 if side == "long" else -100)


def _distance(level_: float | None, price: float | None) -> str:
    return numbers.signed_percent((level_ / price - 1) * 100) if level_ and price else ""


def _consensus(view: DecisionView, show: Show) -> list[Markup]:
    found, say = view.consensus, show.say
    asked = view.opening.analysts if view.opening else ()
    spoke = sum(view.role(name).state == "done" for name in asked)
    if found is None or found.direction is None:
        return []
    text = f"{ARROWS.get(found.direction, '◆')} {numbers.number(found.confidence)}"
    return [level(say("consensus"), text, say("of_reports", n=spoke, of=len(asked)))]
