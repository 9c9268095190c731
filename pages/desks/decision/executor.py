"""The executor: its action, numbers, reasoning, key factors and view of the risk; and the facts of the position it judges."""

from collections.abc import Mapping

from markupsafe import Markup

from pages.claims.claim_markup import mark_claims, quoted
from pages.desks.decision.decision_view import DecisionView, executor_result
from pages.desks.decision.speeches import asked_again
from pages.desks.decision.verdict import action_glyph, action_word, held_side, live_parts
from pages.frame import json_fields, numbers
from pages.frame.cards import card, chip, head, heading, label, level, skeleton
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.live_seat import live_seat
from pages.run.node_state import node_state
from pages.run.view import Turn
from pages.words.fact_names import fact_name


def executor_panel(view: DecisionView, show: Show) -> Markup:
    """Return the decision with its reasons; a skeleton before, the reason where it failed or was not asked."""
    say, node = show.say, view.role("executor")
    top = head(chip("executor", show) + _action(node, view, show), _confidence_or_state(node, view, show))
    if node.state == "waiting":
        asked = view.ending is None
        body = skeleton(88, 60) if asked else markup('<p class="tb-muted">{}</p>', say("executor_not_asked"))
    elif node.state == "failed":
        body = markup('<p class="tb-bad">{}</p>{}', show.translated(node.reason), _speech(node, view, show))
    elif node.state == "retrying":
        body = asked_again(node, show)
    else:
        refused = markup('<p class="tb-bad">{}</p>', show.translated(node.reason)) if node.reason and node.state == "done" else ""
        body = refused + _numbers(node, view, show) + _speech(node, view, show)
    return card(top, body, label=say("executor"))


def _action(node: Turn, view: DecisionView, show: Show) -> Markup:
    action = json_fields.words(node.result, "action")
    if node.state != "done" or action is None:
        return Markup()
    is_final = view.ending is None or action == view.ending.action
    glyph = action_glyph(action, node.result, valid=is_final, side=held_side(view))
    words = f"{glyph} {action_word(action, node.result, show, valid=is_final)}"
    return markup('<b class="tb-ruling">{}</b>', words)


def _confidence_or_state(node: Turn, view: DecisionView, show: Show) -> Markup:
    confidence = json_fields.number(node.result, "confidence")
    if node.state == "done" and confidence is not None:
        return label(show.say("confidence"), numbers.number(confidence))
    return node_state(node, show, view)


def _numbers(node: Turn, view: DecisionView, show: Show) -> Markup:
    """Return what an adjustment asks for; the levels of an entry stand in the verdict bar."""
    percent = json_fields.number(executor_result(view) if view.ending else node.result, "adjustment_pct")
    if percent is None:
        return Markup()
    return markup(
        '<div class="tb-lev">{}</div>', level(show.say("adjustment"), numbers.signed_percent(percent, 0), show.say("of_position"))
    )


def _speech(node: Turn, view: DecisionView, show: Show) -> Markup:
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
