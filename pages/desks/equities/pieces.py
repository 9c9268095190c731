"""The pieces that the desk's panels share: heads of speakers, directions, marked words, the doors of a room. Builders of safe HTML."""

from collections.abc import Callable
from functools import wraps

from markupsafe import Markup

from engine.domain.claims import Claim
from pages.claims.claim_markup import mark_claims
from pages.desks.equities.equity_view import EquityOpening, EquityView, role_of_node
from pages.frame import json_fields, numbers
from pages.frame.cards import chip, share
from pages.frame.escape import markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.live_seat import live_seat, running_seconds
from pages.run.states import clock_of, state
from pages.run.view import RunView, Turn

NOTHING = Markup("")
_WORDS = {"BULLISH": "LONG", "BEARISH": "SHORT", "NEUTRAL": "NEUTRAL"}
_ARROWS = {"BULLISH": "▲", "BEARISH": "▼", "BUY": "▲", "SELL": "▼"}


def of_equities(build: Callable[[EquityView, EquityOpening, Show], Markup]) -> Callable[[RunView, Show], Markup]:
    """Return a panel of any run: "" for one that is not of this desk, or has not said yet what it is about."""

    @wraps(build)
    def panel(view: RunView, show: Show) -> Markup:
        return build(view, view.opening, show) if isinstance(view, EquityView) and view.opening is not None else NOTHING

    return panel


def who(node: str, show: Show) -> Markup:
    """Return who is behind a node: colour, shape, letter and name."""
    return chip(role_of_node(node), show)


def direction(fields: Fields, show: Show, *, bar: bool = True) -> Markup:
    """Return `▲ Bullish 61` with a bar of the confidence; "" without a view."""
    word, confidence = json_fields.words(fields, "direction"), json_fields.number(fields, "confidence")
    if word is None:
        return NOTHING
    text = f"{_ARROWS.get(word, '◆')} {show.say('eq_' + word) if word in _WORDS else word}"
    text += f" {numbers.number(confidence)}" if confidence is not None else ""
    meter = (
        markup('<span class="bar" aria-hidden="true"><span style="width:{}%"></span></span>', share(confidence))
        if bar and confidence
        else ""
    )
    return markup('<span class="tb-dir">{}{}</span>', text, meter)


def action_text(fields: Fields, show: Show, symbol: str = "") -> str:
    """Return `▲ Buy 68 AAPL`, `◆ Hold`; "" where nothing was ruled."""
    action, quantity = (json_fields.words(fields, "action") or "").upper(), json_fields.number(fields, "quantity")
    if not action:
        return ""
    word = show.say(f"eq_{action}") if action in ("BUY", "SELL", "HOLD") else action
    amount = f" {numbers.number(quantity)}" if quantity and action != "HOLD" else ""
    named = f" {symbol}" if symbol and amount else ""
    return f"{_ARROWS.get(action, '◆')} {word}{amount}{named}"


def speech_state(speech: Turn, view: EquityView, show: Show) -> Markup:
    """Return a speech's state with its seconds."""
    say = show.say
    now = speech.ended_at or clock_of(view, show)
    word = say("writing" if speech.state == "running" else speech.state)
    if speech.state == "waiting":
        return state("waiting", word)
    spent = (now - speech.started_at).total_seconds() if now and speech.started_at else None
    if spent is None:
        return state(speech.state, word)
    return state(speech.state, markup("{} {}", word, numbers.seconds(spent) if speech.ended_at else running_seconds(spent, show)))


def placed_claims(speech: Turn) -> list[Claim]:
    """Return the claims of a speech that are where they were read."""
    words = speech.words
    return [claim for claim in speech.claims if words[claim.start : claim.end] == claim.text]


def marked(speech: Turn, view: EquityView, show: Show) -> Markup:
    """Return the words of a speech, its claims marked, growing while it is made."""
    words, claims = speech.words, placed_claims(speech)
    if speech.state != "running":
        return mark_claims(words, claims, show)
    return live_seat(speech, mark_claims(words, claims, show, growing=True))


def room_entrance(sees: str, sealed: str, show: Show) -> Markup:
    """Return what a room could see and what was kept from it."""
    first = _eye("r", show.say("eq_could_see"), sees, strong=True)
    return markup('<div class="tb-door">{}{}</div>', first, _eye("x", show.say("eq_sealed"), sealed))


def room_exit(left: str, stayed: str, show: Show) -> Markup:
    """Return what left a room and what stayed in it."""
    first = _eye("w", show.say("eq_went_out"), left, strong=True)
    return markup('<div class="tb-door out">{}{}</div>', first, _eye("x", show.say("eq_stayed"), stayed))


def eye(look: str) -> Markup:
    """Return a square: `r` sees, `w` writes, `x` sealed, `nil` nothing there yet."""
    return markup('<i class="tb-eye {}" aria-hidden="true"></i>', look)


def _eye(look: str, word: str, what: str, *, strong: bool = False) -> Markup:
    said = markup("<b>{}</b>", what) if strong else what
    return markup("<span>{}<em>{}</em> {}</span>", eye(look), word, said)


def money(value: float | None, decimals: int = 2) -> str:
    """Return an amount in the account's currency."""
    return numbers.number(value, decimals)
