"""The line of a question, and the bar with what it came to. HTML, without streamlit."""

from datetime import datetime

from markupsafe import Markup

from pages.chart.curves import Curve
from pages.desks.research.measured import curves_of
from pages.desks.research.research_view import ResearchView
from pages.desks.research.steps import STEP_OF_NODE
from pages.desks.research.task_words import figure_label
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import level
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.bar import BarWords, bar, levels, now_said
from pages.run.market_line import run_tags
from pages.run.states import NO_RUN, STATE_SIGNS, clock_of

_VERDICTS = ("yes", "no", "partly", "unknown")
_MEASURED = 2  # of the measured series, in the bar


def question_line(question: str, at: str, feed: str, model: str, show: Show, asked_at: datetime | None = None) -> Markup:
    """Return what was asked, when, as of when, of which kind of market and model."""
    say = show.say
    asked = markup('<span class="kv asked">{} <b>{}</b></span>', say("rs_asked"), numbers.clock(asked_at)) if asked_at is not None else ""
    clock = (
        markup('<span class="kv">{} <b>{}</b>, {}</span>', say("rs_clock"), f"{at[:16].replace('T', ' ')} UTC", say("rs_nothing_later"))
        if at
        else ""
    )
    return markup(
        '<div class="tb tb-market"><h2 class="sym">{}</h2>{}{}<span class="sp"></span>{}</div>',
        question or say("rs_research"),
        asked,
        clock,
        run_tags(feed, model, show),
    )


def verdict_bar(view: ResearchView, show: Show) -> Markup:
    """Return what the question came to, or what is being done, with its numbers."""
    if view.ending is None:
        body = now_said(view, show) or (levels(_levels(view, show)) if view.seq else Markup())
        return bar(_going(view, show), body, show.say("rs_came_to"))
    return bar(_ended(view, show), levels(_levels(view, show)), show.say("rs_came_to"))


def _ended(view: ResearchView, show: Show) -> BarWords:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.status != "finished":
        return BarWords(STATE_SIGNS[view.status][0], say("run_stopped" if ending.stopped else "run_failed"), settled=True)
    remark = (
        markup('{} <b class="tb-num">{}</b>', say("confidence"), numbers.share(view.confidence))
        if view.confidence is not None
        else Markup()
    )
    if not ending.is_valid:
        return BarWords(STATE_SIGNS["invalid"][0], say("rs_not_valid"), remark, settled=True)
    if stated := headline_of_answer(view, show):
        word, deciding = stated
        said = joined([markup("<b>{}</b>", deciding), " · ", remark] if remark else [deciding])
        return BarWords(STATE_SIGNS["finished"][0], word, said, settled=True)
    open_, verdict = view.count_said("unsupported"), read.words(view.ended_with, "verdict")
    word = say("rs_answered_word") if not open_ else say("rs_answered_partly")
    if verdict in _VERDICTS:
        word += ("：" if show.language == "zh" else ": ") + say(f"rs_verdict_{verdict}")
    return BarWords(STATE_SIGNS["finished"][0], word, remark, settled=True)


def headline_of_answer(view: ResearchView, show: Show) -> tuple[str, str] | None:
    """Return the answer in a few words, and the figure that decides with what it is of: `Funding −0.0117 %, percentile 17 of what was
    read`, or with who says it; None where nothing that was stated held."""
    held = view.headline
    words, n = read.words(held, "words"), read.count(held, "n")
    if words and not view.is_plan and 1 <= n <= len(view.documents):
        source = read.words(view.documents[n - 1], "source") or ""
        return words, " · ".join(filter(None, (numbers.restyled(read.words(held, "value") or ""), source)))
    results = [task for factor in view.factors for task in factor.results]
    if not words or not 1 <= n <= len(results):
        return None
    name = figure_label(results[n - 1].tool, read.words(held, "figure") or "", show)
    value = _shown(read.words(held, "value") or "")
    rank = read.number(held, "percentile")
    deciding = f"{name} {value}"
    return words, deciding + (show.say("list_comma") + show.say("rs_percentile", n=numbers.number(rank)) if rank is not None else "")


def _shown(written: str) -> str:
    """Return `0.0161 %` of `0.016142 %`: four digits of a share, two of anything larger."""
    figure, _, unit = written.partition(" ")
    try:
        number = float(figure)
    except ValueError:
        return numbers.restyled(written)
    shown = numbers.number(number, 4 if abs(number) < 1 else 2 if abs(number) < 1000 else 0)
    return f"{shown}{numbers.THIN}{unit}" if unit else shown


def _going(view: ResearchView, show: Show) -> BarWords:
    say = show.say
    if view.run_id is None:
        return BarWords(NO_RUN, say("rs_no_run"), say("rs_no_run_hint"))
    sign = STATE_SIGNS[view.status][0]
    if view.interrupted:
        return BarWords(sign, say("state_interrupted").capitalize())
    busy = [node.name for node in view.nodes.values() if node.state in ("running", "retrying")]
    if view.is_plan:
        running = [factor.name for factor in view.factors if factor.state == "running"]
        return BarWords(sign, say("rs_planning") if not view.factors else say("rs_factors_work"), say("list_comma").join(running))
    return BarWords(sign, say(STEP_OF_NODE.get(busy[-1], "rs_step_agent")) if busy else say("running").capitalize())


def _mean(curve: Curve, show: Show) -> str:
    values = [value for _, value in curve.points]
    return f"{show.say('rs_mean_line')} {curve.written(sum(values) / len(values))}"


def _levels(view: ResearchView, show: Show) -> list[Markup]:
    say = show.say
    out = []
    if view.is_plan:
        out += [level(each.name, each.written(each.points[-1][1]), _mean(each, show)) for each in curves_of(view, show)[:_MEASURED]]
        done = sum(factor.state in ("done", "done_with_errors") for factor in view.factors)
        decided = [each.decision for factor in view.factors for task in factor.tasks for each in task.attempts if each.decision]
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
