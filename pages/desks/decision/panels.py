"""The panels of the desk: each is `panel(view, show) -> str`, HTML for one `st.html`. No streamlit here, no clock: `show.now` is the time.

An empty string means that the panel has nothing to say yet and holds no room.
"""

from dataclasses import replace

from markupsafe import Markup

from engine.domain.decision import Signal
from pages.desks.decision.decision_view import DecisionView
from pages.desks.decision.grounding import grounding_panel, matrix_panel
from pages.desks.decision.speeches import analysts_panel, debate_panel, executor_panel, position_panel
from pages.desks.decision.verdict import SAFE_ACTION, named_action, stability_panel
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, label, message, share
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.attached import attached_panel
from pages.run.bar import sized_line
from pages.run.flow_page import Panel
from pages.run.messages import endings, failures, has_broken_off, listed, remarks, sentences
from pages.run.messages import run_facts_panel as shared_facts_panel
from pages.run.mind import read_similar, similar_card
from pages.run.timeline import timeline_panel
from pages.trading.limits import limit_text, run_limits_card
from pages.words.texts import WORDS


def waterfall_panel(view: DecisionView, show: Show) -> Markup:
    """Return the consensus, what the judge and the executor made of it, and what false claims took off; nothing before it has decided."""
    result = view.role("executor").result
    parts, final = json_fields.numbers(result, "confidence_breakdown"), json_fields.number(result, "confidence")
    if final is None or not {"analysis", "debate"} <= parts.keys():
        return Markup()
    stated = json_fields.number(result, "executor_confidence")
    analysis, debate, stated = parts["analysis"], parts["debate"], final if stated is None else stated
    say = show.say
    steps = [
        (say("consensus"), 0.0, analysis, "other soft", numbers.number(analysis)),
        (say("judge"), analysis, debate, "judge", numbers.signed(debate - analysis, 0)),
        (say("executor"), debate, stated, "executor", numbers.signed(stated - debate, 0)),
        (say("false_claims"), stated, final, "grounding", numbers.signed(final - stated, 0)),
        (say("final"), 0.0, final, "executor", numbers.number(final)),
    ]
    top = head(
        heading(say("where_from", n=numbers.number(final))),
        label(" · ".join(numbers.number(value) for value in parts.values())),
    )
    return card(
        top,
        markup('<div class="tb-wf">{}{}</div>', joined(_bar(*step) for step in steps), _least(view, show)),
        sized_line(result, show),
        label=say("where_from", n=numbers.number(final)),
    )


def _bar(name: str, begin: float, end: float, css_class: str, text: str) -> Markup:
    left, right = sorted((begin, end))
    width = max(right - left, 0.8)
    bar = markup('<span class="b {}" style="left:{}%;width:{}%"></span>', css_class, _scaled(left), _scaled(width))
    number = markup('<b style="left:{}%">{}</b>', _scaled(left + width), text)
    return markup('<span class="n">{}</span><span class="w">{}{}</span>', name, bar, number)


def _scaled(value: float) -> str:
    return share(value * 0.86)  # room for the number after a bar of 100


def _least(view: DecisionView, show: Show) -> Markup:
    bound = next((check.bound for check in view.limits if check.rule == "min_confidence"), None)
    if bound is None:
        return Markup()
    cap = plain(show.say("least_allowed", n=numbers.number(bound)))
    at = _scaled(bound)
    line = markup('<span class="line" style="left:{}%"></span><span class="cap" style="left:{}%">{}</span>', at, at, cap)
    return markup('<span></span><span class="w lim">{}</span>', line)


def decision_messages_panel(view: DecisionView, show: Show) -> Markup:
    """Return one message a trouble, the gravest first; nothing when all went well."""
    safe = _safe(view, show)
    grave = [*failures(view, show, safe), *_gate(view, show, safe), *_limits(view, show, safe)]
    if has_broken_off(view) or not grave:
        grave += endings(view, show, safe)
    if not grave and view.ending and not view.ending.is_valid and view.ending.action == Signal.WAIT:
        grave.append(message(show.say("msg_invalid"), safe, bad=True))
    return listed(grave + remarks(view, show, show.say("consensus_without")))


def _safe(view: DecisionView, show: Show) -> str:
    """Return `It ends in WAIT`, without its full stop."""
    word = SAFE_ACTION["position" if view.is_position else "entry"]
    return f"{show.say('msg_safe')}{'' if show.language == 'zh' else ' '}{word}"


def _gate(view: DecisionView, show: Show, safe: str) -> list[Markup]:
    checked = view.checked
    if checked is None or not checked.gate_closed:
        return []
    words, score, false, total = checked.gate_words
    bold = show.say(words, score=numbers.percent(score, 0), false=false, total=total)
    return [message(bold, sentences(show.say("msg_gate_text"), safe, show=show), bad=True)]


def _limits(view: DecisionView, show: Show, safe: str) -> list[Markup]:
    say, out = show.say, []
    for check in view.limits:
        if not check.passed:
            is_named = check.rule.startswith(("max_", "min_")) and check.rule in WORDS
            rule = say(check.rule) if is_named else check.rule.replace("_", " ")
            bounds = say("msg_limit_text", measured=limit_text(check.rule, check.measured), bound=limit_text(check.rule, check.bound))
            out.append(message(say("msg_limit", rule=rule), sentences(bounds, safe, show=show), bad=True))
    return out


def limits_panel(view: DecisionView, show: Show) -> Markup:
    """Return what was measured against the limits, and at which price."""
    facts = view.opening
    price, step = (facts.price, facts.price_step or show.step) if facts is not None else (None, show.step)
    return run_limits_card(view, view.limits, price, replace(show, step=step))


def similar_panel(view: DecisionView, show: Show) -> Markup:
    """Return the earlier decisions that the run was begun with, and who was told of them."""
    facts = view.opening
    if facts is None:
        return Markup()
    use = show.say("similar_prompts" if json_fields.words(facts.request, "similar") == "prompts" else "similar_shown")
    return similar_card(read_similar(facts.similar), use, lambda action: " ".join(named_action(action, show)), "", show)


def run_facts_panel(view: DecisionView, show: Show) -> Markup:
    """Return what every run has, and on which path this one was."""
    path = show.say("position_path" if view.is_position else "entry_path")
    return shared_facts_panel(view, show, [(show.say("run_path"), path)] if view.opening is not None and view.opening.path else ())


PANELS: tuple[Panel, ...] = (
    Panel("stamp_title", stability_panel, "main"),
    Panel("debate", debate_panel, "main"),
    Panel("grounding", grounding_panel, "main"),
    Panel("matrix", matrix_panel, "main"),
    Panel("executor", executor_panel, "main"),
    Panel("analysts", analysts_panel, "side"),
    Panel("position", position_panel, "side"),
    Panel("this_run", run_facts_panel, "side"),
    Panel("part_confidence", waterfall_panel, "side"),
    Panel("at_title", attached_panel, "side"),
    Panel("similar_title", similar_panel, "side"),
    Panel("limits", limits_panel, "side"),
    Panel("part_messages", decision_messages_panel, "side"),
    Panel("timeline", timeline_panel, "foot"),
)
"""The one order of the panels, of the page and of the saved file."""
