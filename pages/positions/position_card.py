"""An open position as people read it: how it has gone, how far its levels are, and whether what it was entered for still holds. HTML,
without streamlit."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from markupsafe import Markup

from engine.api import HeldPosition
from engine.domain.holding import NATURES
from engine.domain.invalidation import InvalidationCheck
from pages.frame import numbers
from pages.frame.cards import level, message
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.positions.position_money import after_costs, money_level, r_text
from pages.trading.account_names import account_name
from pages.trading.answered import run_link
from pages.words.fact_names import fact_name
from pages.words.texts import Say

NOTHING = Markup()
_SIGNS = {True: ("✕", "broken", "bad"), False: ("✓", "holds", ""), None: ("?", "cannot_check", "warn")}


def position_card(held: HeldPosition, show: Show, said: Markup = NOTHING, currency: str = "") -> Markup:
    """Side, size, money, levels, thesis. said: why it was entered, claims marked, "" where its run is gone. currency: of shares, "" where
    it is not known. What shares do not have (leverage, liquidation) is not shown of them."""
    position, say = held.position, show.say
    word = {"long": "LONG", "short": "SHORT"}[position.side]
    glyph, tone = ("▲", "tb-up") if position.sign > 0 else ("▼", "tb-down")
    lever = "" if _are_shares(held) else f"{numbers.number(position.leverage)}×"
    top = markup(
        '<div class="tb-signhead"><b class="word"><span class="{}" aria-hidden="true">{}</span> {} {}</b>'
        '<b class="sym">{}</b><span class="sp"></span><span class="tb-tag">{}</span></div>',
        tone,
        glyph,
        say(word),
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


def _are_shares(held: HeldPosition) -> bool:
    return NATURES[held.position.instrument].paid_in_full


def _numbers(held: HeldPosition, show: Show, currency: str) -> list[Markup]:
    position, say, facts, shares = held.position, show.say, held.facts, _are_shares(held)
    price, entry, step = held.price, position.entry_price, show.step
    base, _, quote = position.symbol.partition(":")[0].partition("/")
    base, quote = (say("unit_shares"), currency) if shares else (base, quote)
    bars = facts.get("hold_count")
    opened = show.clock(position.opened_at) if position.opened_at else ""
    return [
        *_result(held, show, quote),
        money_level(
            say("unrealised"), _unrealised(held), quote, say("before_costs_pct", pct=numbers.signed_percent(facts.get("profit_pct")))
        ),
        *_booked(held, show, quote),
        level(
            say("price_now"),
            numbers.price(float(price) if price is not None else None, step),
            show.clock(held.at) if held.at else "",
        ),
        level(say("entry"), numbers.price(float(entry), step), opened),
        level(say("size"), f"{position.size:f} {base}", f"{numbers.number(float(position.size * (price or entry)))} {quote}".rstrip()),
        *_even(held, show),
        *(_level(held, name, show) for name in ("stop", "target", *(() if shares else ("liquidation",)))),
        *(_course(facts, say) if not shares or bars is not None else ()),
    ]


def _result(held: HeldPosition, show: Show, quote: str) -> list[Markup]:
    """Return what it has come to, money and R after the same costs; nothing where what it has cost is not known."""
    if held.record is None or held.result is None:
        return []
    small = " · ".join(part for part in (r_text(held.in_r), after_costs(held.record, show)) if part)
    return [money_level(show.say("result_by_now"), held.result, quote, small)]


def _unrealised(held: HeldPosition) -> Decimal | None:
    """Return its result before costs, rounded so that with what is booked it adds up to the result, to the cent."""
    if held.result is None or held.booked is None:
        return held.unrealised
    return round(held.result, 2) - round(held.booked, 2)


def _booked(held: HeldPosition, show: Show, quote: str) -> list[Markup]:
    """Return what is realised of it so far, with what it has cost; nothing where that is not known."""
    record, say = held.record, show.say
    if record is None or held.booked is None:
        return []
    fees = numbers.number(float(record.fees), 2)
    if _are_shares(held):
        return [
            money_level(
                say("booked"), held.booked, quote, say("booked_shares", fees=fees, dividends=numbers.number(float(record.dividends), 2))
            )
        ]
    funding = numbers.signed(float(record.funding), 2) if record.funding is not None else say("not_known")
    return [money_level(say("booked"), held.booked, quote, say("booked_of", fees=fees, funding=funding))]


def _even(held: HeldPosition, show: Show) -> list[Markup]:
    if held.record is None:
        return []
    even = numbers.price(float(held.break_even), show.step) if held.break_even is not None else numbers.DASH
    return [level(show.say("break_even"), even, after_costs(held.record, show))]


def _course(facts: Mapping[str, float | None], say: Say) -> list[Markup]:
    """Return how it has gone since it was entered, and for how long."""
    bars = facts.get("hold_count")
    return [
        level(say("best_worst"), _pair(facts.get("mfe_pct"), facts.get("mae_pct")), say("mfe_mae")),
        level(say("held_bars"), say("bars_n", n=numbers.number(bars)) if bars is not None else numbers.DASH, ""),
    ]


def _pair(best: float | None, worst: float | None) -> str:
    return f"{numbers.signed_percent(best)} / {numbers.signed_percent(worst)}"


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
