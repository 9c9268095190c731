"""The line of a question, and the bar with what it came to. HTML, without streamlit."""

from datetime import datetime

from markupsafe import Markup

from pages.chart.curves import Curve
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import level
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.research.measured import curves_of
from pages.research.research_view import ResearchView
from pages.research.steps import STEP_OF_NODE
from pages.run.node_state import clock_of
from pages.run.state_signs import NO_RUN, STATE_SIGNS

_MEASURED = 2  # of the measured series, in the bar


def question_line(question: str, at: str, feed: str, model: str, show: Show, asked_at: datetime | None = None) -> Markup:
    """Return what was asked, when, as of when, of which kind of market and model."""
    say = show.say
    asked = markup('<span class="kv">{} <b>{}</b></span>', say("rs_asked"), numbers.clock(asked_at)) if asked_at is not None else ""
    clock = (
        markup('<span class="kv">{} <b>{}</b>, {}</span>', say("rs_clock"), f"{at[:16].replace('T', ' ')} UTC", say("rs_nothing_later"))
        if at
        else ""
    )
    feeds = {"simulated": "rs_simulated", "recorded": "eq_recorded", "live": "eq_live"}
    tags = markup('<span class="tb-tag">{}</span>', say(feeds[feed])) if feed in feeds else Markup()
    name = say("scripted_model") if model == "scripted" else say("model_tag", name=model) if model else ""
    tags += markup('<span class="tb-tag{}">{}</span>', " warn" if model == "scripted" else "", name) if name else ""
    return markup(
        '<div class="tb tb-market"><span class="sym">{}</span>{}{}<span class="sp"></span>{}</div>',
        question or say("rs_research"),
        asked,
        clock,
        tags,
    )


def verdict_bar(view: ResearchView, show: Show) -> Markup:
    """Return what the question came to, or what is being done, with its numbers."""
    glyph, word, remark = _ended(view, show) if view.ending is not None else _going(view, show)
    said = markup('<div><div class="word">{}</div><div class="tb-lab">{}</div></div>', word, remark)
    act = markup(
        '<div class="tb-act" role="status" aria-live="polite"><span class="arrow" aria-hidden="true">{}</span>{}</div>', glyph, said
    )
    css_class = "" if view.ending is not None else " wait"
    return markup(
        '<section class="tb tb-verdict tb-research{}" role="region" aria-label="{}">{}<div class="tb-lev">{}</div></section>',
        css_class,
        show.say("rs_came_to"),
        act,
        joined(_levels(view, show)),
    )


def _ended(view: ResearchView, show: Show) -> tuple[str, str, Markup | str]:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.status != "finished":
        return STATE_SIGNS[view.status][0], say("run_stopped" if ending.stopped else "run_failed"), ""
    remark = markup("{} <b>{}</b>", say("confidence"), numbers.share(view.confidence)) if view.confidence is not None else Markup()
    if not ending.is_valid:
        return STATE_SIGNS["invalid"][0], say("rs_not_valid"), remark
    open_ = view.count("unsupported")
    return STATE_SIGNS["finished"][0], say("rs_answered_word") if not open_ else say("rs_answered_partly"), remark


def _going(view: ResearchView, show: Show) -> tuple[str, str, str]:
    say = show.say
    if view.run_id is None:
        return NO_RUN, say("rs_no_run"), say("rs_no_run_hint")
    sign = STATE_SIGNS[view.status][0]
    if view.interrupted:
        return sign, say("state_interrupted").capitalize(), ""
    busy = [node.name for node in view.nodes.values() if node.state in ("running", "retrying")]
    if view.is_plan:
        running = [factor.name for factor in view.factors if factor.state == "running"]
        return sign, say("rs_planning") if not view.factors else say("rs_factors_work"), ", ".join(running)
    return sign, say(STEP_OF_NODE.get(busy[-1], "rs_step_agent")) if busy else say("running"), ""


def _mean(curve: Curve, show: Show) -> str:
    values = [value for _, value in curve.points]
    return f"{show.say('rs_mean_line')} {curve.written(sum(values) / len(values))}"


def _levels(view: ResearchView, show: Show) -> list[Markup]:
    say = show.say
    out = []
    if view.is_plan:
        out += [level(each.name, each.written(each.points[-1][1]), _mean(each, show)) for each in curves_of(view, show)[:_MEASURED]]
        done = sum(factor.state in ("done", "done_with_errors") for factor in view.factors)
        decided = [task.decision for factor in view.factors for task in factor.tasks if task.decision]
        repairs = " · ".join(
            f"{decided.count(kind)} {say(f'rs_decided_{kind}')}" for kind in ("retry", "replan", "skip") if kind in decided
        )
        out.append(level(say("rs_factors"), say("rs_n_of", n=done, of=len(view.factors)) if view.factors else numbers.DASH, repairs))
    else:
        answered = sum(each.error is None for each in view.searches)
        failed = sum(each.error is not None for each in view.searches)
        of = say("rs_n_of", n=answered, of=len(view.searches)) if view.searches else numbers.DASH
        out.append(level(say("rs_sources"), of, say("rs_n_failed", n=failed) if failed else "", bad=bool(failed and not answered)))
        found = sum(each.found for each in view.searches)
        kept = len(view.documents)
        out.append(
            level(say("rs_documents_word"), numbers.number(kept) if kept else numbers.DASH, say("rs_of_found", n=found) if found else "")
        )
    counts = [(view.count("supported"), "✓"), (view.count("unsupported"), "?")]
    counted = " · ".join(f"{n} {sign}" for n, sign in counts if n)
    out.append(level(say("rs_statements"), numbers.number(len(view.statements)) if view.statements else numbers.DASH, counted))
    now = clock_of(view, show)
    calls = read.number(view.ending.metrics, "llm_calls_count") if view.ending else None
    out.append(
        level(
            say("run_time"), numbers.seconds(view.elapsed(now)), say("rs_model_calls", n=numbers.number(calls)) if calls is not None else ""
        )
    )
    return out
