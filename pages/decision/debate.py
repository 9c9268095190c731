"""The debate as a transcript: Bull on the left, Bear on the right, the judge below. The room of each is there before anybody speaks."""

from pages.decision.analysts import spoken, struck
from pages.frame import json_fields, numbers
from pages.frame.cards import ARROWS, card, chip, head, heading, label, skeleton, tint
from pages.frame.escape import plain
from pages.frame.show import Show
from pages.run.node_state import node_state
from pages.run.view import NodeView, RunView


def debate_panel(view: RunView, show: Show) -> str:
    """Return both sides and the judge, with a key of the claim marks above them."""
    say = show.say
    title = say("debate_checked" if view.checked else "debate")
    sides = "".join(_speech(view.role(side), side, view, show) for side in ("bull", "bear"))
    judge = _speech(view.role("judge"), "judge", view, show)
    return card(
        head(heading(title), _key(view, show)), f'<div class="tb-debate">{sides}</div><div class="tb-judge">{judge}</div>', label=title
    )


def _key(view: RunView, show: Show) -> str:
    say = show.say
    if view.checked is None:
        return f'<div class="tb-key"><span>{plain(say("key_pending"))}</span></div>'
    moved = any(claim.verdict == "moved" for claim in view.checked.claims)
    since = f'<span><span class="tb-claim mv">123<ins>125</ins></span> {plain(say("key_moved"))}</span>' if moved else ""
    keys = (
        f'<span><span class="tb-claim ok">123</span> {plain(say("key_verified"))}</span>'
        f'<span><span class="tb-claim no"><del>123</del><ins>120</ins></span> {plain(say("key_false"))}</span>{since}'
        f'<span><span class="tb-claim un">4h</span> {plain(say("key_unverifiable"))}</span>'
    )
    return f'<div class="tb-key">{keys}</div>'


def _speech(node: NodeView, side: str, view: RunView, show: Show) -> str:
    top = head(chip(side, show), (ruling(node, show) if side == "judge" else "") + _confidence_or_state(node, view, show))
    return f'<section class="tb-say {tint(side)}">{top}{_words(node, side, view, show)}</section>'


def _confidence_or_state(node: NodeView, view: RunView, show: Show) -> str:
    """Return the state until grounding has spoken; the confidence once there is one."""
    confidence = json_fields.number(node.result, "confidence")
    shown = label(show.say("confidence"), numbers.number(confidence)) if confidence is not None and node.state == "done" else ""
    settled = view.checked is not None and node.state == "done" and not node.retries
    return shown if settled else node_state(node, show, view) + shown


def ruling(node: NodeView, show: Show) -> str:
    """Return `▼ for Bear, short`: what the judge has decided, once it has. node: the judge's."""
    if node.state != "done":
        return ""
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
    return f'<b class="tb-ruling"><span aria-hidden="true">{arrow}</span> {plain(joined)}</b>'


def _words(node: NodeView, side: str, view: RunView, show: Show) -> str:
    if node.state == "waiting":
        return skeleton(94, 71) if side == "judge" else skeleton(96, 90, 93, 64)
    if node.state == "retrying":
        return f'<p class="tb-muted">{plain(node.retries[-1].reason if node.retries else "")}</p>{struck(node, show)}'
    parts = len(node.earlier), len(node.text)
    before = f'<div class="tb-muted">{spoken(node, side, view, show, (0, parts[0]))}</div>' if parts[0] else ""
    words = before + spoken(node, side, view, show, parts)
    if node.state in ("failed", "abstained"):
        return f'<p class="tb-bad">{plain(node.reason or "")}</p><div class="tb-muted">{words}</div>'
    return words
