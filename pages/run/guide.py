"""A guided demo: a run like any other that the page leads through, beat by beat. A desk lists its beats, and reads out of the run when each
is due and what it says; here is when each one is reached, and the bar that says it.

A beat is due at an instant of the run, so a reload, a second viewer and a link are shown the same one. A pause is everybody's, too: what is
shown is paused, and goes on from there. What is said is read from the run, whose words come by its stream as those of every run do;
`assets/guide/guide.js` asks for a drawing when the next beat is due.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar, Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine, PracticeAccount
from engine.domain.clock import utc_now
from engine.domain.events import Event
from engine.domain.proposal import Proposal
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.language import Language
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.page_style import show_no_run
from pages.frame.show import Show
from pages.run.reducer import V, ViewReducer
from pages.run.starting import start_run
from pages.server.static_files import mount

_ENDED: Final = "guides-ended"
_SHOWN: Final = "guide-shown"
_ACCOUNT: Final = "practice-account"
_LONGEST_STEP: Final = timedelta(seconds=1)
"""How far the demo goes on from one drawing to the next at most."""
_STEP_S, _SOONEST_S, _LATEST_S = 0.4, 0.1, 0.8
"""Between two drawings: of what moves or is about to, at least, and at most: somebody else may pause, or go on."""


@dataclass(frozen=True)
class Beat:
    """One beat of a course. word: key of its title. places: CSS selectors of what is brought into view, the first of which has to be seen.
    least_s: how long it is shown at least. effect: what is animated, by its name in the script. moves: what it says changes by itself.
    is_last: nothing comes after it. due: when it may begin, by the demo's clock; None while that is not known. said: "" for a beat that is
    not reached."""

    name: str
    word: str
    places: Sequence[str]
    least_s: float = 0.0
    effect: str = ""
    moves: bool = False
    is_last: bool = False
    due: datetime | None = None
    said: Markup | str = ""


Cue = tuple[datetime | None, Markup | str]
"""When a beat is due, and what it says."""


@dataclass
class GuideClock:
    """The demo's clock, which stops while the demo is paused. pauses: from, to; the last one may still go on."""

    pauses: list[tuple[datetime, datetime | None]] = field(default_factory=list)

    @property
    def is_paused(self) -> bool:
        """Whether it is paused."""
        return bool(self.pauses) and self.pauses[-1][1] is None

    def at(self, instant: datetime) -> datetime:
        """Return what it shows at an instant."""
        pauses = (min(end or instant, instant) - start for start, end in self.pauses if start < instant)
        return instant - sum(pauses, timedelta())

    def turn(self, now: datetime) -> None:
        """Pause, or go on."""
        if self.is_paused:
            self.pauses[-1] = self.pauses[-1][0], now
        else:
            self.pauses.append((now, None))


@dataclass(frozen=True)
class Scene:
    """What beats are made from. view: the run as it is shown now. clock, now: of the demo. carried: what the desk's guide has worked out
    for this drawing."""

    engine: Engine
    record: RunRecord
    view: Any
    show: Show
    clock: GuideClock
    now: datetime
    carried: Any = None

    @property
    def begun(self) -> datetime:
        """When the run began."""
        begun: datetime | None = self.view.started_at
        return begun or self.record.created_at

    @property
    def ended(self) -> datetime | None:
        """When it ended."""
        return self.view.ending.at if self.view.ending is not None else None

    @cached_property
    def proposal(self) -> Proposal | None:
        """What it was filed as, once it has ended."""
        return self.engine.trading.proposal_of(self.record.run_id) if self.ended is not None else None

    @property
    def answered(self) -> datetime | None:
        """When that was answered, by the demo's clock."""
        return self.clock.at(self.proposal.changed_at) if self.proposal is not None and not self.proposal.is_waiting else None

    @property
    def to_sign(self) -> str:
        """That it waits for a signature, or that there is nothing to sign."""
        return self.show.say("demo_sign_text" if self.proposal is not None else "demo_nothing_to_sign")


@dataclass(frozen=True)
class Guided:
    """A demo as it is drawn. scene: what is shown. beats: in order. current: the number of the one of now, from 0.
    goes_on: it does so by itself. next_s: after how many seconds it is to be drawn again, None where nothing comes by itself."""

    scene: Scene
    beats: Sequence[Beat]
    current: int
    goes_on: bool
    next_s: float | None

    @property
    def beat(self) -> Beat:
        """The one of now."""
        return self.beats[self.current]


class Guide(ABC):
    """A desk's demo. key: of its words: `demo_KEY_help`. asked: what it asks for. own: the fields of that which tell its runs from others.
    course: its beats, in order."""

    key: ClassVar[str]
    asked: ClassVar[Mapping[str, Any]]
    own: ClassVar[Sequence[str]] = ("broker",)
    course: ClassVar[Sequence[Beat]]

    @abstractmethod
    def request(self, engine: Engine, language: Language) -> RunRequest:
        """Return what the demo asks for. Raises BadInput where the settings do not allow it."""

    @abstractmethod
    def cues(self, scene: Scene) -> Mapping[str, Cue]:
        """Return every beat by its name, due by the run's own events."""

    def is_own(self, request: RunRequest | None) -> bool:
        """Return whether a run was asked for as the demo asks."""
        return all(getattr(request, name, None) == self.asked[name] for name in self.own)

    def beats(self, scene: Scene) -> Sequence[Beat]:
        """Return the course as it is in a scene."""
        cues = self.cues(scene)
        return [replace(each, due=cues[each.name][0], said=cues[each.name][1]) for each in self.course]

    def carried(self, scene: Scene) -> Any:
        """Return what beats and page need beside the scene. It may take the demo's market further."""
        return None

    def held(self, event: Event) -> float:
        """Return for how many seconds an event and everything after it is kept back, so that what comes before it is seen."""
        return 0.0

    def start(self, engine: Engine, language: Language, who: str, own: PracticeAccount | None = None) -> tuple[str, PracticeAccount | None]:
        """Begin the demo in an account that is empty and nobody else's. own: the one that this visitor's last demo had. Return the run's
        id, and the account."""
        request, account = engine.trading.begin_practice(self.request(engine, language), who, own)
        return engine.start(request), account


def leads(guide: Guide, record: RunRecord | None) -> bool:
    """Return whether a run is a demo that this viewer has not ended: its page is drawn beat by beat, and not as its words come."""
    return record is not None and guide.is_own(record.request) and record.run_id not in st.session_state.get(_ENDED, ())


def is_paused(guide: Guide, record: RunRecord) -> bool:
    """Return whether a run is a demo that is paused for this viewer."""
    return leads(guide, record) and _clock_of(record.run_id).is_paused


def follow(guide: Guide, engine: Engine, record: RunRecord | None, reducer: ViewReducer[V], view: V, show: Show) -> Guided | None:
    """Return the demo that a run is, as it is now; None for any other run, and for a viewer who has ended it."""
    if record is None or not leads(guide, record):
        return None
    clock = _clock_of(record.run_id)
    now = _steadily(record.run_id, clock.at(utc_now()))
    shown = _shown(guide, engine, record, reducer, view, now)
    bare = Scene(engine, record, shown, show, clock, now)
    scene = replace(bare, carried=guide.carried(bare))
    beats = guide.beats(scene)
    begins = _begins(beats)
    current, following = max(sum(at <= now for at in begins) - 1, 0), next((at for at in begins[1:] if at > now), None)
    is_behind = shown.seq < view.seq
    goes_on = record.is_open or (not beats[current].is_last and (beats[current].moves or is_behind or following is not None))
    st.session_state[_SHOWN] = (record.run_id, now) if goes_on else None
    next_s = None
    if goes_on:
        next_s = _STEP_S if beats[current].moves or is_behind else _LATEST_S
        if following is not None:
            next_s = min(next_s, max(_SOONEST_S, (following - now).total_seconds()))
    return Guided(scene, beats, current, goes_on, next_s)


def _steadily(run_id: str, now: datetime) -> datetime:
    """Return the instant that this visitor is shown: where a page is drawn more slowly than time goes by, no beat is left out."""
    kept: tuple[str, datetime] | None = st.session_state.get(_SHOWN)
    return min(now, kept[1] + _LONGEST_STEP) if kept is not None and kept[0] == run_id else now


def _begins(beats: Sequence[Beat]) -> list[datetime]:
    """Return when beats begin: each when it is due and the one before has been shown long enough. Those after one that is not due yet are
    left out."""
    begins: list[datetime] = []
    for number, beat in enumerate(beats):
        if beat.due is None:
            break
        begins.append(max(beat.due, begins[-1] + timedelta(seconds=beats[number - 1].least_s)) if begins else beat.due)
    return begins


def _shown(guide: Guide, engine: Engine, record: RunRecord, reducer: ViewReducer[V], view: V, now: datetime) -> V:
    """Return the run as far as it is shown at an instant of the demo's clock."""
    events = engine.events(record.run_id)
    until = len(events)
    for number, event in enumerate(events):
        if event.at + timedelta(seconds=guide.held(event)) > now:
            until = number
            break
    return view if until >= view.seq else reducer.reduce(events[:until])


def draw_start_button(guide: Guide, engine: Engine, language: Language, who: str) -> None:
    """Offer the demo, on a desk that shows no run."""
    show = Show(language=language)
    hint = show.say(f"demo_{guide.key}_help")
    if st.button(show.say("demo_start"), key="demo-button", help=hint, width="content"):
        start_run(lambda: _begin(guide, engine, language, who), None)


def _begin(guide: Guide, engine: Engine, language: Language, who: str) -> str:
    kept: dict[str, PracticeAccount | None] = st.session_state.setdefault(_ACCOUNT, {})
    run_id, kept[guide.key] = guide.start(engine, language, who, kept.get(guide.key))
    return run_id


def draw_guide(guided: Guided, guide: Guide, who: str) -> None:
    """Draw the bar: what is said, pause and end, and at the end what to do next."""
    scene, beat = guided.scene, guided.beat
    run_id, say = scene.record.run_id, scene.show.say
    with st.container(key="guide", horizontal=True, vertical_alignment="center"):
        draw_html(_bar(guided), width="stretch")
        with st.container(key="guide-buttons", horizontal=True, width="content"):
            if beat.is_last:
                _draw_next(scene, guide, who)
            elif guided.goes_on:
                word = say("demo_go_on") if scene.clock.is_paused else say("demo_pause")
                st.button(word, key="guide-pause", on_click=lambda: _clock_of(run_id).turn(utc_now()), help=say("demo_pause_key"))
            st.button("✕", key="guide-end", on_click=_end, args=(run_id,), help=say("demo_end"))
        wait_ms = round(guided.next_s * 1000) if guided.next_s is not None else None
        data = {"run": run_id, "beat": beat.name, "places": list(beat.places), "effect": beat.effect, "next": wait_ms}
        content = json.dumps({**data, "at": utc_now().timestamp()})
        mount("guide/guide.js", "guide-script", {"told": content}, on_redraw_change=_redraw)


def _redraw() -> None:
    """Do nothing: what asked for it is drawn next."""


def _bar(guided: Guided) -> Markup:
    beat, say = guided.beat, guided.scene.show.say
    dots = joined(markup('<i class="{}"></i>', "on" if number <= guided.current else "") for number in range(len(guided.beats)))
    return markup(
        '<section class="tb tb-guide" role="region" aria-label="{}" data-beat="{}"><span class="dots" aria-hidden="true">{}</span>'
        '<p role="status" aria-live="polite"><b>{}</b> <span>{}</span></p></section>',
        say("demo_start"),
        beat.name,
        dots,
        say(beat.word),
        beat.said,
    )


def _draw_next(scene: Scene, guide: Guide, who: str) -> None:
    """Draw what to do when a demo is over."""
    engine, say, run_id = scene.engine, scene.show.say, scene.record.run_id
    if st.button(say("demo_again"), key="guide-again", type="primary"):
        start_run(lambda: _begin(guide, engine, scene.show.language, who), run_id)
        st.rerun()
    draw_html(markup('<a class="tb-guide-lie" href="#lie">{}</a>', say("demo_lie")), width="content")
    if st.button(say("demo_own"), key="guide-own"):
        show_no_run()
        st.rerun()


def _end(run_id: str) -> None:
    st.session_state[_ENDED] = {*st.session_state.get(_ENDED, ()), run_id}


@st.cache_resource(max_entries=200, show_spinner=False)
def _clock_of(run_id: str) -> GuideClock:
    """Return the clock of a demo: one for all who watch it at this server."""
    return GuideClock()


def panels(*names: str) -> tuple[str, ...]:
    """Return the selectors of panels of a run's page, by their names."""
    return tuple(f"#panel-{name}" for name in names)
