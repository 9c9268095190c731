"""The market line with its tags."""

from markupsafe import Markup

from engine.domain.errors import BadInput
from engine.domain.market.instrument import Market
from pages.desks.decision.decision_view import DecisionView
from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.bar import model_tag

_FEEDS = ("simulated", "recorded", "live")


def market_line(view: DecisionView, show: Show) -> Markup:
    """Return symbol, last price, change, venue, funding, ATR, the snapshot's time, and what kind of market and model this is; "" before the
    run has said it."""
    facts, say = view.opening, show.say
    if facts is None:
        return Markup()
    parts = [
        markup('<span class="sym">{}</span>', facts.symbol),
        markup('<span class="px">{}</span>', numbers.price(facts.price, show.step)),
    ]
    change = _fact(view, show, "change_24h_pct")
    if change is not None:
        up = change >= 0
        parts.append(
            markup('<span class="kv {}">{} {}</span>', "tb-up" if up else "tb-down", "▲" if up else "▼", numbers.signed_percent(change))
        )
    frames = " / ".join(frame for frame in (facts.timeframe, facts.timeframe_htf) if frame)
    parts.append(
        markup('<span class="kv">{}</span>', " · ".join(part for part in (frames, _venue(facts.symbol, facts.venue, show)) if part))
    )
    funding, atr = _fact(view, show, "funding_rate_pct"), _fact(view, show, "atr_14")
    if funding is not None:
        parts.append(_pair(say("funding"), numbers.percent(funding, 4)))
    if atr is not None:
        parts.append(_pair("ATR", numbers.number(atr, numbers.decimals(facts.price, show.step))))
    if facts.at is not None:
        parts.append(_pair(say("snapshot"), numbers.clock(facts.at)))
    return markup('<div class="tb tb-market">{}<span class="sp"></span>{}</div>', joined(parts), tags(view, show))


def tags(view: DecisionView, show: Show) -> Markup:
    """Return which market and which model, always on screen."""
    facts = view.opening
    if facts is None:
        return Markup()
    return markup('<span class="tb-tags">{}{}</span>', feed_tag(facts.feed, show), model_tag(facts.model, show))


def feed_tag(feed: str, show: Show) -> Markup:
    """Return `Recorded market`."""
    return markup('<span class="tb-tag">{}</span>', show.say(f"{feed}_market")) if feed in _FEEDS else Markup()


def _pair(name: str, value: str) -> Markup:
    return markup('<span class="kv">{} <b>{}</b></span>', name, value)


def _fact(view: DecisionView, show: Show, key: str) -> float | None:
    fact = show.facts.get(key)
    if fact is not None:
        return fact.number
    return view.opening.facts.get(key) if view.opening else None


def _venue(symbol: str, venue: str, show: Show) -> str:
    try:
        kind = show.say(Market.parse(symbol).kind)
    except BadInput:
        kind = ""
    named = show.say("simulated_venue") if venue == "simulated" else venue[:1].upper() + venue[1:]
    return " ".join(part for part in (named, kind) if part)
