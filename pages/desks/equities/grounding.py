"""Grounding: how many statements were right, and every false one with its truth and what the next speaker made of it."""

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from pages.claims.corrections import corrections_table, none_false, planted_line
from pages.claims.disputing import disputed_count, drawn_verdict
from pages.desks.equities.equity_view import EquityOpening, EquityView, role_of_node
from pages.desks.equities.pieces import of_equities
from pages.frame import json_fields, numbers
from pages.frame.cards import card, chip, head, label
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.states import state, unreached
from pages.run.view import Turn


@of_equities
def grounding_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the summary and the table of corrections, growing: every speech is checked when it is made."""
    say, claims = show.say, view.claims
    top = chip("grounding", show)
    if not claims:
        waiting = state(kind := unreached(view), say(kind))
        words = say("none_checkable") if view.ending else say("eq_grounding_waits")
        return card(head(top, waiting), markup('<p class="tb-muted">{}</p>', words), label=say("grounding"))
    good, bad = (sum(claim.verdict == verdict for claim in claims) for verdict in ("true", "false"))
    share = numbers.percent(100 * bad / (good + bad) if good + bad else 0.0, 0)
    summary = say(
        "eq_grounding_summary", good=good, total=good + bad, score=share, fixed=bad, open=len(claims) - good - bad
    ) + disputed_count(claims, show)
    top = head(markup("{}{}", top, label(summary)), _gate(view, show))
    found = {(role_of(claim.source), claim.key) for claim in claims if claim.verdict == "false"}
    planted = planted_line([(lie.role, lie.key) for lie in view.planted], found, show, over=view.ending is not None)
    return card(top, _corrections(view, good, show), planted, label=say("grounding"))


def _gate(view: EquityView, show: Show) -> Markup:
    """Return the scores that the gate goes by and what false numbers took off the confidence, once the run has ended."""
    final, say = view.final, show.say
    if "confidence_penalty" not in final:
        return Markup()
    debates, analysts = json_fields.number(final, "hallucination_score"), json_fields.number(final, "analysis_hallucination_score")
    penalty = numbers.signed_percent(-(json_fields.number(final, "confidence_penalty") or 0.0), 0)
    unchecked = debates is None and analysts is None
    closed = json_fields.flag(final, "gate_closed")
    gate = say("gate_closed" if closed else "gate_unchecked" if unchecked else "eq_gate")
    words = say("eq_gate_scores", debates=numbers.percent(debates, 0), analysts=numbers.percent(analysts, 0), penalty=penalty)
    return markup('<span class="tb-lab{}">{} · {}</span>', " tb-bad" if closed else "", words, gate)


def _corrections(view: EquityView, good: int, show: Show) -> Markup:
    false = [(speech, claim) for speech in view.in_order for claim in speech.claims if claim.verdict == "false"]
    rows = [(role_of_node(speech.name), claim, _next(speech, claim, view, show)) for speech, claim in false]
    return corrections_table(rows, show.say("eq_next_used"), show) if rows else none_false(good, show)


def _next(speech: Turn, claim: Claim, view: EquityView, show: Show) -> Markup:
    """Return what those who heard it made of it: the right value, a false one again, or nothing. Analysts hear nobody."""
    say, spoken = show.say, view.in_order
    after = [each for each in spoken[spoken.index(speech) + 1 :] if each.name != speech.name]
    later = [other for each in after if role_of_node(each.name) not in view.analysts for other in each.claims if other.key == claim.key]
    if not later:
        return plain(say("not_used"))
    first = later[0]
    if drawn_verdict(first, show) == "false":
        return markup('<b class="tb-false">✕\u2009{}</b>', say("eq_false_again"))
    return plain(say("eq_corrected_value"))
