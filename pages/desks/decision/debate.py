"""The debate as a transcript: Bull on the left, Bear on the right, the judge below. Each room is there before the first role speaks."""

from markupsafe import Markup

from pages.desks.decision.analysts import spoken, struck
from pages.desks.decision.decision_view import DecisionView
from pages.desks.decision.grounding import checked_summary
from pages.frame import json_fields, numbers
from pages.frame.cards import ARROWS, card, chip, head, heading, label, skeleton, tint
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.live_seat import live_seat
from pages.run.node_state import node_state
from pages.run.view import Turn

_MOST_PIPS = 24


def debate_panel(view: DecisionView, show: Show) -> Markup:
    """Return both sides and the judge, with a key of the claim marks above them."""
    say = show.say
    title = say("debate_checked" if view.checked else "debate")
    sides = joined(_speech(view.role(side), side, view, show) for side in ("bull", "bear"))
    judge = _speech(view.role("judge"), "judge", view, show)
    summary = markup('<p class="tb-lab tb-sums">{}</p>', checked_summary(view.checked, show)) if view.checked else ""
    return card(
        head(heading(title), _key(view, show)),
        summary,
        markup('<div class="tb-debate">{}</div><div class="tb-judge">{}</div>', sides, judge),
        label=title,
    )


def _key(view: DecisionView, show: Show) -> Markup:
    say = show.say
    if view.checked is None:
        return markup('<div class="tb-key"><span>{}</span></div>', say("key_pending"))
    moved = any(claim.verdict == "moved" for claim in view.checked.claims)
    since = markup('<span><span class="tb-claim mv">123<ins>125</ins></span> {}</span>', say("key_moved")) if moved else ""
    keys = markup(
        '<span><span class="tb-claim ok">123</span> {}</span>'
        '<span><span class="tb-claim no"><del>123</del><ins>120</ins></span> {}</span>{}'
        '<span><span class="tb-claim un">4h</span> {}</span>',
        say("key_verified"),
        say("key_false"),
        since,
        say("key_unverifiable"),
    )
    return markup('<div class="tb-key">{}</div>', keys)


def _speech(node: Turn, side: str, view: DecisionView, show: Show) -> Markup:
    top = head(
        chip(side, show) + pips(side, view, show), (ruling(node, show) if side == "judge" else "") + _confidence_or_state(node, view, show)
    )
    return markup('<section class="tb-say {}">{}{}</section>', tint(side), top, _words(node, side, view, show))


def pips(side: str, view: DecisionView, show: Show) -> Markup:
    """Return a square for each number of one speaker: filled = verified, crossed = false, question mark = could not be checked; "" before
    that is known."""
    claims = view.checked.said_by(side) if view.checked else ()
    if not claims:
        return Markup()
    good, bad, rest = (sum(claim.when_said == kind for claim in claims) for kind in ("true", "false", "unverifiable"))
    moved = sum(claim.has_moved for claim in claims)
    squares = (
        Markup('<span class="y"></span>') * min(good - moved, _MOST_PIPS)
        + Markup('<span class="m"></span>') * min(moved, _MOST_PIPS)
        + Markup('<span class="n">✕</span>') * min(bad, _MOST_PIPS)
        + Markup('<span class="u">?</span>') * min(rest, 8)
    )
    words = plain(show.say("evidence_row", good=good, bad=bad, open=rest))
    words += plain(f"; {show.say('evidence_moved', n=moved)}") if moved else ""
    return markup('<span class="tb-pips {}" role="img" aria-label="{}">{}</span>', tint(side), words, squares)


def _confidence_or_state(node: Turn, view: DecisionView, show: Show) -> Markup:
    """Return the state until grounding has spoken; the confidence once there is one."""
    confidence = json_fields.number(node.result, "confidence")
    shown = label(show.say("confidence"), numbers.number(confidence)) if confidence is not None and node.state == "done" else Markup()
    settled = view.checked is not None and node.state == "done" and not node.retries
    return shown if settled else node_state(node, show, view) + shown


def ruling(node: Turn, show: Show) -> Markup:
    """Return `▼ for Bear, short`: what the judge has decided, once it has. node: the judge's."""
    if node.state != "done":
        return Markup()
    say = show.say
    verdict, points = json_fields.words(node.result, "verdict"), json_fields.words(node.result, "direction")
    adjust = json_fields.number(node.result, "adjustment_pct")
    parts = [
        say({"NEUTRAL": "DRAW"}.get(verdict, verdict))
        if verdict in ("BULL", "BEAR", "NEUTRAL", "HOLD", "EXIT", "SCALE_IN", "PARTIAL_EXIT")
        else ""
    ]
    if verdict in ("BULL", "BEAR") and points in ARROWS:
        parts.append(say(points).lower())
    if adjust is not None and verdict in ("SCALE_IN", "PARTIAL_EXIT"):
        parts[0] += f" {numbers.signed_percent(adjust, 0)}"
    joined = ("，" if show.language == "zh" else ", ").join(part for part in parts if part)
    arrow = ARROWS.get(points or "", "◆") if verdict in ("BULL", "BEAR", "NEUTRAL") else "◆"
    return markup('<b class="tb-ruling"><span aria-hidden="true">{}</span> {}</b>', arrow, joined)


def _words(node: Turn, side: str, view: DecisionView, show: Show) -> Markup:
    if node.state == "waiting":
        return skeleton(94, 71) if side == "judge" else skeleton(96, 90, 93, 64)
    if node.state == "retrying":
        return markup('<p class="tb-muted">{}</p>{}', show.translated(node.retries[-1].reason) if node.retries else "", struck(node, show))
    parts = len(node.earlier), len(node.text)
    before = markup('<div class="tb-muted">{}</div>', spoken(node, side, view, show, (0, parts[0]))) if parts[0] else ""
    words = before + live_seat(node, spoken(node, side, view, show, parts))
    if node.state in ("failed", "abstained"):
        return markup('<p class="tb-bad">{}</p><div class="tb-muted">{}</div>', show.translated(node.reason), words)
    return words
