"""The argument in three lines: the judge's ruling, then the strongest verified point that each side makes for itself and what was corrected
of it. HTML, without streamlit."""

from dataclasses import replace

from markupsafe import Markup

from pages.claims.claim_markup import mark_claims
from pages.claims.telling import corrections, telling, within
from pages.decision.debate import ruling
from pages.decision.decision_view import DecisionView
from pages.frame import json_fields, numbers
from pages.frame.cards import card, chip, head, heading, label, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.view import NodeView

_ORDER = ("judge", "bull", "bear")


def brief_panel(view: DecisionView, show: Show) -> Markup:
    """Return nothing before anybody has spoken."""
    say = show.say
    if not any(view.role(side).text for side in _ORDER):
        return Markup()
    checked = view.checked
    summary = say("verified_of", good=checked.verified, total=checked.verified + checked.false, fixed=checked.false) if checked else ""
    shown = replace(show, step=view.facts.step) if view.facts is not None and view.facts.step else show
    lines = joined(_line(view.role(side), side, view, shown) for side in _ORDER)
    return card(
        head(heading(say("three_lines")), label(summary)), markup('<div class="tb-brief">{}</div>', lines), label=say("three_lines")
    )


def _line(node: NodeView, side: str, view: DecisionView, show: Show) -> Markup:
    """Return who, for the judge what it ruled, and the sentence; false statements that do not stand in it follow it."""
    say, claims = show.say, view.checked.said_by(side) if view.checked else ()
    span = telling(node.text, claims, side, leans=not view.is_position)  # with a position the sides argue about it, not about the market
    top = chip(side, show)
    if side == "judge":
        confidence = json_fields.number(node.result, "confidence")
        sure = label(say("confidence"), numbers.number(confidence)) if confidence is not None and node.state == "done" else ""
        top = markup('<div class="row">{}{}{}</div>', top, ruling(node, show), sure)
    if span is None:
        return markup(
            '<section class="{}">{}<p class="tb-muted">{}</p></section>',
            tint(side),
            top,
            say("only_concedes" if node.text.strip() else "silent"),
        )
    inside = within(claims, span)
    if side != "judge" and view.checked and not any(claim.verdict == "true" for claim in inside):
        words, inside = markup('<p class="tb-muted">{}</p>', say("none_verified")), []
    else:
        words = mark_claims(node.text, claims, show, span=span)
    return markup(
        '<section class="{}">{}{}{}</section>', tint(side), top, words, corrections([each for each in claims if each not in inside], show)
    )
