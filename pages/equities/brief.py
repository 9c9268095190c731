"""The argument of a run of the desk in a few lines, for whoever signs its order: of each speaker what it ruled and the passage that tells
most, claims marked, then what else it had wrong."""

from dataclasses import replace

from markupsafe import Markup

from pages.claims.claim_markup import mark_claims
from pages.claims.telling import corrections, passage, within
from pages.equities.equity_view import EquityView, SpokenTurn, role_of_node
from pages.equities.pieces import NOTHING, action_text, who
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, label, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.view import RunView

_WHO = ("trader", "risk_judge", "research_manager", "bull_researcher", "bear_researcher")


def brief_lines(view: RunView, show: Show) -> Markup:
    """Return what each of them said last, who decides first; "" where nobody has spoken."""
    if not isinstance(view, EquityView):
        return NOTHING
    said = [speech for name in _WHO if (speech := view.last_by(name)) is not None and speech.words]
    if not said:
        return NOTHING
    shown = replace(show, step=view.equity.step) if view.equity is not None else show
    good, bad = (sum(claim.verdict == verdict for claim in view.claims) for verdict in ("true", "false"))
    summary = show.say("eq_brief_of", good=good, total=good + bad) if good + bad else ""
    lines = markup('<div class="tb-brief">{}</div>', joined(_line(speech, shown) for speech in said))
    return card(head(heading(show.say("eq_brief")), label(summary)), lines, label=show.say("eq_brief"))


def _line(speech: SpokenTurn, show: Show) -> Markup:
    words = speech.words
    claims = [claim for claim in speech.claims if words[claim.start : claim.end] == claim.text]
    ruled = action_text(speech.result, show)
    sure = json_fields.number(speech.result, "confidence")
    top = markup(
        '<div class="row">{}{}{}</div>',
        who(speech.node, show),
        markup('<b class="tb-ruling">{}</b>', ruled) if ruled else "",
        label(show.say("confidence"), numbers.number(sure)) if sure is not None else "",
    )
    span = passage(words, claims, role_of_node(speech.node))
    if span is None:
        return markup(
            '<section class="{}">{}<p class="tb-muted">{}</p></section>', tint(role_of_node(speech.node)), top, show.say("only_concedes")
        )
    inside = within(claims, span)
    others = corrections([each for each in claims if each not in inside], show)
    return markup(
        '<section class="{}">{}{}{}</section>', tint(role_of_node(speech.node)), top, mark_claims(words, claims, show, span=span), others
    )
