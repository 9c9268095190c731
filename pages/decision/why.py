"""The first sentence of why a decision is what it is: a closed gate, a feed that was down, a limit, or the executor's own first words."""

from markupsafe import Markup

from engine.domain.decision import Signal
from pages.claims.claim_markup import mark_claims, quoted
from pages.claims.prose import first_sentence, sections
from pages.decision.decision_view import DecisionView
from pages.frame import json_fields, numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.messages import refused_key


def why_sentence(view: DecisionView, show: Show) -> Markup:
    """Return it as a paragraph; "" for a run that goes on, and for an order, whose reasons stand below. A model's words are marked as
    everywhere."""
    ending, checked = view.ending, view.checked
    if ending is None:
        return Markup()
    if checked is not None and checked.gate_closed:
        score = numbers.percent(checked.score, 0)
        return markup("<p>{}</p>", show.say("msg_gate", score=score, false=checked.false, total=checked.total))
    if refused := refused_key(view, show):
        return refused
    if ending.errors:
        return markup("<p>{}</p>", show.translated(first_sentence(ending.errors[0])[0]))
    return _executors(view, show) if ending.action in (Signal.WAIT, Signal.HOLD) else Markup()


def _executors(view: DecisionView, show: Show) -> Markup:
    node = view.role("executor")
    found = sections(node.text).get("reasoning")
    if found is not None:
        words, start = first_sentence(node.text[found[0] : found[1]])
        return mark_claims(node.text, node.claims, show, span=(found[0] + start, found[0] + start + len(words)))
    words, _ = first_sentence(json_fields.words(node.result, "reasoning") or "")
    return quoted(words, node.text, node.claims, show) if words else Markup()
