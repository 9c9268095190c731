"""An open position as people read it: how it has gone, how far its levels are, and whether what it was entered for still holds. HTML,
without streamlit."""

from datetime import datetime

from markupsafe import Markup

from engine.api import HeldPosition
from engine.domain.invalidation import InvalidationCheck
from pages.frame import numbers
from pages.frame.cards import level, message
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.positions.position_money import after_costs, are_shares, money_level, r_text, side_word, units_of
from pages.trading.account_names import account_name
from pages.trading.answered import run_link
from pages.words.fact_names import fact_name

NOTHING = Markup()
_SIGNS = {True: ("✕", "broken", "bad"), False: ("✓", "holds", ""), None: ("?", "cannot_check", "warn")}


def position_card(held: HeldPosition, show: Show, said: Markup = NOTHING, currency: str = "") -> Markup:
    """Side, size, money, levels, thesis. said: why it was entered, claims marked, "" where its run is gone. currency: of shares, "" where
    it is not known. What shares do not have (leverage, liquidation) is not shown of them."""
    position, say = held.position, show.say
    lever = "" if are_shares(held) else f"{numbers.number(position.leverage)}×"
    top = markup(
        '<div class="tb-signhead"><b class="word">{} {}</b><b class="sym">{}</b><span class="sp"></span>'
        '<span class="tb-tag">{}</span></div>',
        side_word(position.sign, show),
        lever,
        position.symbol,
        account_name(held.account, show),
    )
    why = markup('<p class="tb-bad">{}</p>', show.translated(held.why)) if held.why else ""
    bare = "" if held.is_protected else message(say("no_stop_card"), bad=True)
    still = markup('<p class="tb-warned">! {}</p>', say("stands_still", when=show.clock(held.at))) if held.stands_still else ""
    row = joined(_numbers(held, show, currency))
    return markup(
        '<div class="tb tb-pos">{}{}<div class="tb-lev">{}</div>{}{}{}</div>', top, bare, row, still, why, _thesis(held, show, said)
    )


def _numbers(held: HeldPosition, show: Show, currency: str) -> list[Markup]:
    """Return its numbers. What it has cost may not be known, and with it what it has come to."""
    position, say, facts, shares, record = held.position, show.say, held.facts, are_shares(held), held.record
    price, entry, step, bars = held.price, position.entry_price, show.step, facts.get("hold_count")
    base, quote = units_of(held, currency, show)
    percent = numbers.signed_percent(facts.get("profit_pct"))
    worth = f"{numbers.number(float(position.size * (price or entry)))} {quote}".rstrip()
    found = []
    if record is not None and held.result is not None:
        small = " · ".join(part for part in (r_text(held.in_r), after_costs(record, show)) if part)
        found.append(money_level(say("result_by_now"), held.result, quote, small))
    unrealised = held.unrealised
    if held.result is not None and held.booked is not None:  # so that both add up to the result, to the cent
        unrealised = round(held.result, 2) - round(held.booked, 2)
    found.append(money_level(say("unrealised"), unrealised, quote, say("before_costs_pct", pct=percent)))
    if record is not None and held.booked is not None:
        fees = numbers.number(float(record.fees), 2)
        funding = numbers.signed(float(record.funding), 2) if record.funding is not None else say("not_known")
        dividends = numbers.number(float(record.dividends), 2)
        small = say("booked_shares", fees=fees, dividends=dividends) if shares else say("booked_of", fees=fees, funding=funding)
        found.append(money_level(say("booked"), held.booked, quote, small))
    found += [
        level(say("price_now"), numbers.price(float(price) if price is not None else None, step), show.clock(held.at) if held.at else ""),
        level(say("entry"), numbers.price(float(entry), step), show.clock(position.opened_at) if position.opened_at else ""),
        level(say("size"), f"{position.size:f} {base}", worth),
    ]
    if record is not None:
        even = numbers.price(float(held.break_even), step) if held.break_even is not None else numbers.DASH
        found.append(level(say("break_even"), even, after_costs(record, show)))
    found += [_level(held, name, show) for name in ("stop", "target", *(() if shares else ("liquidation",)))]
    if shares and bars is None:
        return found
    pair = " / ".join(numbers.signed_percent(facts.get(name)) for name in ("mfe_pct", "mae_pct"))
    held_for = say("bars_n", n=numbers.number(bars)) if bars is not None else numbers.DASH
    return [*found, level(say("best_worst"), pair, say("mfe_mae")), level(say("held_bars"), held_for, "")]


def _level(held: HeldPosition, name: str, show: Show) -> Markup:
    value = getattr(held.position, "liquidation_price" if name == "liquidation" else name)
    if value is None:
        return level(show.say(name), numbers.DASH, show.say("no_stop") if name == "stop" else "")
    away = ""
    if held.price is not None:
        away = show.say("to_stop", pct=numbers.percent(abs(float(value / held.price - 1)) * 100))
    return level(show.say(name), numbers.price(float(value), show.step), away)


def _thesis(held: HeldPosition, show: Show, said: Markup) -> Markup:
    say, thesis = show.say, held.thesis
    if thesis is None:
        return markup('<div class="tb-thesis"><p class="tb-muted">{}</p></div>', say("no_thesis"))
    rows = joined(_condition(each, show) for each in held.checked)
    listed = markup('<ul class="tb-inv">{}</ul>', rows) if rows else ""
    link = run_link(thesis.run_id, say("open_run"), show)
    unchecked = markup('<p>{}</p><p class="tb-muted">{}</p>', thesis.text, say("thesis_unchecked")) if thesis.text else ""
    return markup('<div class="tb-thesis"><div class="tb-sub">{} · {}</div>{}{}</div>', say("thesis"), link, said or unchecked, listed)


def _condition(each: InvalidationCheck, show: Show) -> Markup:
    """Return `✓ holds · close below 77,590.0 (now 78,034.2)`."""
    say, condition = show.say, each.invalidation
    sign, word, css_class = _SIGNS[each.broken]

    def value(number: float | None) -> str:
        return numbers.number(number) if condition.kind == "time" else numbers.price(number, show.step)

    bound = fact_name(condition.other, show.language) if condition.other is not None else value(condition.bound)
    text = say("broken_if", what=f"{fact_name(condition.key, show.language)} {say(condition.relation)} {bound}")
    now = value(each.measured) + (f" / {value(each.against)}" if condition.other is not None and each.against is not None else "")
    measured = f" ({say('now_is', value=now)})" if each.measured is not None else ""
    state = markup('<b class="tb-inv-{}"><span aria-hidden="true">{}</span> {}</b>', css_class or "ok", sign, say(word))
    return markup("<li>{} · {}</li>", state, text + measured)


def positions_head(count: int, at: datetime, show: Show) -> Markup:
    """Return the page's name, and when it looked."""
    name = markup('<h2>{}</h2><span class="tb-muted" role="status">{}</span>', show.say("nav_positions"), count or "")
    return markup('<div class="tb tb-page">{}<span class="sp"></span><span class="tb-lab">{}</span></div>', name, numbers.clock(at))


def no_position(show: Show) -> Markup:
    """Flat, and known to be."""
    return markup('<div class="tb tb-card"><p><b>{}</b></p><p>{}</p></div>', show.say("no_position"), show.say("no_position_text"))
