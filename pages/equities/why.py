"""The first sentence of why a run of the desk ordered nothing: an error, a bound of the code, or the trader's own first words."""

from markupsafe import Markup

from pages.claims.claim_markup import mark_claims
from pages.claims.prose import first_sentence
from pages.equities.equity_view import ADVISOR, EquityView, SpokenTurn
from pages.frame import json_fields
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.messages import refused_key


def why_nothing(view: EquityView, show: Show) -> Markup:
    """Return it as a paragraph, a model's words marked as everywhere; "" for a run that goes on, and for an order, whose reasons stand
    below. Of an index, where nobody orders, what the advisor said first."""
    ending = view.ending
    if ending is None or view.order:
        return Markup()
    if refused := refused_key(view, show):
        return refused
    if ending.errors:
        return _plain(show.translated(ending.errors[0]))
    trader = view.last_by("trader")
    stopped = (*json_fields.texts(trader.result, "errors"), *json_fields.texts(trader.result, "warnings")) if trader is not None else ()
    if stopped and json_fields.words(json_fields.inner(trader.result, "wanted") if trader else {}, "action") != "HOLD":
        return _plain(show.translated(stopped[-1]))
    speakers = (ADVISOR,) if view.is_index else ("trader", "risk_judge")
    said = next((speech for name in speakers if (speech := view.last_by(name)) is not None and speech.words), None)
    return _first_of(said, show) if said is not None else Markup()


def _plain(text: str) -> Markup:
    return markup("<p>{}</p>", first_sentence(text)[0])


def _first_of(speech: SpokenTurn, show: Show) -> Markup:
    text = speech.words
    words, start = first_sentence(text)
    claims = [claim for claim in speech.claims if text[claim.start : claim.end] == claim.text]
    return mark_claims(text, claims, show, span=(start, start + len(words)))
