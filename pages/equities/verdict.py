"""The market line and the verdict bar: which company, as of when; what was decided, or who is speaking, and the numbers of the order."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.api import CompanyChart
from pages.equities.equity_steps import begun_step, step_names
from pages.equities.equity_view import ADVISOR, EquityFacts, EquityView, role_of_node
from pages.equities.pieces import NOTHING
from pages.equities.why import why_nothing
from pages.frame import json_fields, numbers
from pages.frame.cards import level
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.messages import not_valid_word
from pages.run.run_clock import reading_words
from pages.run.state_signs import NO_RUN, STATE_SIGNS
from pages.run.view import RunView
from pages.trading.limits import limits_count, limits_of_run

_GLYPHS = {"buy": "▲", "sell": "▼", "hold": "◆"}
_TONES = {"buy": " tb-up", "sell": " tb-down"}
FEED_WORDS = {"simulated": "eq_simulated", "recorded": "eq_recorded", "live": "eq_live"}


def tags(feed: str, model: str, show: Show) -> Markup:
    """Return which kind of companies and of model this is."""
    say = show.say
    source = markup('<span class="tb-tag">{}</span>', say(FEED_WORDS[feed])) if feed in FEED_WORDS else NOTHING
    scripted = model == "scripted"
    name = say("scripted_model") if scripted else say("model_tag", name=model)
    return markup('{}<span class="tb-tag{}">{}</span>', source, " warn" if scripted else "", name) if model else source


def asked_line(symbol: str, feed: str, model: str, show: Show) -> Markup:
    """Return what is asked for, until the run has said it itself."""
    shown = markup('<span class="sym">{}</span><span class="sp"></span>{}', symbol, tags(feed, model, show))
    return markup('<div class="tb tb-market">{}</div>', shown)


def facts_before(company: CompanyChart, session: str, feed: str, model: str) -> EquityFacts:
    """Return what the market line says of a company before a run has read it. session: that is asked for."""
    closes, since = company.candles.close, company.previous_close
    price = float(closes[-1]) if len(closes) else None
    change = {"change_1d_pct": (price / since - 1) * 100} if price is not None and since else {}
    listing = company.listing
    return EquityFacts(
        symbol=listing.symbol,
        name=listing.name,
        currency=listing.currency,
        trade_date=company.trade_date.isoformat(),
        session=session,
        price=price,
        previous_close=since,
        feed=feed,
        model=model,
        facts=change,
        listing=listing.model_dump(mode="json"),
    )


def market_line(view: EquityView, facts: EquityFacts, show: Show) -> Markup:
    """Return the company, its price, the change on the day and the moment that is decided for."""
    say = show.say
    change = facts.facts.get("change_1d_pct")
    parts = [markup('<span class="sym">{}</span><span class="px">{}</span>', facts.symbol, numbers.price(facts.price, facts.step))]
    if change is not None:
        css_class, arrow = ("tb-up", "▲") if change > 0 else ("tb-down", "▼") if change < 0 else ("", "◆")
        shown = numbers.signed_percent(change)
        parts.append(markup('<span class="kv {}"><span aria-hidden="true">{}</span> {}</span>', css_class, arrow, shown))
    if facts.name and facts.name != facts.symbol:
        parts.append(markup('<span class="kv">{} · {}</span>', facts.name, say("eq_last_close")))
    session = say("eq_" + facts.session) if facts.session in ("pre_open", "post_close") else facts.session
    parts.append(markup('<span class="kv">{} <b>{}</b> {}</span>', say("eq_trade_date"), facts.trade_date, session))
    for key, name, decimals in (("pe_ratio", "P/E", 1), ("atr_14", "ATR", 2)):
        if key in facts.facts:
            parts.append(markup('<span class="kv">{} <b>{}</b></span>', name, numbers.number(facts.facts[key], decimals)))
    parts.append(markup('<span class="sp"></span>{}', tags(facts.feed, facts.model, show)))
    return markup('<div class="tb tb-market">{}</div>', joined(parts))


def verdict_bar(view: RunView, show: Show, signed: Sequence[str] = (), limits: str = "") -> Markup:
    """Return the word, its remark and the numbers. signed: those that a signature would stand under, as safe HTML, in place of the order's
    own. limits: how many of them pass now."""
    run = view if isinstance(view, EquityView) else EquityView()
    glyph, tone, word, remark = _decided(run, show, limits) if run.ending else _speaking(run, show)
    because = why_nothing(run, show)
    why = markup('<div class="tb-why">{}</div>', because) if because else NOTHING
    said = markup('<div><div class="word">{}</div><div class="tb-lab">{}</div>{}</div>', word, remark, why)
    act = markup(
        '<div class="tb-act" role="status" aria-live="polite"><span class="arrow{}" aria-hidden="true">{}</span>{}</div>', tone, glyph, said
    )
    shown = joined(each for each in signed) if signed else order_numbers(run, show)
    css_class = "" if run.ending else " wait"
    return markup(
        '<section class="tb tb-verdict{}" role="region" aria-label="{}">{}<div class="tb-lev">{}</div></section>',
        css_class,
        show.say("decision"),
        act,
        shown,
    )


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


def _decided(view: EquityView, show: Show, limits: str) -> tuple[str, str, str, str]:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.status != "finished":
        sign, tone = STATE_SIGNS[view.status]
        return sign, f" tb-{tone}", say("run_stopped" if ending.stopped else "run_failed"), say("nothing_ordered")
    action, order = json_fields.words(view.ended_with, "trader_action") or "hold", view.order
    if not ending.is_valid:
        return (
            STATE_SIGNS["invalid"][0],
            " tb-bad",
            not_valid_word(view, show) or headline_word(ending.headline, show, valid=False),
            say("nothing_ordered"),
        )
    quantity = json_fields.number(order, "quantity")
    word = headline_word(ending.headline, show)
    if quantity and view.equity is not None:
        word = f"{word} {numbers.number(quantity)} {view.equity.symbol}"
    source = view.result_of(ADVISOR) if view.is_index else json_fields.inner(view.result_of("trader"), "wanted")
    confidence = json_fields.number(source, "confidence")
    remarks = [markup("{} <b>{}</b>", say("confidence"), numbers.number(confidence))] if confidence is not None else []
    asked = json_fields.number(view.result_of("risk_judge"), "quantity")
    if asked and quantity and asked > quantity:
        remarks.append(plain(say("eq_judge_asked", asked=numbers.number(asked), allowed=numbers.number(quantity))))
    if limits:
        remarks.append(plain(limits))
    elif measured := limits_of_run(view, view.limits):
        remarks.append(plain(limits_count(measured, show)))
    if not quantity:
        remarks.append(plain(say("nothing_ordered")))
    return headline_glyph(ending.headline), _TONES.get(action, ""), word, Markup(" · ").join(remarks)


def _speaking(view: EquityView, show: Show) -> tuple[str, str, str, str]:
    say = show.say
    if view.run_id is None:
        return NO_RUN, "", say("no_run"), say("eq_no_run_hint")
    if view.reading is not None:
        return (STATE_SIGNS["running"][0], "", *reading_words(view.reading, show))
    remark = markup(
        "{} · {} <b>{}</b>", say("eq_step_of", n=begun_step(view), of=len(step_names(view)) + 1), say("if_fails"), say("eq_HOLD")
    )
    return STATE_SIGNS[view.status][0], "", say("state_interrupted").capitalize() if view.interrupted else _now(view, show), remark


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


def order_numbers(view: EquityView, show: Show) -> Markup:
    """Return limit, stop, target, ratio and money of the order, dashes before there is one; of the index preset nothing: nobody orders."""
    facts, order, say = view.equity, view.order, show.say
    if view.is_index:
        return NOTHING
    price, quantity = json_fields.number(order, "price"), json_fields.number(order, "quantity")
    limit, stop, target = (json_fields.number(order, f"{name}_price") for name in ("limit", "stop", "target"))
    step = facts.step if facts else None
    value = json_fields.number(order, "value")
    pays = say("eq_pays", money=numbers.number(value)) if value is not None else ""
    name = say("eq_limit" if limit is not None or not order else "eq_at_market")
    ratio, loss_gain, share_of = _money(view, price, stop, target, quantity, show)
    return joined(
        each
        for each in (
            level(name, numbers.price(price, step), pays),
            level(say("stop"), numbers.price(stop, step), _away(stop, price, facts, show)),
            level(say("target"), numbers.price(target, step), _away(target, price, facts, show)),
            level(say("reward_risk"), ratio, say("before_costs") if ratio != numbers.DASH else ""),
            level(say("loss_gain"), loss_gain, share_of),
        )
    )


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
    total = json_fields.number(view.equity.account, "total_value") if view.equity else None
    currency = view.equity.currency if view.equity else ""
    part = show.say("eq_of_account", pct=numbers.percent(loss / total * 100)) if loss is not None and total else ""
    return ratio, shown if loss is not None or gain is not None else numbers.DASH, " · ".join(each for each in (currency, part) if each)


def _away(to: float | None, price: float | None, facts: EquityFacts | None, show: Show) -> str:
    if to is None or not price:
        return ""
    pct, atr = numbers.signed_percent((to / price - 1) * 100), facts.facts.get("atr_14") if facts else None
    return show.say("distance_atr", pct=pct, atr=numbers.number(abs(to - price) / atr, 1)) if atr else pct
