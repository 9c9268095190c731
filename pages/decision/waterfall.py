"""Where the confidence comes from, as a waterfall."""

from markupsafe import Markup

from pages.decision.decision_view import DecisionView
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, label, share
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show


def waterfall_panel(view: DecisionView, show: Show) -> Markup:
    """Consensus, what the judge and the false claims changed, what the executor made of it; nothing before it has decided."""
    result = view.role("executor").result
    parts, final = json_fields.numbers(result, "confidence_breakdown"), json_fields.number(result, "confidence")
    if final is None or not {"analysis", "debate"} <= parts.keys():
        return Markup()
    penalty = view.checked.penalty_pct if view.checked else 0.0
    analysis, debate = parts["analysis"], parts["debate"]
    say = show.say
    steps = [
        (say("consensus"), 0.0, analysis, "other soft", numbers.number(analysis)),
        (say("judge"), analysis, debate, "judge", numbers.signed(debate - analysis, 0)),
        (say("false_claims"), debate, debate - penalty, "grounding", numbers.signed(-penalty, 0)),
        (say("executor"), debate - penalty, final, "executor", numbers.signed(final - debate + penalty, 0)),
        (say("final"), 0.0, final, "executor", numbers.number(final)),
    ]
    top = head(
        heading(say("where_from", n=numbers.number(final))),
        label(" · ".join(numbers.number(value) for value in parts.values())),
    )
    return card(
        top,
        markup('<div class="tb-wf">{}{}</div>', joined(_bar(*step) for step in steps), _least(view, show)),
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
