"""The facts of the run, and its messages: failures, retries, silent roles, warnings, what the market lacked."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from engine.domain.chaos import CHAOS_KINDS
from engine.domain.text.reason import holds
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, message
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.limit_setting import connect_link, limit_setting
from pages.run.states import clock_of, requests_sent, speaker
from pages.run.view import Retry, RunView, Turn
from pages.words.texts import form_word


def run_facts_panel(view: RunView, show: Show, own: Sequence[tuple[str, str]] = ()) -> Markup:
    """Return calls, tokens, cost, wall time, model, snapshot and proposal; nothing before a run. own: what the flow says of it besides, as
    name and value."""
    if view.opening is None or view.run_id is None:
        return Markup()
    rows = _rows(view, show, own)
    facts = joined(markup('<span>{} <b class="{}">{}</b></span> ', name, css_class, value) for name, value, css_class in rows)
    return card(head(heading(show.say("this_run"))), markup('<div class="tb-facts">{}</div>', facts), label=show.say("this_run"))


def _rows(view: RunView, show: Show, own: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    say, facts = show.say, view.opening
    assert facts is not None
    now = clock_of(view, show)
    usages = [node.usage for node in view.nodes.values() if node.usage]
    metrics = view.ending.metrics if view.ending else {}
    calls = json_fields.number(metrics, "llm_calls_count") or requests_sent(view)
    failed = json_fields.number(metrics, "failed_llm_calls") or sum(usage.failed for usage in usages)
    tokens = json_fields.number(metrics, "total_tokens") or sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)
    tools = sum(call.executed for turn in view.turns for call in turn.calls)
    costs = [usage.cost for usage in usages if usage.cost is not None]
    cost = view.cost or (sum(costs) if costs and len(costs) == len(usages) else None)
    first = min((node.first_token_at for node in view.nodes.values() if node.first_token_at), default=None)
    calls_text = say("run_failed_calls", n=numbers.number(calls), failed=numbers.number(failed)) if failed else numbers.number(calls)
    rows = [
        (say("run_calls"), calls_text, ""),
        *([(say("run_tool_calls"), numbers.number(tools), "")] if tools else []),
        (say("run_tokens"), numbers.number(tokens), ""),
        *([(say("run_cost"), numbers.number(cost, 4), "")] if cost else []),
        (say("run_time"), numbers.seconds(view.elapsed(now)), ""),
        (say("run_first"), numbers.seconds(view.elapsed(first)), ""),
    ]
    rows += [(name, value, "") for name, value in own]
    if facts.model:
        rows.append((say("run_model"), facts.model, ""))
    lies = json_fields.number(facts.request, "lies")
    if lies:
        rows.append((say("run_lies"), numbers.percent(lies * 100, 0), ""))
        rows.append((say("run_seed"), numbers.number(json_fields.number(facts.request, "seed")), ""))
    chaos = json_fields.inner(facts.request, "chaos")
    if (liar := json_fields.words(chaos, "role")) and (kind := json_fields.words(chaos, "kind")):
        what = form_word(f"lie_{kind}", show.language) if kind in CHAOS_KINDS else kind
        rows.append((say("run_chaos"), f"{show.name(liar)} · {what}", ""))
    if parent := json_fields.words(json_fields.inner(facts.request, "origin"), "run_id"):
        rows.append((say("run_parent"), parent, "tb-mono"))
    if facts.snapshot_hash:
        rows.append((say("snapshot"), short_hash(facts.snapshot_hash), "tb-mono"))
    if view.filed is not None and view.filed.proposal_id:
        named = (view.filed.proposal_id, short_hash(view.filed.hash))
        rows.append((say("run_proposal"), " · ".join(filter(None, named)), "tb-mono"))
    rows.append((say("run_id"), view.run_id or "", "tb-mono"))
    return rows


def short_hash(text: str) -> str:
    """Return `5b1f…e07b`."""
    return f"{text[:4]}…{text[-4:]}" if len(text) > 12 else text


def messages_panel(view: RunView, show: Show) -> Markup:
    """Return one message a trouble, the gravest first; nothing when all went well."""
    grave = failures(view, show)
    return listed(grave + (endings(view, show) if has_broken_off(view) or not grave else []) + remarks(view, show))


def listed(messages: Sequence[Markup]) -> Markup:
    """Return messages as one part of the page, announced politely; nothing without any."""
    return markup('<div class="tb-msgs" role="status">{}</div>', joined(messages)) if messages else Markup()


def sentences(*parts: str, show: Show) -> str:
    """Return parts as sentences, each with its full stop; empty ones are left out."""
    zh = show.language == "zh"
    ended = [part if part.endswith((".", "。", "!", "?")) else part + ("。" if zh else ".") for part in parts if part]
    return ("" if zh else " ").join(ended)


def not_valid_word(view: RunView, show: Show) -> str:
    """Return the headline of a run that came to nothing because of its model; "" otherwise."""
    return show.say(f"not_valid_{because}") if (because := view.not_valid_because) else ""


def own_errors(view: RunView) -> tuple[str, ...]:
    """Return the errors that the run ended with, without the one that its bar says."""
    errors = view.ending.errors if view.ending is not None else ()
    return tuple(error for error in errors if view.not_valid_because != "key" or not holds(error, view.faults.refused))


def own_retries(node: Turn, view: RunView) -> tuple[Retry, ...]:
    """Return the retries of a node that are to be said of it: that many answers had no form, the run says once for all of them."""
    return tuple(retry for retry in node.retries if not (retry.repair and view.ending is not None and view.faults.ignored))


def is_unanswered(node: Turn, view: RunView) -> bool:
    """Return whether it is to be said of a node that it gave no answer: of a refused key the run says it once for all of them."""
    return node.state == "abstained" and bool(node.reason or view.not_valid_because != "key")


def refused_key(view: RunView, show: Show) -> Markup:
    """Return why the key was refused, with the way to look at it; "" where it was not."""
    if view.not_valid_because != "key":
        return Markup()
    return markup("<p>{} {}</p>", sentences(show.translated(view.faults.refused), show=show), connect_link(show))


def failures(view: RunView, show: Show, outcome: str = "", role: Callable[[str], str] = speaker) -> list[Markup]:
    """Return a message for every node that failed. outcome: what the flow ends in because of it. role: node -> whose name it has."""
    failed = (node for node in view.nodes.values() if node.state == "failed")
    said = ((show.name(role(node.name)), sentences(show.translated(node.reason), outcome, show=show)) for node in failed)
    return [message(show.say("msg_failed", role=name), text, bad=True) for name, text in said]


def has_broken_off(view: RunView) -> bool:
    """Return whether the run ended without coming to anything: stopped, or failed as a whole."""
    return view.ending is not None and view.ending.action is None and view.ending.status != "finished"


def endings(view: RunView, show: Show, outcome: str = "") -> list[Markup]:
    """Return the errors that the run ended with, as it was stopped, failed or came to something that is not valid."""
    if view.ending is None:
        return []
    if has_broken_off(view):
        bold = show.say("msg_run_stopped" if view.ending.stopped else "msg_run_failed")
        return [message(bold, show.translated(error), bad=not view.ending.stopped) for error in view.ending.errors or ("",)]
    return [
        message(show.say("msg_invalid"), _with_setting(error, sentences(show.translated(error), outcome, show=show), show), bad=True)
        for error in own_errors(view)
    ]


def _with_setting(reason: str, words: str, show: Show) -> Markup:
    return markup("{}{}", words, limit_setting(reason, show))


def remarks(view: RunView, show: Show, without: str = "", role: Callable[[str], str] = speaker) -> list[Markup]:
    """Return what went less than well: silent roles, retries, what was missing, warnings. without: what a silent role means. role: as in
    `failures`."""
    say, out = show.say, []
    for node in view.nodes.values():
        name = show.name(role(node.name))
        if is_unanswered(node, view):
            out.append(message(say("msg_abstained", role=name), sentences(show.translated(node.reason), without, show=show)))
        for retry in own_retries(node, view):
            key = "msg_repair_text" if retry.repair else "msg_retry_text"
            values = {} if retry.repair else {"wait": numbers.seconds(retry.wait_s)}
            why = show.translated(retry.reason)
            text = say(key, reason=why[:1].upper() + why[1:].rstrip(".。"), **values)
            out.append(message(say("msg_retry", role=name, n=retry.attempt - 1), text))
    if view.opening and view.opening.notes:
        out.append(message(say("msg_missing"), "; ".join(map(show.translated, view.opening.notes))))
    for warning in view.ending.warnings if view.ending else ():
        if not view.opening or warning not in view.opening.notes:
            out.append(message(say("msg_warning"), _with_setting(warning, show.translated(warning), show)))
    return out


def notice(model: str, show: Show) -> Markup:
    """Return what this page is not, whose words it shows, and what the marks mean. model: of the run, or the one that is asked for."""
    say, scripted = show.say, model == "scripted"
    words = [say("notice"), say("notice_scripted" if scripted else "notice_model"), say("notice_ink")]
    gap = "" if show.language == "zh" else " "
    return markup('<footer class="tb tb-notice">{}</footer>', gap.join(words))
