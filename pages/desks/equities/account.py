"""The account that is decided for, and the five bounds of the largest order: worked out in code, enforced after the debate."""

from markupsafe import Markup

from pages.desks.equities.equity_view import EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING, money, of_equities
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, head, heading, label, level, share, skeleton, table
from pages.frame.escape import joined, markup
from pages.frame.show import Show

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
