"""The agent at work: what it thought, which tools it called, what it read of them; then no way back into the loop."""

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.research.research_view import AgentStep, ResearchView

_WORDS = {"thought": "rs_thought", "call": "rs_action", "observation": "rs_observation", "repeat": "rs_action"}


def agent_panel(view: ResearchView, show: Show) -> Markup:
    """Return the loop step by step; nothing before it begins."""
    if not view.steps:
        return Markup()
    say = show.say
    calls = sum(step.kind == "call" for step in view.steps)
    title = say("rs_agent")
    goes_on = not view.searches or all(each.optional for each in view.searches)
    count = label(say("rs_calls" if goes_on else "rs_calls_then_search", n=calls))
    pips = markup('<span class="tb-pips" aria-hidden="true">{}</span>', Markup('<span class="c"></span>') * calls) if calls else Markup()
    return card(
        head(heading(title), pips, count),
        markup('<div class="tb-tao">{}</div>', joined(_step(each, show) for each in view.steps)),
        label=title,
    )


def _step(step: AgentStep, show: Show) -> Markup:
    word = show.say(_WORDS.get(step.kind, "rs_observation"))
    numbered = f"{word} {step.turn}" if step.kind == "thought" and step.turn else word
    spent = numbers.seconds(step.ms / 1000) if step.ms is not None else ""
    if step.kind == "call":
        said = markup('<div class="{}"><b>{}</b> {}</div>', "tb-bad" if step.bad else "", step.text, step.detail)
    elif step.kind == "repeat":
        said = markup('<div><b>{}</b> <span class="tb-muted">= {}</span></div>', step.text, show.say("rs_repeat"))
    elif step.kind == "observation":
        said = markup('<div class="tb-quote{}">{}</div>', " bad" if step.bad else "", step.text)
    else:
        said = markup("<div>{}</div>", step.text or numbers.DASH)
    return markup('<div class="k">{}</div>{}<div class="ms">{}</div>', numbered, said, spent)
