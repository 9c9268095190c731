"""The open positions as rows: how each goes, how far it is to its stop, whether what it was entered for still holds; and all of them
together. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from markupsafe import Markup

from engine.api import HeldPosition
from pages.frame import numbers
from pages.frame.cards import level, share
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.positions.equity_curve import Equity, day_result
from pages.positions.position_money import after_costs, are_shares, coloured, money_level, r_text, side_word, units_of
from pages.trading.account_names import account_name
from pages.trading.queue_rows import row_of

HEADS = ("row_position", "result_by_now", "row_to_stop", "row_rules", "row_since")


def position_row(held: HeldPosition, show: Show, currency: str, *, opened: bool) -> Markup:
    """Return one row. show: with the step of its market. currency: of shares, "" where it is not known. opened: its chart is shown."""
    say, position = show.say, held.position
    base, quote = units_of(held, currency, show)
    lever = "" if are_shares(held) else f" {numbers.number(position.leverage)}×"
    side = markup("<b>{}</b>{} · {} {}", side_word(position.sign, show), lever, f"{position.size:f}", base)
    money = held.result if held.result is not None else held.unrealised
    small = r_text(held.in_r) or (say("row_before_costs") if held.result is None else after_costs(held.record, show) if held.record else "")
    bars = held.facts.get("hold_count")
    since = say("bars_n", n=numbers.number(bars)) if bars is not None else numbers.DASH
    cells = [
        ("what", markup("<b>{}</b>", position.symbol), side),
        ("n", coloured(money, quote), small),
        ("way", _bar(held), _to_stop(held, show)),
        ("rules", *_rules(held, show)),
        ("n left", since, account_name(held.account, show)),
    ]
    return row_of(cells, " tb-prow", chosen=opened)


def _bar(held: HeldPosition) -> Markup:
    """Return the way from the stop to the target as a bar: filled as far as the price is on it, with a tick where it comes out even; from
    the stop to twice the way to the entry where there is no target. Empty where there is no stop, or no price."""
    position, price, stop = held.position, held.price, held.position.stop
    if stop is None or price is None:
        return Markup('<span class="m none" aria-hidden="true"></span>')
    end = position.target if position.target is not None else stop + 2 * (position.entry_price - stop)
    if end == stop:
        return Markup('<span class="m none" aria-hidden="true"></span>')

    def along(at: Decimal) -> str:
        return share(float((at - stop) / (end - stop)) * 100)

    even = markup('<i style="left:{}%"></i>', along(held.break_even)) if held.break_even is not None else ""
    tone = "tb-up" if (held.result or held.unrealised or Decimal(0)) > 0 else "tb-down"
    return markup('<span class="m" aria-hidden="true"><span class="{}" style="width:{}%"></span>{}</span>', tone, along(price), even)


def _to_stop(held: HeldPosition, show: Show) -> Markup:
    """Return `0.87 % to the stop, 109,714.4: −1.02 R`."""
    say, stop = show.say, held.position.stop
    if stop is None:
        return markup('<b class="tb-bad">{}</b>', say("no_stop"))
    away = numbers.percent(abs(float(stop / held.price - 1)) * 100) if held.price else numbers.DASH
    at_stop = r_text(held.record.in_r(held.at_stop)) if held.record is not None else ""
    return markup("{} <b>{}</b>", say("row_stop_at", pct=away, stop=numbers.price(float(stop), show.step)), at_stop)


def _rules(held: HeldPosition, show: Show) -> tuple[Markup, str]:
    """Return `3 of 4 hold`, and what of the others is known."""
    say, count = show.say, len(held.checked)
    if not count:
        return markup("<b>{}</b>", numbers.DASH), say("row_no_rules")
    broken, unknown = (sum(each.broken is state for each in held.checked) for state in (True, None))
    sign, css_class = ("✕", "tb-inv-bad") if broken else ("?", "tb-inv-warn") if unknown else ("✓", "")
    words = say("row_rules_hold", n=count - broken - unknown, of=count)
    rest = say("list_comma").join(say(key, n=n) for key, n in (("row_rules_broken", broken), ("row_rules_unknown", unknown)) if n)
    return markup('<b class="{}"><span aria-hidden="true">{}</span> {}</b>', css_class, sign, words), rest


def totals_bar(
    held: Sequence[HeldPosition], currencies: Mapping[str, str], curves: Mapping[str, Equity], now: datetime, show: Show
) -> Markup:
    """Return what all positions come to together, a group of numbers a currency: result, the day's, margin, and what they come to if every
    stop is hit. currencies: of shares, by symbol. curves: equity over time, by account. now: whose day it is."""
    groups: dict[str, list[HeldPosition]] = {}
    for each in held:
        groups.setdefault(currencies.get(each.position.symbol) or each.money, []).append(each)
    shown = joined(markup('<div class="tb-lev">{}</div>', joined(_sums(group, unit, curves, now, show))) for unit, group in groups.items())
    return (
        markup('<section class="tb tb-card tb-sums" role="region" aria-label="{}">{}</section>', show.say("sums"), shown)
        if groups
        else shown
    )


def _sums(held: Sequence[HeldPosition], unit: str, curves: Mapping[str, Equity], now: datetime, show: Show) -> list[Markup]:
    say = show.say
    accounts = {each.account for each in held}
    days = [day_result(curves[name], now) for name in sorted(accounts) if name in curves]
    day = sum((each for each in days if each is not None), 0.0) if days and None not in days else None
    bare = sum(each.position.stop is None for each in held)
    sums = {
        "result_by_now": _sum([each.result for each in held]),
        "at_every_stop": _sum([each.at_stop for each in held]),
        "margin": _sum([each.margin for each in held]),
    }
    in_r = [each.in_r for each in held]
    together = r_text(sum(value for value in in_r if value is not None)) if None not in in_r else ""
    worth = sum((each.position.size * (each.price or each.position.entry_price) for each in held), Decimal(0))
    margin = f"{numbers.number(float(sums['margin'] or 0), 2)} {unit}"
    return [
        money_level(say("result_by_now"), sums["result_by_now"], unit, together),
        money_level(say("sum_day"), Decimal(str(round(day, 8))) if day is not None else None, unit, say("sum_day_means")),
        level(say("book_margin"), margin, say("sum_notional", money=f"{numbers.number(float(worth), 0)} {unit}")),
        money_level(say("book_at_stops"), sums["at_every_stop"], unit, say("sum_bare", n=bare) if bare else say("costs_in_all")),
        level(say("book_positions"), str(len(held)), say("sum_accounts", n=len(accounts)) if len(accounts) > 1 else ""),
    ]


def _sum(values: Sequence[Decimal | None]) -> Decimal | None:
    """Return the sum; None where one of them is not known."""
    known = [value for value in values if value is not None]
    return sum(known, Decimal(0)) if len(known) == len(values) else None
