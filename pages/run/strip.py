"""The strip of a run: its steps with their times, and below them who spoke when, from the first event to the last. Where a run has ended
the page lays a slider over that line: the strip is where the reader looks back. HTML, without streamlit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.cards import share, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.live_seat import running_seconds
from pages.run.states import StepState, clock_of, speaker, stage_state, stage_word, state
from pages.run.view import RunView, Turn

_ROOM: Final = 11.0  # px of height that parallel bars share


@dataclass(frozen=True)
class StripStep:
    """A step. state: sign and word. spent: beside it, on the right. on: whether it is the one of now. left: percent of the time that the
    reader has left, drawn below it; 0 for none."""

    name: str
    state: Markup
    spent: Markup | str = ""
    on: bool = False
    left: float = 0.0


@dataclass(frozen=True)
class RunStage:
    """A step that nodes take together. nodes: those that have started. workers: the newest of each whose state is its own."""

    name: str
    state: StepState
    nodes: Sequence[Turn] = ()
    workers: Sequence[Turn] = ()


def stage_of(name: str, nodes: Sequence[Turn], view: RunView, *, closed: bool, workers: Sequence[Turn] | None = None) -> RunStage:
    """Return a stage in the state of its workers. closed: nothing more comes of it."""
    workers = nodes if workers is None else workers
    return RunStage(name, stage_state(workers, view, closed=closed), nodes, workers)


def stage_step(stage: RunStage, title: str, view: RunView, show: Show, *, busy: str = "writing", false: int = 0) -> StripStep:
    """Return a stage as a step with its time. busy: the key of what it does while it goes on. false: how many numbers in it are."""
    going = stage.state == "running"
    words = stage_word(stage.state, stage.workers, show.say, busy=busy)
    spent: Markup | str = ""
    if start := min((node.started_at for node in stage.nodes if node.started_at), default=None):
        now = clock_of(view, show) or start
        end = now if going else max((node.ended_at for node in stage.nodes if node.ended_at), default=now)
        lasted = max(0.0, (end - start).total_seconds())
        spent = running_seconds(lasted, show) if going else numbers.seconds(lasted)
    if false:
        spent = markup('<span class="tb-false">{} ✕</span> {}', false, spent)
    return StripStep(title, state(stage.state, words), spent, going)


def strip(steps: Sequence[StripStep], view: RunView, show: Show, role: Callable[[str], str] = speaker) -> Markup:
    """Return the steps in order, and the line of the speakers. role: node -> whose colour and name it has."""
    listed = joined(_step(step) for step in steps)
    top = markup('<div class="tb-steps n{}" role="list" aria-label="{}">{}</div>', len(steps), show.say("steps"), listed)
    return markup(
        '<div class="tb tb-strip">{}<div class="tb-track" aria-hidden="true">{}</div></div>', top, _bars(view.whole or view, show, role)
    )


def _step(step: StripStep) -> Markup:
    css_class, current = (" now", Markup(' aria-current="step"')) if step.on else ("", Markup())
    left = markup('<i class="left" style="width:{}%"></i>', share(step.left)) if step.left else ""
    spent = markup('<span class="sec">{}</span>', step.spent) if step.spent else ""
    return markup(
        '<div class="tb-step{}" role="listitem"{}><div class="t"><span class="n">{} {}</span>{}</div>{}</div>',
        css_class,
        current,
        step.name,
        step.state,
        spent,
        left,
    )


def _bars(view: RunView, show: Show, role: Callable[[str], str]) -> Markup:
    """Return a bar for every turn of everybody, with a mark where it begins; those that speak at once lie below one another."""
    turns = sorted((turn for turn in view.turns if turn.from_seq), key=lambda turn: turn.from_seq)
    rows: list[int] = []
    placed: list[tuple[Turn, int]] = []
    for turn in turns:
        row = next((row for row, end in enumerate(rows) if end <= turn.from_seq), len(rows))
        rows[row : row + 1] = [turn.to_seq or view.seq]
        placed.append((turn, row))
    apart = _ROOM / max(len(rows), 3)
    return joined(_bar(turn, row * apart, role(turn.name), view, show) for turn, row in placed)


def _bar(turn: Turn, top: float, role: str, view: RunView, show: Show) -> Markup:
    whole = max(view.seq - 1, 1)
    left = 100 * (turn.from_seq - 1) / whole
    width = max(100 * ((turn.to_seq or view.seq) - turn.from_seq) / whole, 0.3)
    bad = " bad" if turn.state in ("failed", "abstained") else ""
    return markup(
        '<span class="{}{}" style="left:{}%;width:{}%;top:{}px" title="{}"></span>',
        tint(role),
        bad,
        share(left),
        share(min(width, 100 - left)),
        f"{top:.1f}",
        show.name(role),
    )
