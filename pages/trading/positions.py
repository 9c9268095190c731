"""An open position as people read it: how it has gone, how far its levels are, and whether what it was entered for still holds; and how
the accounts have gone. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup

from engine.api import HeldPosition
from engine.domain.invalidation import InvalidationCheck
from pages.frame import numbers
from pages.frame.cards import card, head, heading, level, message
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.trading.account_names import account_name
from pages.trading.answered import run_link
from pages.words.fact_names import fact_name
from pages.words.texts import Say

POINTS = 120
NOTHING = Markup()
_LEAST_PCT = 8  # height of the lowest point
Curve = Sequence[tuple[datetime, float]]
_SIGNS = {True: ("✕", "broken", "bad"), False: ("✓", "holds", ""), None: ("?", "cannot_check", "warn")}


def position_card(held: HeldPosition, show: Show, said: Markup = NOTHING, currency: str = "") -> Markup:
    """Side, size, money, levels, thesis. said: why it was entered, claims marked, "" where its run is
    gone. currency: of shares, "" where it
    is not known. What shares do not have (leverage, liquidation) is not shown of them."""
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
    why = markup('<p class="tb-bad">{}</p>', held.why) if held.why else ""
    bare = "" if held.is_protected else message(say("no_stop_card"), bad=True)
    row = joined(_numbers(held, show, currency))
    return markup('<div class="tb tb-pos">{}{}<div class="tb-lev">{}</div>{}{}</div>', top, bare, row, why, _thesis(held, show, said))


def _are_shares(held: HeldPosition) -> bool:
    return held.position.instrument == "shares"


def _numbers(held: HeldPosition, show: Show, currency: str) -> list[Markup]:
    position, say, facts, shares = held.position, show.say, held.facts, _are_shares(held)
    price, entry, step = held.price, position.entry_price, show.step
    base, _, quote = position.symbol.partition(":")[0].partition("/")
    base, quote = (say("unit_shares"), currency) if shares else (base, quote)
    made = float((price - entry) * position.size * position.sign) if price is not None else None
    money = f"{numbers.signed(made, 2)} {quote}".rstrip() if made is not None else numbers.DASH
    bars = facts.get("hold_count")
    opened = numbers.clock(position.opened_at) if position.opened_at else ""
    return [
        level(say("unrealised"), money, numbers.signed_percent(facts.get("profit_pct"))),
        level(
            say("price_now"),
            numbers.price(float(price) if price is not None else None, step),
            numbers.clock(held.at) if held.at else "",
        ),
        level(say("entry"), numbers.price(float(entry), step), opened),
        level(say("size"), f"{position.size:f} {base}", f"{numbers.number(float(position.size * (price or entry)))} {quote}".rstrip()),
        *(_level(held, name, show) for name in ("stop", "target", *(() if shares else ("liquidation",)))),
        *(_course(facts, say) if not shares or bars is not None else ()),
    ]


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


def accounts_panel(curves: Mapping[str, Curve], show: Show) -> Markup:
    """Return a line for every account that has traded; "" when none has."""
    if not curves:
        return Markup()
    return card(
        head(heading(show.say("accounts"))), *(_account(name, curve, show) for name, curve in curves.items()), label=show.say("accounts")
    )


def _account(name: str, curve: Curve, show: Show) -> Markup:
    values = [equity for _, equity in thinned(curve)]
    first, last = values[0], values[-1]
    gone = numbers.signed_percent((last / first - 1) * 100) if first else numbers.DASH
    since = plain(show.say("since_when", when=numbers.clock(curve[0][0])))
    span = plain(show.say("equity_span", low=numbers.number(min(values), 2), high=numbers.number(max(values), 2)))
    said = plain(show.say("equity_line", first=numbers.number(first), last=numbers.number(last)))
    equity_now = markup('<b>{}</b> <span>{}</span> <span class="tb-muted">{} · {}</span>', numbers.number(last, 2), gone, since, span)
    line = markup('<div class="line" role="img" aria-label="{}"><i style="clip-path:polygon({})"></i></div>', said, _outline(values))
    return markup('<div class="tb-acc"><span class="tb-tag">{}</span> {}{}</div>', account_name(name, show), equity_now, line)


def thinned(curve: Curve, most: int = POINTS) -> Curve:
    """Return at most so many points, evenly taken; the first and the last among them."""
    if len(curve) <= most:
        return curve
    step = (len(curve) - 1) / (most - 1)
    return [curve[round(index * step)] for index in range(most)]


def _outline(values: Sequence[float]) -> str:
    """Return the ground under the equity, from its lowest to its highest: every value holds until the next one."""
    low, high = min(values), max(values)
    span, width = high - low or 1.0, 100 / len(values)
    steps = []
    for index, value in enumerate(values):
        top = 100 - _LEAST_PCT - (value - low) / span * (100 - _LEAST_PCT)
        steps += [f"{index * width:.2f}% {top:.1f}%", f"{(index + 1) * width:.2f}% {top:.1f}%"]
    return ",".join(["0% 100%", *steps, "100% 100%"])
