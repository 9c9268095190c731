"""The market line with its tags."""

from engine.domain.errors import BadInput
from engine.domain.market.instrument import Market
from pages.frame import numbers
from pages.frame.escape import plain
from pages.frame.show import Show
from pages.run.view import RunView

_FEEDS = ("simulated", "recorded", "live")


def market_line(view: RunView, show: Show) -> str:
    """Symbol, last price, change, venue, funding, ATR, the snapshot's time, and what kind of market and model this is."""
    facts, say = view.facts, show.say
    if facts is None:
        return f'<div class="tb tb-market"><span class="sym">{plain(say("market"))}</span></div>'
    parts = [f'<span class="sym">{plain(facts.symbol)}</span>', f'<span class="px">{numbers.price(facts.price, show.step)}</span>']
    change = _fact(view, show, "change_24h_pct")
    if change is not None:
        up = change >= 0
        parts.append(f'<span class="kv {"tb-up" if up else "tb-down"}">{"▲" if up else "▼"} {numbers.signed_percent(change)}</span>')
    frames = " / ".join(frame for frame in (facts.timeframe, facts.timeframe_htf) if frame)
    parts.append(f'<span class="kv">{plain(" · ".join(part for part in (frames, _venue(facts.symbol, facts.venue, show)) if part))}</span>')
    funding, atr = _fact(view, show, "funding_rate_pct"), _fact(view, show, "atr_14")
    if funding is not None:
        parts.append(_pair(say("funding"), numbers.percent(funding, 4)))
    if atr is not None:
        parts.append(_pair("ATR", numbers.number(atr, numbers.decimals(facts.price, show.step))))
    if facts.at is not None:
        parts.append(_pair(say("snapshot"), numbers.clock(facts.at)))
    return f'<div class="tb tb-market">{"".join(parts)}<span class="sp"></span>{tags(view, show)}</div>'


def tags(view: RunView, show: Show) -> str:
    """Return which market and which model, always on screen."""
    facts = view.facts
    return "" if facts is None else feed_tag(facts.feed, show) + model_tag(facts.model, show)


def feed_tag(feed: str, show: Show) -> str:
    """Return `Recorded market`."""
    return f'<span class="tb-tag">{plain(show.say(f"{feed}_market"))}</span>' if feed in _FEEDS else ""


def model_tag(model: str, show: Show) -> str:
    """Return `Scripted model`, in the colour of a warning, or the model's name."""
    if model == "scripted":
        return f'<span class="tb-tag warn">{plain(show.say("scripted_model"))}</span>'
    return f'<span class="tb-tag">{plain(show.say("model_tag", name=model))}</span>' if model else ""


def _pair(name: str, value: str) -> str:
    return f'<span class="kv">{plain(name)} <b>{plain(value)}</b></span>'


def _fact(view: RunView, show: Show, key: str) -> float | None:
    fact = show.facts.get(key)
    if fact is not None:
        return fact.number
    return view.facts.known.get(key) if view.facts else None


def _venue(symbol: str, venue: str, show: Show) -> str:
    try:
        kind = show.say(Market.parse(symbol).kind)
    except BadInput:
        kind = ""
    return " ".join(part for part in (venue[:1].upper() + venue[1:], kind) if part)
