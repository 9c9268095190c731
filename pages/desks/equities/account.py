"""The account that is decided for, the five bounds of the largest order, worked out in code and enforced after the debate; and the trader,
who asks for the order."""

from markupsafe import Markup

from engine.domain.shown_state import state_of_proposal
from pages.desks.equities.equity_view import EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING, action_text, marked, money, of_equities, speech_state, who
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, head, heading, label, level, share, skeleton, table
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.bar import sized_line
from pages.run.states import asks, state, unreached
from pages.trading.proposal_state import filed_chip

BOUNDS = ("cash", "one_name", "holdings", "loss_at_stop", "drawdown")


@of_equities
def account_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return value, cash and drawdown, what is held, and which of the five bounds binds."""
    say, account = show.say, facts.account
    if not account:  # of a run that has ended it is not known any more; before, its card is there
        title = say("eq_account_title")
        return NOTHING if view.ending else card(head(heading(title)), skeleton(90, 70, 80, 60), label=title)
    total, cash = json_fields.number(account, "total_value"), json_fields.number(account, "cash")
    fall, halts = json_fields.number(account, "max_drawdown_pct"), _risk(facts, "max_drawdown_pct")
    part = numbers.percent(cash / total * 100, 1) if cash is not None and total else ""
    levels = (
        level(say("eq_total_value"), money(total), facts.currency),
        level(say("eq_cash"), money(cash), part),
        level(
            say("eq_max_drawdown"),
            numbers.signed_percent(-fall, 1) if fall is not None else numbers.DASH,
            say("eq_halts_at", pct=numbers.percent(halts, 1)) if halts is not None else "",
        ),
    )
    figures = markup('<div class="tb-lev">{}</div>', joined(each for each in levels))
    title = say("eq_account_title")
    apart = markup('<p class="tb-lab">{}</p>', say("eq_one_currency", currency=facts.currency)) if facts.currency else NOTHING
    body = (head(heading(title), label(say("tag_paper"))), figures, _positions(account, total, show), apart, _bounds(view, facts, show))
    return card(*body, label=title)


def _risk(facts: EquityOpening, name: str) -> float | None:
    return json_fields.number(json_fields.inner(facts.request, "risk"), name)


def _positions(account: json_fields.Fields, total: float | None, show: Show) -> Markup:
    say, held = show.say, json_fields.inner(account, "positions")
    if not held:
        return markup('<p class="tb-lab">{}</p>', say("eq_nothing_held"))
    rows = []
    for symbol in held:
        each = json_fields.inner(held, symbol)
        quantity, value, profit = (json_fields.number(each, name) for name in ("quantity", "market_value", "unrealized_pnl"))
        tone = "tb-up" if (profit or 0) > 0 else "tb-down" if (profit or 0) < 0 else ""
        part = numbers.percent(value / total * 100, 1) if value is not None and total else numbers.DASH
        gain = markup('<span class="{}">{}</span>', tone, numbers.signed(profit, 2))
        rows.append(
            [
                cell(markup("<b>{}</b>", symbol)),
                cell(numbers.number(quantity), "r"),
                cell(money(value), "r"),
                cell(part, "r"),
                cell(gain, "r"),
            ]
        )
    heads = (
        (say("eq_position"), False),
        (say("eq_col_shares"), True),
        (say("eq_col_value"), True),
        (say("eq_col_share"), True),
        (say("eq_col_profit"), True),
    )
    return table(heads, rows)


def _bounds(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the bounds, in shares where a price is known, the one that binds marked; nothing of a run that did not say them."""
    say, bounds = show.say, facts.largest_order.bounds
    if not bounds or view.is_index:
        return NOTHING
    price = json_fields.number(view.order, "price") or facts.price
    rows, most = [], max([*bounds.values(), 1e-9])
    for name in BOUNDS:
        if name not in bounds:
            continue
        binds, shares = name == facts.largest_order.binding, facts.shares(bounds[name], price)
        shown = numbers.number(shares) if shares is not None else money(bounds[name], 0)
        css_class, sign = ("near", "▸") if binds else ("ok", "·")
        words = say(f"eq_bound_{name}", pct=_percent_of(name, facts))
        named = markup("<b>{}</b>", words) if binds else words
        meter = markup(
            '<span class="m" aria-hidden="true"><span class="{}" style="width:{}%"></span></span>',
            "near" if binds else "",
            share(bounds[name] / most * 100),
        )
        rows.append(
            markup(
                '<div role="listitem"><span class="{}" aria-hidden="true">{}</span><span>{}</span><span class="tb-num">{}</span>{}</div>',
                css_class,
                sign,
                named,
                shown,
                meter,
            )
        )
    top = head(heading(say("eq_largest_title")), label(say("eq_at_price", price=numbers.price(price, facts.step))))
    return markup(
        '<div class="tb-bounds">{}<div class="tb-lim" role="list">{}</div>{}</div>',
        top,
        joined(rows),
        _what_binds(view, facts, price, show),
    )


def _percent_of(name: str, facts: EquityOpening) -> str:
    """Return the percentage in a bound's name, as the limits of the run have it."""
    found = {"one_name": "max_position_pct", "holdings": "max_exposure_pct", "loss_at_stop": "risk_per_trade_pct"}.get(name)
    return numbers.percent(_risk(facts, found), 1) if found is not None else ""


def _what_binds(view: EquityView, facts: EquityOpening, price: float | None, show: Show) -> Markup:
    say, shares = show.say, facts.shares(facts.largest_order.value, price)
    if facts.lot_unknown:
        return markup('<p class="tb-lab tb-warned">! {}</p>', say("eq_lot_unknown", symbol=facts.symbol))
    if shares is None or price is None:
        return NOTHING
    if shares == 0:
        least = max(facts.lot, json_fields.count(facts.listing, "min_order"))
        named = say("eq_share" if least == 1 else "eq_shares", n=numbers.number(least))
        words = say("eq_binds_none", bound=f"{money(facts.largest_order.value)} {facts.currency}", least=named)
        return markup('<p class="tb-lab tb-warned">! {}</p>', words)
    binds = say("eq_binds", shares=numbers.number(shares), money=f"{money(shares * price)} {facts.currency}")
    asked = json_fields.number(view.turn("risk_judge").result, "quantity")
    ordered = json_fields.number(view.order, "quantity")
    cut = (
        f" {say('eq_judge_cut', asked=numbers.number(asked), cut=numbers.number(asked - ordered))}"
        if asked and ordered and asked > ordered
        else ""
    )
    return markup('<p class="tb-lab">{} {}</p>', binds + cut, say("eq_no_text"))


@of_equities
def trader_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return its words with the claims in them, and the terms of the market; of the index preset nothing: nobody orders."""
    if view.is_index:
        return NOTHING
    say, speech = show.say, view.last_by("trader")
    if speech is None:
        over = view.ending is not None
        waits = state(kind := unreached(view), say(kind))
        body = NOTHING if over else skeleton(94, 71)
        return card(head(who("trader", show), waits), body, label=show.name("trader"))
    wanted = json_fields.inner(speech.result, "wanted")
    settled = {**wanted, **speech.result, "quantity": json_fields.number(json_fields.inner(speech.result, "order"), "quantity")}
    ruled = action_text(settled, show, facts.symbol) if speech.state == "done" else ""
    right = (
        label(say("confidence"), numbers.number(json_fields.number(settled, "confidence"))) if wanted else speech_state(speech, view, show)
    )
    top = head(markup('{}<b class="tb-ruling">{}</b>', who("trader", show), ruled), right)
    notes = [*json_fields.texts(speech.result, "errors"), *json_fields.texts(speech.result, "warnings")]
    said = joined(markup('<p class="tb-warned">! {}</p>', show.translated(note)) for note in notes)
    reason = markup('<p class="tb-bad">{}</p>', show.translated(speech.trouble)) if speech.trouble else NOTHING
    return card(
        top, reason, marked(speech, view, show), said, sized_line(speech.result, show), _terms(view, facts, show), label=show.name("trader")
    )


def _terms(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    say, order, listing = show.say, view.order, facts.listing
    if not listing:
        return NOTHING
    kind = numbers.DASH
    if order:
        kind = say("eq_limit_day") if json_fields.number(order, "limit_price") is not None else say("eq_market_order")
    waits = json_fields.count(listing, "sessions_until_sellable")
    limit = json_fields.number(listing, "price_limit_pct")
    rows = (
        level(say("eq_order_kind"), kind),
        level(
            say("eq_lot"),
            say("eq_lot_not_known")
            if facts.lot_unknown
            else say("eq_share" if facts.lot == 1 else "eq_shares", n=numbers.number(facts.lot)),
        ),
        level(say("eq_sells"), say("eq_same_session") if waits == 0 else say("eq_next_session")),
        level(say("eq_price_limit"), f"±{numbers.percent(limit, 0)}" if limit is not None else say("none_set")),
        level(say("eq_if_filled"), _if_filled(view, facts)),
        level(say("eq_record"), _record(view, show)),
    )
    return markup('<div class="tb-lev small">{}</div>', joined(rows))


def _if_filled(view: EquityView, facts: EquityOpening) -> str:
    quantity, price = json_fields.number(view.order, "quantity"), json_fields.number(view.order, "price")
    total = json_fields.number(facts.account, "total_value")
    if quantity is None or price is None or not total:
        return numbers.DASH
    held = json_fields.number(json_fields.inner(json_fields.inner(facts.account, "positions"), facts.symbol), "quantity") or 0.0
    after = held + quantity * (-1 if json_fields.words(view.order, "side") == "sell" else 1)
    return f"{numbers.number(after)} {facts.symbol} · {numbers.percent(after * price / total * 100, 1)}"


def _record(view: EquityView, show: Show) -> str:
    """Return the outcome of its order, as its proposal is now; of a past moment, as it was filed."""
    if view.proposal is not None:
        shown = state_of_proposal(view.proposal)
        return show.say("eq_waits_for_you" if asks(shown) else f"state_{shown}")
    if view.filed is not None:
        return filed_chip(view.filed, show.say).words
    return show.say("eq_no_record") if view.ending else numbers.DASH
