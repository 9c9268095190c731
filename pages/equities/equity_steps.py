"""The strip of the desk's steps: state, seconds, false numbers, and who worked when, as bars on the step's own time axis."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.equities.equity_view import ADVISOR, AGAIN, ROOMS, EquityView, SpokenTurn, role_of_node
from pages.equities.pieces import NOTHING
from pages.frame import numbers
from pages.frame.cards import share, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.node_state import clock_of, stage_state, stage_word, state, unreached
from pages.run.view import NodeView, RunView
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, readers_step

STEPS = ("analysts", "memory", "fusion", "research", "risk", "trader")
INDEX_STEPS = ("analysts", "memory", "fusion", "strategy")
_ROOM = 14.0  # px of height that parallel bars share


def step_names(view: EquityView) -> tuple[str, ...]:
    """Return the steps that the machine takes, in order."""
    return INDEX_STEPS if view.is_index else STEPS


def begun_step(view: EquityView) -> int:
    """Return the number of the newest step that has begun, from 1."""
    return max((index for index, name in enumerate(step_names(view), 1) if _nodes(view, name)), default=1)


def step_strip(
    view: RunView, show: Show, proposal: Proposal | None = None, preview_state: PreviewState = NOT_PREVIEWED, *, still: bool = False
) -> Markup:
    """Return the steps, in order; the last one is the reader's. proposal, preview_state: what the run was filed as, and what it would
    meet now. still: in a file, where nobody signs and no clock runs."""
    run = view if isinstance(view, EquityView) else EquityView()
    now, say = clock_of(run, show), show.say
    names = step_names(run)
    machine = joined(_step(run, name, names[index + 1 :], show, now) for index, name in enumerate(names))
    you = _you(run, proposal, preview_state, show, still=still)
    short = " index" if run.is_index else ""
    return markup('<div class="tb tb-steps n{}" role="list" aria-label="{}">{}{}</div>', short, say("steps"), machine, you)


def _nodes(view: EquityView, step: str) -> list[NodeView]:
    """Return the nodes of a step that have started."""
    started = [node for node in view.nodes.values() if node.started_at is not None]
    if step == "analysts":
        return [node for node in started if node.stage == "analysis" and role_of_node(node.name) != ADVISOR]
    if step == "strategy":
        return [node for node in started if node.stage == "analysis" and role_of_node(node.name) == ADVISOR]
    return [node for node in started if node.stage == step]


def _closed(view: EquityView, step: str, nodes: Sequence[NodeView], later: Sequence[str]) -> bool:
    """Return whether a step has ended: its last node has, or a later step has begun. Memory runs in parallel with later steps, so only its
    own nodes count."""
    if step != "memory" and any(_nodes(view, name) for name in later if name != "memory"):
        return True
    last = ROOMS[step][-1] if step in ROOMS else None
    if last is not None:
        return view.node(last).ended
    return all(node.ended for node in nodes) and (step != "analysts" or view.ending is not None or _nodes(view, "fusion") != [])


def _step(view: EquityView, name: str, later: Sequence[str], show: Show, now: datetime | None) -> Markup:
    say, nodes = show.say, _nodes(view, name)
    title, closed = say(f"eq_step_{name}"), _closed(view, name, nodes, later)
    workers = list({node.name.removesuffix(AGAIN): node for node in nodes}.values())  # of those that tried again the second try
    if not nodes:
        if name == "memory" and any(_nodes(view, each) for each in later if each != "fusion"):  # nothing has begun beside the debate
            return _html(title, state("skipped", say("eq_kept")), "", NOTHING, now_on=False)
        kind = unreached(view)
        return _html(title, state(kind, say(kind)), "", NOTHING, now_on=False)
    kind = stage_state(workers, view, closed=closed)
    begin = min(node.started_at for node in nodes if node.started_at is not None)
    ends = [node.ended_at for node in nodes if node.ended_at is not None]
    end = max(ends, default=now) if kind != "running" else now
    end = end or begin
    spent = numbers.seconds((end - begin).total_seconds())
    false = sum(claim.verdict == "false" for speech in view.said_by(*ROOMS.get(name, ())) for claim in speech.claims)
    spent = f"{false} ✕ · {spent}" if false else spent
    shown = state(kind, stage_word(kind, workers, say))
    return _html(title, shown, spent, _bars(view, name, nodes, begin, end), now_on=kind == "running")


def _you(view: EquityView, proposal: Proposal | None, preview_state: PreviewState, show: Show, *, still: bool) -> Markup:
    step = readers_step(view, proposal, preview_state, show, still=still)
    left = markup('<span class="human" style="left:0%;width:{}%;top:6px"></span>', share(step.share)) if step.share else NOTHING
    return _html(show.say("you"), step.state, step.left, left, now_on=step.asks)


def _html(name: str, shown: Markup, spent: str, bars: Markup, *, now_on: bool) -> Markup:
    title = markup('<div class="t">{} {}</div>', name, shown)
    below = markup('<div class="b2"><div class="bars" aria-hidden="true">{}</div><span class="sec">{}</span></div>', bars, spent)
    css_class, current = (" now", Markup(' aria-current="step"')) if now_on else ("", NOTHING)
    return markup('<div class="tb-step{}" role="listitem"{}>{}{}</div>', css_class, current, title, below)


def _bars(view: EquityView, step: str, nodes: Sequence[NodeView], begin: datetime, end: datetime) -> Markup:
    """Return a bar for every speech of a debate, else for every node; a second try is drawn behind the first."""
    span = max((end - begin).total_seconds(), 1e-3)
    if step in ROOMS:
        rows = ROOMS[step]
        return joined(_bar(each, rows.index(each.node), len(rows), begin, span, end) for each in view.said_by(*rows))
    names = list(dict.fromkeys(node.name.removesuffix(AGAIN) for node in nodes))
    pieces = []
    for node in nodes:
        speech = SpokenTurn(node.name, 0, node.state, node.started_at, node.ended_at)
        pieces.append(_bar(speech, names.index(node.name.removesuffix(AGAIN)), len(names), begin, span, end))
    return joined(pieces)


def _bar(speech: SpokenTurn, row: int, rows: int, begin: datetime, span: float, end: datetime) -> Markup:
    if speech.started_at is None:
        return NOTHING
    left = 100 * (speech.started_at - begin).total_seconds() / span
    width = max(100 * ((speech.ended_at or end) - speech.started_at).total_seconds() / span, 1.5)
    css_class = tint(role_of_node(speech.node)) + (" bad" if speech.state in ("failed", "abstained") else "")
    top = f"{row * _ROOM / max(rows, 2):.1f}"
    return markup(
        '<span class="{}" style="left:{}%;width:{}%;top:{}px"></span>', css_class, share(left), share(min(width, 100 - left)), top
    )
