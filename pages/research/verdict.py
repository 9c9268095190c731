"""The line of a question, the bar with what it came to, and the strip of its steps. HTML, without streamlit."""

from markupsafe import Markup

from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import level
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.research.research_view import ResearchView
from pages.run.node_state import clock_of, state
from pages.run.view import NodeState

_STEPS = {
    "llm_decision": "rs_step_agent",
    "optional_tool": "rs_step_agent",
    "search": "rs_step_search",
    "clean_and_rerank": "rs_step_rerank",
    "download": "rs_step_download",
    "summarize": "rs_step_answer",
}


def question_line(question: str, at: str, feed: str, model: str, show: Show) -> Markup:
    """Return what was asked, as of when, of which kind of market and model."""
    say = show.say
    clock = (
        markup('<span class="kv">{} <b>{}</b>, {}</span>', say("rs_clock"), at[:16].replace("T", " "), say("rs_nothing_later"))
        if at
        else ""
    )
    feeds = {"simulated": "rs_simulated", "recorded": "eq_recorded", "live": "eq_live"}
    tags = markup('<span class="tb-tag{}">{}</span>', " warn" if feed != "live" else "", say(feeds[feed])) if feed in feeds else Markup()
    name = say("scripted_model") if model == "scripted" else say("model_tag", name=model) if model else ""
    tags += markup('<span class="tb-tag{}">{}</span>', " warn" if model == "scripted" else "", name) if name else ""
    return markup(
        '<div class="tb tb-market"><span class="sym">{}</span>{}<span class="sp"></span>{}</div>',
        question or say("rs_research"),
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
        '<section class="tb tb-verdict{}" role="region" aria-label="{}">{}<div class="tb-lev">{}</div></section>',
        css_class,
        show.say("rs_answer"),
        act,
        joined(_levels(view, show)),
    )


def _ended(view: ResearchView, show: Show) -> tuple[str, str, Markup | str]:
    ending, say = view.ending, show.say
    assert ending is not None
    if ending.status != "finished":
        return "✕", say("run_stopped" if ending.stopped else "run_failed"), ""
    remark = markup("{} <b>{}</b>", say("confidence"), numbers.number(view.confidence, 2)) if view.confidence is not None else Markup()
    if not ending.is_valid:
        return "✕", say("rs_not_valid"), remark
    open_ = view.count("unsupported")
    return "◆", say("rs_answered_word") if not open_ else say("rs_answered_partly"), remark


def _going(view: ResearchView, show: Show) -> tuple[str, str, str]:
    say = show.say
    if view.run_id is None:
        return "○", say("rs_no_run"), say("rs_no_run_hint")
    busy = [node.name for node in view.nodes.values() if node.state in ("running", "retrying")]
    if view.is_plan:
        running = [factor.name for factor in view.factors if factor.state == "running"]
        return "…", say("rs_planning") if not view.factors else say("rs_factors_work"), ", ".join(running)
    return "…", say(_STEPS.get(busy[-1], "rs_step_agent")) if busy else say("running"), ""


def _levels(view: ResearchView, show: Show) -> list[Markup]:
    say = show.say
    out = []
    if view.is_plan:
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
    spent = (now - view.started_at).total_seconds() if now and view.started_at else None
    calls = read.number(view.ending.metrics, "llm_calls_count") if view.ending else None
    out.append(level(say("run_time"), numbers.seconds(spent), say("rs_model_calls", n=numbers.number(calls)) if calls is not None else ""))
    return out


def step_strip(view: ResearchView, show: Show) -> Markup:
    """Return the steps in order, each as it stands."""
    say = show.say
    steps = _plan_steps(view) if view.is_plan else _agent_steps(view)
    shown = joined(
        markup(
            '<div class="tb-step{}" role="listitem"><div class="t">{} {}</div></div>',
            " now" if kind == "running" else "",
            say(name),
            state(kind, _word(kind, view, show)),
        )
        for name, kind in steps
    )
    return markup('<div class="tb tb-steps rs" role="list" aria-label="{}">{}</div>', say("steps"), shown)


def _word(kind: NodeState, view: ResearchView, show: Show) -> str:
    if kind == "waiting" and view.ending is not None:
        return show.say("not_reached")
    return show.say("rs_working" if kind == "running" else kind)


def _agent_steps(view: ResearchView) -> list[tuple[str, NodeState]]:
    out: dict[str, NodeState] = {}
    for node, name in _STEPS.items():
        known = view.nodes.get(node)
        kind: NodeState = known.state if known is not None else "waiting"
        if name in out and kind == "waiting":
            continue
        out[name] = kind
    return list(out.items())


def _plan_steps(view: ResearchView) -> list[tuple[str, NodeState]]:
    planned: NodeState = "done" if view.factors else "running" if view.running else "waiting"
    states = [factor.state for factor in view.factors]
    worked: NodeState = "waiting"
    if states:
        worked = "done" if all(each.startswith("done") for each in states) else "running" if view.ending is None else "stopped"
    answered: NodeState = "done" if view.ending is not None and view.ending.status == "finished" else "waiting"
    return [("rs_step_plan", planned), ("rs_step_factors", worked), ("rs_step_answer", answered)]
