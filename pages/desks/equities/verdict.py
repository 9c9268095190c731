"""The market line and the verdict bar: which company, as of when; what was decided, or who is speaking, and the numbers of the order."""

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from engine.desks.equities.chart_material import CompanyChart
from pages.claims.claim_markup import mark_claims
from pages.claims.prose import first_sentence
from pages.desks.equities.equity_steps import begun_step, step_names
from pages.desks.equities.equity_view import ADVISOR, EquityOpening, EquityView, role_of_node
from pages.desks.equities.pieces import placed_claims
from pages.frame import json_fields, numbers
from pages.frame.cards import level
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.bar import BarWords, bar, levels, now_said, reasons
from pages.run.limit_setting import limit_setting
from pages.run.market_line import figure, priced, run_tags, subject_line
from pages.run.messages import not_valid_word, refused_key
from pages.run.run_clock import reading_words
from pages.run.stamp import stamp_card, stamp_level
from pages.run.states import NO_RUN, STATE_SIGNS
from pages.run.view import RunView, Turn
from pages.trading.limits import limits_count, limits_of_run
from pages.words.fact_names import fact_name

_GLYPHS = {"buy": "▲", "sell": "▼", "hold": "◆"}
_TONES = {"buy": "tb-up", "sell": "tb-down"}


def why_nothing(view: EquityView, show: Show) -> Markup:
    """Return it as a paragraph, a model's words marked as everywhere; "" for a run that goes on, and for an order, whose reasons stand
    below. Of an index, which is not traded, what the advisor said first."""
    ending = view.ending
    if ending is None or view.order:
        return Markup()
    if refused := refused_key(view, show):
        return refused
    if ending.errors:
        return _plain(ending.errors[0], show)
    trader = view.last_by("trader")
    stopped = (*json_fields.texts(trader.result, "errors"), *json_fields.texts(trader.result, "warnings")) if trader is not None else ()
    if stopped and json_fields.words(json_fields.inner(trader.result, "wanted") if trader else {}, "action") != "HOLD":
        return _plain(stopped[-1], show)
    speakers = (ADVISOR,) if view.is_index else ("trader", "risk_judge")
    said = next((speech for name in speakers if (speech := view.last_by(name)) is not None and speech.words), None)
    return _first_of(said, show) if said is not None else Markup()


def _plain(text: str, show: Show) -> Markup:
    return markup("<p>{}{}</p>", first_sentence(show.translated(text))[0], limit_setting(text, show))


def _first_of(speech: Turn, show: Show) -> Markup:
    text = speech.words
    words, start = first_sentence(text)
    return mark_claims(text, placed_claims(speech), show, span=(start, start + len(words)))


def facts_before(company: CompanyChart, session: str, feed: str, model: str) -> EquityOpening:
    """Return what the market line says of a company before a run has read it. session: that is asked for."""
    closes, since = company.candles.close, company.previous_close
    price = float(closes[-1]) if len(closes) else None
    change = {"change_1d_pct": (price / since - 1) * 100} if price is not None and since else {}
    listing = company.listing
    return EquityOpening(
        symbol=listing.symbol,
        name=listing.name,
        currency=listing.currency,
        trade_date=company.trade_date.isoformat(),
        trading_session=session,
        price=price,
        feed=feed,
        model=model,
        facts=change,
        listing=listing.model_dump(mode="json"),
    )


def market_line(facts: EquityOpening, show: Show) -> Markup:
    """Return the company, its price, the change on the day and the moment that is decided for."""
    say = show.say
    parts = [priced(numbers.price(facts.price, facts.step), facts.facts.get("change_1d_pct"))]
    if facts.name and facts.name != facts.symbol:
        parts.append(markup('<span class="kv">{} · {}</span>', facts.name, say("eq_last_close")))
    session = say("eq_" + facts.trading_session) if facts.trading_session in ("pre_open", "post_close") else facts.trading_session
    parts.append(figure(say("eq_trade_date"), facts.trade_date, session))
    for key, name, decimals in (("pe_ratio", fact_name("pe_ratio", show.language), 1), ("atr_14", "ATR", 2)):
        if key in facts.facts:
            parts.append(figure(name, numbers.number(facts.facts[key], decimals)))
    return subject_line(facts.symbol, parts, run_tags(facts.feed, facts.model, show))


def verdict_bar(view: RunView, show: Show, signed: Sequence[Markup] = (), limits: str = "") -> Markup:
    """Return the bar: the word with its remark, and beside it the numbers, the words of the role that speaks, or why nothing is ordered.
    signed: the numbers that a signature would stand under, as safe HTML, in place of the order's own. limits: how many of them pass now."""
    run = view if isinstance(view, EquityView) else EquityView()
    if run.ending is None:
        return bar(_speaking(run, show), now_said(run, show, role_of_node), show.say("decision"))
    again = stamp_level(run.stability, _own_action(run), partial(named_action, show=show), show)
    body = levels([*(signed or order_numbers(run, show)), *again]) + reasons(why_nothing(run, show))
    return bar(_decided(run, show, limits), body, show.say("decision"))


def named_action(headline: str | None, show: Show, *, valid: bool = True) -> tuple[str, str]:
    """Return the sign and the word of what a run says it came to."""
    return headline_glyph(headline, valid=valid), headline_word(headline, show, valid=valid)


def stability_panel(view: EquityView, show: Show) -> Markup:
    """Return how far the repetitions of a decision agree; "" where nothing was asked again."""
    if not view.stability:
        return Markup()
    return stamp_card(view.stability, _own_action(view), partial(named_action, show=show), show)


def _own_action(view: EquityView) -> str | None:
    return json_fields.words(view.ending.shown, "trader_action") if view.ending is not None else None


def headline_word(headline: str | None, show: Show, *, valid: bool = True) -> str:
    """Return `Buy`, `Hold, not valid`, `Hold: Bullish` of what a run says it came to."""
    action, _, view = (headline or "").partition(": ")
    word = show.say(f"eq_{action.upper()}") if action in _GLYPHS else action or numbers.DASH
    if view in ("BULLISH", "BEARISH", "NEUTRAL"):
        word = show.say("eq_outlook", view=show.say(f"eq_{view}").lower())
    return word if valid else show.say("not_valid", action=word)


def headline_glyph(headline: str | None, *, valid: bool = True) -> str:
    """Return the sign that goes with the word."""
    action, _, view = (headline or "").partition(": ")
    glyph = {"BULLISH": "▲", "BEARISH": "▼"}.get(view, _GLYPHS.get(action, "◆"))
    return glyph if valid else STATE_SIGNS["invalid"][0]


def _decided(view: EquityView, show: Show, limits: str) -> BarWords:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.status != "finished":
        sign, tone = STATE_SIGNS[view.status]
        word = say("run_stopped" if ending.stopped else "run_failed")
        return BarWords(sign, word, say("nothing_ordered"), f"tb-{tone}", settled=True)
    action, order = json_fields.words(ending.shown, "trader_action") or "hold", view.order
    if not ending.is_valid:
        word = not_valid_word(view, show) or headline_word(ending.headline, show, valid=False)
        return BarWords(STATE_SIGNS["invalid"][0], word, say("nothing_ordered"), "tb-bad", settled=True)
    quantity = json_fields.number(order, "quantity")
    word = headline_word(ending.headline, show)
    if quantity and view.opening is not None:
        word = f"{word} {numbers.number(quantity)} {view.opening.symbol}"
    remarks = []
    if view.final.get("executor_confidence") is not None:
        left = json_fields.number(view.final, "final_confidence")  # after the penalty for false numbers, as the list of runs has it
        remarks.append(markup("{} <b>{}</b>", say("confidence"), numbers.number(left)))
    asked = json_fields.number(view.turn("risk_judge").result, "quantity")
    if asked and quantity and asked > quantity:
        remarks.append(plain(say("eq_judge_asked", asked=numbers.number(asked), allowed=numbers.number(quantity))))
    if limits:
        remarks.append(plain(limits))
    elif measured := limits_of_run(view, view.limits):
        remarks.append(plain(limits_count(measured, show)))
    if not quantity:
        remarks.append(plain(say("nothing_ordered")))
    return BarWords(headline_glyph(ending.headline), word, Markup(" · ").join(remarks), _TONES.get(action, ""), settled=True)


def _speaking(view: EquityView, show: Show) -> BarWords:
    say = show.say
    if view.run_id is None:
        return BarWords(NO_RUN, say("no_run"), say("eq_no_run_hint"))
    if view.reading is not None:
        return BarWords(STATE_SIGNS["running"][0], *reading_words(view.reading, show))
    remark = markup(
        "{} · {} <b>{}</b>", say("eq_step_of", n=begun_step(view), of=len(step_names(view)) + 1), say("if_fails"), say("eq_HOLD")
    )
    word = say("state_interrupted").capitalize() if view.interrupted else _now(view, show)
    return BarWords(STATE_SIGNS[view.status][0], word, remark)


def _now(view: EquityView, show: Show) -> str:
    busy = [node for node in view.nodes.values() if node.state in ("running", "retrying")]
    if not busy:
        return show.say("starting" if not view.nodes else "running").capitalize()
    node = next((node for node in reversed(busy) if not node.is_reader), busy[-1])
    if node.is_reader:
        return show.say("checking_numbers")
    if node.stage == "analysis" and node.name != ADVISOR:
        return show.say("analysts_write")
    if node.stage in ("memory", "fusion"):
        return show.say("eq_remembering")
    return show.say("is_speaking", role=show.name(role_of_node(node.name)))


def order_numbers(view: EquityView, show: Show) -> list[Markup]:
    """Return limit, stop, target, ratio and money of the order; none where nothing is ordered."""
    facts, order, say = view.opening, view.order, show.say
    if view.is_index or not order:
        return []
    price, quantity = json_fields.number(order, "price"), json_fields.number(order, "quantity")
    limit, stop, target = (json_fields.number(order, f"{name}_price") for name in ("limit", "stop", "target"))
    step = facts.step if facts else None
    value = json_fields.number(order, "value")
    pays = say("eq_pays", money=numbers.number(value)) if value is not None else ""
    ratio, loss_gain, share_of = _money(view, price, stop, target, quantity, show)
    return [
        level(say("eq_limit" if limit is not None else "eq_at_market"), numbers.price(price, step), pays),
        level(say("stop"), numbers.price(stop, step), _away(stop, price, facts, show)),
        level(say("target"), numbers.price(target, step), _away(target, price, facts, show)),
        level(say("reward_risk"), ratio, say("before_costs") if ratio != numbers.DASH else ""),
        level(say("loss_gain"), loss_gain, share_of),
    ]


def _money(
    view: EquityView, price: float | None, stop: float | None, target: float | None, quantity: float | None, show: Show
) -> tuple[str, str, str]:
    """Return the ratio, what is lost at the stop and won at the target, and the loss as a share of the account."""
    if price is None or quantity is None:
        return numbers.DASH, numbers.DASH, ""
    loss = (price - stop) * quantity if stop is not None else None
    gain = (target - price) * quantity if target is not None else None
    ratio = numbers.number(gain / loss, 2) if loss and gain and loss > 0 else numbers.DASH
    shown = " / ".join(numbers.signed(each, 0) for each in (None if loss is None else -loss, gain))
    total = json_fields.number(view.opening.account, "total_value") if view.opening else None
    currency = view.opening.currency if view.opening else ""
    part = show.say("eq_of_account", pct=numbers.percent(loss / total * 100)) if loss is not None and total else ""
    return ratio, shown if loss is not None or gain is not None else numbers.DASH, " · ".join(each for each in (currency, part) if each)


def _away(to: float | None, price: float | None, facts: EquityOpening | None, show: Show) -> str:
    if to is None or not price:
        return ""
    pct, atr = numbers.signed_percent((to / price - 1) * 100), facts.facts.get("atr_14") if facts else None
    return show.say("distance_atr", pct=pct, atr=numbers.number(abs(to - price) / atr, 1)) if atr else pct
