"""The runs of this journal, of every flow, a row each: when, what about, what it came to, how true it was, its outcome. HTML, without
streamlit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC

from markupsafe import Markup

from engine.domain.run import RunSummary
from engine.domain.shown_state import ShownState, state_of_run
from pages.frame import numbers
from pages.frame.cards import card, cell, head, label
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.run_links import Headline, Path, run_address
from pages.run.states import state_chip
from pages.words.texts import WORDS, Say

_COLUMNS = ("col_when", "col_subject", "col_timeframe", "col_flow", "col_decision", "col_checked", "col_state", "col_came", "col_model")
_MOST_SUBJECT = 60


@dataclass(frozen=True)
class RunFollowUp:
    """The outcome of a run. state: how it is shown. by: who answered it, "" for nobody. result: in money, "" where there is nothing to
    tell."""

    state: ShownState
    by: str = ""
    result: str = ""


def own_headline(run: RunSummary, show: Show) -> str:
    """Return what a run came to as the run itself says it; a dash before its end. show: for flows that say it in a language."""
    return run.headline or numbers.DASH


def flow_word(flow: str, say: Say) -> str:
    """Return what a flow is called; one that the pages do not know by its key."""
    key = f"flow_{flow}"
    return say(key) if key in WORDS else flow


def _first(_flow: str) -> str:
    return ""


@dataclass(frozen=True)
class RunListing:
    """What a list says beside the runs themselves. headline: of a run that has one. path: of the page of a flow. follow_ups: by run.
    compare: run -> the address that sets it beside another, or None. counted: which of how many these are. disputed: run
    -> how many of its corrections are disputed. seeds: run -> its seed, of those where one means something."""

    headline: Headline = own_headline
    path: Path = _first
    follow_ups: Mapping[str, RunFollowUp] = field(default_factory=dict)
    compare: Callable[[str], str] | None = None
    counted: str = ""
    disputed: Mapping[str, int] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)


def runs_panel(runs: Sequence[RunSummary], show: Show, title: str = "", listing: RunListing | None = None) -> Markup:
    """Return the runs in the order given, each a link to its page. title: of the panel, in place of the usual one."""
    say, title, listing = show.say, title or show.say("runs"), listing or RunListing()
    if not runs:
        return card(markup("<p>{}</p>", listing.counted or say("runs_none")), label=title)
    has_flows = len({run.flow for run in runs}) > 1
    names = [name for name in _COLUMNS if has_flows or name != "col_flow"]
    heads = joined(markup('<th scope="col" class="{}">{}</th>', name.removeprefix("col_"), say(name)) for name in names)
    heads += markup('<th scope="col"><span class="tb-sr">{}</span></th>', say("compare_with")) if listing.compare is not None else ""
    rows = joined(markup("<tr>{}</tr>", _row(run, show, listing, has_flows=has_flows)) for run in runs)
    body = markup('<table class="tb-tab tb-runs"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>', heads, rows)
    counted = listing.counted or say("runs_count", n=numbers.number(len(runs)))
    return card(head(markup("<h2>{}</h2>", title), label(counted)), body, label=title)


def _row(run: RunSummary, show: Show, listing: RunListing, *, has_flows: bool) -> Markup:
    say, at = show.say, run.created_at.astimezone(UTC)
    became = listing.follow_ups.get(run.run_id) or RunFollowUp(state_of_run(run.status, None, is_valid=run.is_valid))
    state = state_chip(became.state, say)
    subject = run.subject if len(run.subject) <= _MOST_SUBJECT else f"{run.subject[: _MOST_SUBJECT - 1].rstrip()}…"
    link = markup(
        '<a href="{}" title="{}" target="_self">{}</a>',
        run_address(run.run_id, listing.path(run.flow), show.language),
        run.subject,
        subject,
    )
    made = _origin(run, show, listing)
    checked = markup("<b>{}</b> / {}", numbers.number(run.false_claims), numbers.number(run.claims)) if run.claims else plain("")
    if count := listing.disputed.get(run.run_id):
        checked += markup(' <span class="tb-muted">{}</span>', say("disputed_n", n=count))
    cells = [
        cell(markup('<time datetime="{}">{}</time>', at.isoformat(), at.strftime("%Y-%m-%d %H:%M")), "when"),
        cell(link + made, "subject"),
        cell(plain(run.timeframe or ""), "tf"),
        *([cell(plain(flow_word(run.flow, show.say)), "flow")] if has_flows else []),
        cell(_decision(run, show, listing.headline), "decision"),
        cell(_named(say("col_checked"), checked), "checked"),
        cell(markup("{} · {}", state.line(), became.by) if became.by else state.line(), "state"),
        cell(plain(became.result), "came"),
        cell(markup('<span title="{}">{}</span>', _spent(run, show), run.model or numbers.DASH), "model"),
    ]
    if listing.compare is not None:
        cells.append(cell(_set_beside(listing.compare(run.run_id), show) if run.status == "finished" else "", "set"))
    return joined(cells)


def _origin(run: RunSummary, show: Show, listing: RunListing) -> Markup:
    """Return `⑂ from 2026… · seed 7`: the run that it was forked from, and its seed; "" for neither."""
    parts = []
    if run.parent:
        address = run_address(run.parent, listing.path(run.flow), show.language)
        mark = Markup('<span aria-hidden="true">⑂</span>')
        parts.append(markup('{} <a href="{}" target="_self">{}</a>', mark, address, show.say("made_from", run=run.parent)))
    if (seed := listing.seeds.get(run.run_id)) is not None:
        parts.append(markup("{}", show.say("seed_is", n=seed)))
    return markup(' <span class="tb-muted made">{}</span>', Markup(" · ").join(parts)) if parts else Markup()


def _set_beside(address: str, show: Show) -> Markup:
    name = show.say("compare_with")
    sign = Markup('<span aria-hidden="true">⇄</span>')
    return markup('<a href="{}" target="_self" title="{}">{}<span class="tb-sr">{}</span></a>', address, name, sign, name)


def _decision(run: RunSummary, show: Show, headline: Headline) -> Markup:
    """Return what it came to with its confidence; why where it failed; a dash where it came to nothing."""
    if run.headline is not None and run.status == "finished" and run.is_valid is not False:
        words, sure = headline(run, show)[:80], numbers.number(run.confidence) if run.confidence is not None else ""
        return markup("{} <b>{}</b>", words, sure) if sure else plain(words)
    if run.error and run.status == "failed":
        return markup('<span class="tb-muted">{}</span>', show.translated(run.error)[:80])
    return plain(numbers.DASH)


def _named(name: str, content: Markup) -> Markup:
    """Return what is below its head on a wide page, and after its name on a narrow one."""
    return markup('<span class="name">{} </span>{}', name, content) if content else Markup()


def _spent(run: RunSummary, show: Show) -> str:
    """Return `4.1 s · 14,208 tokens`."""
    took = numbers.seconds(run.duration_ms / 1000) if run.duration_ms is not None else ""
    tokens = show.say("tokens_n", n=numbers.number(run.tokens)) if run.tokens else ""
    return " · ".join(part for part in (took, tokens, numbers.number(run.cost, 4) if run.cost else "") if part)
