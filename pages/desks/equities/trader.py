"""The trader: what it made of the decision, how such an order is traded here, and its outcome."""

from markupsafe import Markup

from engine.domain.shown_state import state_of_proposal
from pages.desks.equities.equity_view import EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING, action_text, marked, of_equities, speech_state, who
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, label, level, skeleton
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.node_state import state, unreached
from pages.run.sized import sized_line
from pages.run.state_signs import asks
from pages.trading.proposal_state import filed_chip


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
