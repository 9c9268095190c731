"""This run: calls, tool calls, tokens, cost, time, what its depth meant, its inputs and its proposal; and what went wrong in it."""

from markupsafe import Markup

from pages.desks.equities.equity_view import EquityOpening, EquityView, role_of_node
from pages.desks.equities.pieces import NOTHING, of_equities
from pages.frame import json_fields, numbers
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.limit_setting import limit_setting
from pages.run.messages import facts_card, is_unanswered, own_errors, own_retries, short_hash
from pages.run.states import clock_of


@of_equities
def equity_run_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the facts of the run, counted while it goes on; nothing before one."""
    if view.run_id is None:
        return NOTHING
    return facts_card(_rows(view, facts, show), show)


def _rows(view: EquityView, facts: EquityOpening, show: Show) -> list[tuple[str, str, str]]:
    say, metrics = show.say, view.ending.metrics if view.ending else {}
    usages = [node.usage for node in view.nodes.values() if node.usage]
    calls = json_fields.number(metrics, "llm_calls_count")
    calls = float(sum(usage.requests for usage in usages)) if calls is None else calls
    tokens = json_fields.number(metrics, "total_tokens")
    tokens = float(sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)) if tokens is None else tokens
    costs = [usage.cost for usage in usages]
    cost = sum(each for each in costs if each is not None) if costs and None not in costs else None
    sent = sum(call.executed for turn in view.turns for call in turn.calls)
    again = sum(len(node.retries) for node in view.nodes.values())
    now = clock_of(view, show)
    rows = [
        (say("eq_model_calls"), numbers.number(calls) + (f" · {say('eq_retried', n=again)}" if again else ""), ""),
        (say("eq_tool_calls"), numbers.number(sent), ""),
        (say("run_tokens"), numbers.number(tokens), ""),
        (say("eq_cost"), numbers.number(cost, 4) if cost is not None else numbers.DASH, ""),
        (say("run_time"), numbers.seconds(view.elapsed(now)), ""),
        (say("eq_depth"), _depth(view, facts, show), ""),
    ]
    if facts.model:
        rows.append((say("run_model"), facts.model, ""))
    if lies := json_fields.number(facts.request, "lies"):
        rows.append((say("run_lies"), numbers.percent(lies * 100, 0), ""))
    if parent := json_fields.words(json_fields.inner(facts.request, "origin"), "run_id"):
        rows.append((say("run_parent"), parent, "tb-mono"))
    if facts.inputs_hash:
        rows.append((say("snapshot"), short_hash(facts.inputs_hash), "tb-mono"))
    if view.filed is not None and view.filed.proposal_id:
        shown = " · ".join(part for part in (view.filed.proposal_id, short_hash(view.filed.hash)) if part)
        rows.append((say("eq_proposal"), shown, "tb-mono"))
    rows.append((say("run_id"), view.run_id or "", "tb-mono"))
    return rows


def _depth(view: EquityView, facts: EquityOpening, show: Show) -> str:
    if view.is_index:
        return show.say("eq_depth_index", depth=facts.depth, research=2 * (facts.depth - 1), tools=facts.tool_limit)
    return show.say("eq_depth_stock", depth=facts.depth, research=2 * facts.depth, risk=3 * facts.depth, tools=facts.tool_limit)


@of_equities
def equity_messages_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return one message a trouble, the gravest first: failures, lost reports, breakers, retries, warnings, layers without data."""
    say, ending, out = show.say, view.ending, list[str]()
    if ending is not None and ending.status != "finished":
        title = say("msg_run_stopped" if ending.stopped else "msg_run_failed")
        out += [message(title, show.translated(error), bad=not ending.stopped) for error in ending.errors or ("",)]
    elif ending is not None and not ending.is_valid:
        out += [
            message(say("msg_invalid"), markup("{}{} {}", show.translated(error), limit_setting(error, show), say("eq_safe")), bad=True)
            for error in own_errors(view)
        ]
    for node in view.nodes.values():
        name = show.name(role_of_node(node.name))
        if node.state == "failed" or is_unanswered(node, view):
            out.append(message(say("msg_abstained", role=name), show.translated(node.reason)))
        out += [
            message(say("msg_retry", role=name, n=retry.attempt - 1), show.translated(retry.reason)) for retry in own_retries(node, view)
        ]
    out += [
        message(say("msg_warning"), markup("{}{}", show.translated(warning), limit_setting(warning, show)))
        for warning in (ending.warnings if ending is not None else ())
    ]
    out += [message(say("msg_warning"), show.translated(note)) for note in facts.notes]
    out += [
        message(say("eq_no_layer", layer=_layer(layer, show)), show.translated(why))
        for layer, why in facts.missing.items()
        if not _is_usual(layer, view)
    ]
    return markup('<div class="tb-msgs" role="status">{}</div>', joined(each for each in out)) if out else NOTHING


def _is_usual(layer: str, view: EquityView) -> bool:
    """Return whether nobody expects it there: a company has no constituents, an index files no reports."""
    return layer == ("filings" if view.is_index else "constituents")


def _layer(layer: str, show: Show) -> str:
    known = ("prices", "filings", "news", "macro", "sector", "constituents", "splits", "dividends")
    return show.say(f"eq_layer_of_{layer}") if layer in known else layer
