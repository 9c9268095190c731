"""Who speaks: the analysts, a row each, with their vote and what the consensus was formed from; the debate as a transcript, Bull on the
left, Bear on the right, the judge below; and the executor with its action, its reasons, and the position it judges. Each room is there
before the first role speaks."""

from collections.abc import Mapping

from markupsafe import Markup

from engine.domain.text.visible import shortened
from pages.claims.claim_markup import mark_claims, quoted
from pages.claims.corrections import marks_key
from pages.claims.prose import prose
from pages.desks.decision.decision_view import DecisionView, executor_result
from pages.desks.decision.grounding import checked_summary
from pages.desks.decision.verdict import action_glyph, action_word, held_side, live_parts
from pages.frame import json_fields, numbers
from pages.frame.cards import ARROWS, card, chip, direction, head, heading, label, level, skeleton, tint
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.live_seat import live_seat
from pages.run.messages import sentences
from pages.run.states import node_state
from pages.run.view import Turn
from pages.words.fact_names import fact_name

_MOST_PIPS = 24


def analysts_panel(view: DecisionView, show: Show) -> Markup:
    """Return four rows before the run says who takes part, then one for each analyst of the run."""
    say = show.say
    names = view.analysts
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
        '<section class="{}">{}<div class="txt{}" tabindex="0">{}</div></section>',
        tint(name),
        line,
        live,
        _report(node, name, view, show),
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


def _report(node: Turn, name: str, view: DecisionView, show: Show) -> Markup:
    if node.state == "waiting":
        return skeleton(90, 70, 80)
    if node.state == "abstained":
        shown = show.translated(node.reason)
        reason = sentences(f"{shown[:1].upper()}{shown[1:].rstrip('.。')}", show=show) if shown else ""
        without = show.say("consensus_without") if not view.not_valid_because else ""
        return markup("<p>{} {}</p>{}", reason, without, struck(node, show))
    if node.state == "retrying":
        return asked_again(node, show)
    return live_seat(node, spoken(node, name, view, show))


def spoken(node: Turn, side: str, view: DecisionView, show: Show, span: tuple[int, int] | None = None) -> Markup:
    """Return a role's words, claims marked as far as they have been checked, growing while it writes. span: only these of them."""
    claims = view.checked.said_by(side) if view.checked else ()
    pending = () if view.checked else show.pending.get(node.name, show.pending.get(side, ()))
    growing = node.state == "running" and (span is None or span[1] == len(node.text))
    return mark_claims(node.text, claims, show, span=span, pending=pending, growing=growing)


def asked_again(node: Turn, show: Show) -> Markup:
    """Return why a role is asked again, and what it had written."""
    return markup('<p class="tb-muted">{}</p>{}', show.translated(node.retries[-1].reason) if node.retries else "", struck(node, show))


def struck(node: Turn, show: Show) -> Markup:
    """Return what attempts that did not count had written, struck through."""
    blocks = [(text, block) for text in node.superseded for block in prose(text)]
    if not blocks:
        return Markup()
    words = " ".join(text[span.start : span.end] for text, block in blocks for line in block.lines for span in line)
    return markup('<p class="tb-muted tb-cut">{} <s>{}</s></p>', show.say("cut_off"), shortened(words, 400))


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
    if view.checked is None:
        return markup('<div class="tb-key"><span>{}</span></div>', show.say("key_pending"))
    return marks_key(show, moved=any(claim.verdict == "moved" for claim in view.checked.claims))


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
        return asked_again(node, show)
    parts = len(node.earlier), len(node.text)
    before = markup('<div class="tb-muted">{}</div>', spoken(node, side, view, show, (0, parts[0]))) if parts[0] else ""
    words = before + live_seat(node, spoken(node, side, view, show, parts))
    if node.state in ("failed", "abstained"):
        return markup('<p class="tb-bad">{}</p><div class="tb-muted">{}</div>', show.translated(node.reason), words)
    return words


def executor_panel(view: DecisionView, show: Show) -> Markup:
    """Return the decision with its reasons; a skeleton before, the reason where it failed or was not asked."""
    say, node = show.say, view.role("executor")
    confidence = json_fields.number(node.result, "confidence") if node.state == "done" else None
    beside = node_state(node, show, view) if confidence is None else label(say("confidence"), numbers.number(confidence))
    top = head(chip("executor", show) + _action(node, view, show), beside)
    if node.state == "waiting":
        asked = view.ending is None
        body = skeleton(88, 60) if asked else markup('<p class="tb-muted">{}</p>', say("executor_not_asked"))
    elif node.state == "failed":
        body = markup('<p class="tb-bad">{}</p>{}', show.translated(node.reason), _reasons(node, view, show))
    elif node.state == "retrying":
        body = asked_again(node, show)
    else:
        refused = markup('<p class="tb-bad">{}</p>', show.translated(node.reason)) if node.reason and node.state == "done" else ""
        body = refused + _numbers(node, view, show) + _reasons(node, view, show)
    return card(top, body, label=say("executor"))


def _action(node: Turn, view: DecisionView, show: Show) -> Markup:
    action = json_fields.words(node.result, "action")
    if node.state != "done" or action is None:
        return Markup()
    is_final = view.ending is None or action == view.ending.action
    glyph = action_glyph(action, node.result, valid=is_final, side=held_side(view))
    words = f"{glyph} {action_word(action, node.result, show, valid=is_final)}"
    return markup('<b class="tb-ruling">{}</b>', words)


def _numbers(node: Turn, view: DecisionView, show: Show) -> Markup:
    """Return what an adjustment asks for; the levels of an entry stand in the verdict bar."""
    percent = json_fields.number(executor_result(view) if view.ending else node.result, "adjustment_pct")
    if percent is None:
        return Markup()
    return markup(
        '<div class="tb-lev">{}</div>', level(show.say("adjustment"), numbers.signed_percent(percent, 0), show.say("of_position"))
    )


def _reasons(node: Turn, view: DecisionView, show: Show) -> Markup:
    """Reasoning over two columns of factors and risk. Inked from the text; from the result's fields where the text has no headings."""
    growing = node.state == "running"
    found, claims = live_parts(node), node.claims
    if "" in found:
        return _from_fields(node, show) or live_seat(node, mark_claims(node.text, claims, show, growing=growing))
    written = {
        name: live_seat(node, mark_claims(node.text, claims, show, span=span, growing=growing and span[1] == len(node.text)), name)
        for name, span in found.items()
    }
    if growing and not written:
        return skeleton(88, 60)
    return _laid_out(written, show)


def _laid_out(parts: Mapping[str, Markup], show: Show) -> Markup:
    say = show.say
    words = {"key_factors": say("key_factors"), "risk": say("risk")}
    columns = joined(markup("<div>{}{}</div>", label(words[name]), parts[name]) for name in words if parts.get(name))
    return parts.get("reasoning", Markup()) + (markup('<div class="tb-two">{}</div>', columns) if columns else Markup())


def _from_fields(node: Turn, show: Show) -> Markup:
    """Return the same of an answer without headings, out of what was read in it."""
    result = node.result
    reasoning, risk = (
        json_fields.words(result, key) or json_fields.words(result, f"executor_{key}") or "" for key in ("reasoning", "risk_assessment")
    )
    listed = json_fields.texts(result, "key_factors") or json_fields.texts(result, "executor_key_factors")
    said = {"reasoning": reasoning, "key_factors": "\n".join(f"- {factor}" for factor in listed), "risk": risk}
    return _laid_out({name: quoted(words, node.text, node.claims, show) for name, words in said.items()}, show)


def position_panel(view: DecisionView, show: Show) -> Markup:
    """Return the position's own record since entry; nothing on the entry path or without facts."""
    keys = ("mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "liquidation_price")
    if not view.is_position:
        return Markup()
    from_facts = [(key, show.facts[key]) for key in keys if key in show.facts and show.facts[key].value is not None]
    if not from_facts:
        return Markup()
    levels = joined(level(fact_name(key, show.language), numbers.fact(fact.value, fact.unit, show.step)) for key, fact in from_facts)
    return card(head(heading(show.say("position"))), markup('<div class="tb-lev">{}</div>', levels), label=show.say("position"))


def reasoning_of(view: DecisionView, show: Show) -> Markup:
    """Return why the executor decided so, claims marked as on the desk; "" where it did not say."""
    node = view.role("executor")
    reasoning = json_fields.words(node.result, "reasoning") or json_fields.words(node.result, "executor_reasoning")
    return quoted(reasoning, node.text, node.claims, show) if reasoning and node.text else Markup()
