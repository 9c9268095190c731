"""The analysts: one row each, filling in parallel, with their vote; and what the consensus was formed from."""

from markupsafe import Markup

from engine.domain.text.visible import shortened
from pages.claims.claim_markup import mark_claims
from pages.claims.prose import prose
from pages.desks.decision.decision_view import DecisionView
from pages.frame import json_fields, numbers
from pages.frame.cards import card, chip, direction, head, heading, label, skeleton, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.live_seat import live_seat
from pages.run.messages import sentences
from pages.run.node_state import node_state
from pages.run.view import Turn

ROSTER = ("indicator", "trend", "sentiment", "pattern")


def analysts_panel(view: DecisionView, show: Show) -> Markup:
    """Return four rows before the run says who takes part, then one for each analyst of the run."""
    say = show.say
    names = (view.opening.analysts if view.opening else ()) or ROSTER
    consensus = view.consensus
    right = direction(consensus.direction, consensus.confidence, show, bar=False) if consensus else ""
    top = head(heading(say("analysts")), label(say("consensus_is")) + right if right else "")
    rows = joined(_row(view.role(name), name, view, show) for name in names)
    return card(top, markup('<div class="tb-an">{}</div>', rows), label=say("analysts"))


def _row(node: Turn, name: str, view: DecisionView, show: Show) -> Markup:
    vote = direction(json_fields.words(node.result, "direction"), json_fields.number(node.result, "confidence"), show)
    line = markup(
        '<div class="row">{}{}{}{}</div>',
        chip(name, show),
        _weighed(name, view, show),
        node_state(node, show, view),
        vote if node.state == "done" else "",
    )
    live = " live" if node.state == "running" else " whole" if node.ended else ""
    return markup(
        '<section class="{}">{}<div class="txt{}" tabindex="0">{}</div></section>', tint(name), line, live, _words(node, name, view, show)
    )


def _weighed(name: str, view: DecisionView, show: Show) -> Markup:
    """Return what an analyst's earlier false numbers leave of its weight, where that is less than all of it."""
    weights = view.consensus.weights.get(name, {}) if view.consensus is not None else {}
    factor = json_fields.number(weights, "factor")
    if factor is None or factor >= 1:
        return Markup()
    counts = {key: numbers.number(json_fields.count(weights, key)) for key in ("claims", "false")}
    shown = numbers.number(factor, 2)
    return markup(
        '<span class="tb-lab" title="{}">{}</span>', show.say("weighed_title", factor=shown, **counts), show.say("weighed", factor=shown)
    )


def _words(node: Turn, name: str, view: DecisionView, show: Show) -> Markup:
    if node.state == "waiting":
        return skeleton(90, 70, 80)
    if node.state == "abstained":
        shown = show.translated(node.reason)
        reason = sentences(f"{shown[:1].upper()}{shown[1:].rstrip('.。')}", show=show) if shown else ""
        without = show.say("consensus_without") if not view.not_valid_because else ""
        return markup("<p>{} {}</p>{}", reason, without, struck(node, show))
    if node.state == "retrying":
        reason = show.translated(node.retries[-1].reason) if node.retries else ""
        return markup('<p class="tb-muted">{}</p>{}', reason, struck(node, show))
    return live_seat(node, spoken(node, name, view, show))


def spoken(node: Turn, side: str, view: DecisionView, show: Show, span: tuple[int, int] | None = None) -> Markup:
    """Return a role's words, claims marked as far as they have been checked, growing while it writes. span: only these of them."""
    claims = view.checked.said_by(side) if view.checked else ()
    pending = () if view.checked else show.pending.get(node.name, show.pending.get(side, ()))
    growing = node.state == "running" and (span is None or span[1] == len(node.text))
    return mark_claims(node.text, claims, show, span=span, pending=pending, growing=growing)


def struck(node: Turn, show: Show) -> Markup:
    """Return what attempts that did not count had written, struck through."""
    blocks = [(text, block) for text in node.superseded for block in prose(text)]
    if not blocks:
        return Markup()
    words = " ".join(text[span.start : span.end] for text, block in blocks for line in block.lines for span in line)
    return markup('<p class="tb-muted tb-cut">{} <s>{}</s></p>', show.say("cut_off"), shortened(words, 400))
