"""Looking at waiting proposals: the price of now, drift, limits and locks, as the engine measures them, for pages that poll.

Looking asks the market, once for all visitors (`Trading.latest_preview`), and never before a proposal has been painted once for this
visitor.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from time import monotonic

import streamlit as st

from engine.api import Change, Engine, FillSummary, LastSeen, Preview
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.orders import Outcome
from engine.domain.proposal import Proposal
from pages.frame.page_frame import SEEN_LOCKED
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, PriceSeen, Refusal, locked_by
from pages.words.texts import Say

_PAINTED, _SEEN, _TURN, _REFUSED = "painted", "previews-seen", "previews-turn", "approvals-refused"
MOST_PREVIEWED = 12
"""How many are looked at when a page is drawn once."""
TURN_S = 1.0
"""How long a drawing looks at others than the chosen one: no more are begun after it."""
OF_NOW_S = 120.0
"""How far behind its look a price may lie that is called the price of now; one of a closed session lies further back."""
AS_IT_IS = Change()


def preview_waiting(engine: Engine, waiting: Sequence[Proposal], chosen: str | None = None) -> dict[str, PreviewState]:
    """Return the state of each, as it was seen last. The chosen one is looked at first and every time, the others in turn; what is painted
    for the first time is not looked at yet."""
    halted = is_halted(engine)
    painted: set[str] = st.session_state.setdefault(_PAINTED, set())
    kept: dict[str, tuple[str, PreviewState]] = st.session_state.get(_SEEN, {})
    looked = {each.id: kept[each.id] for each in waiting if each.id in kept and kept[each.id][0] == each.hash}
    until = monotonic() + TURN_S
    for proposal in _in_turn([each for each in waiting if each.id in painted], chosen):
        if proposal.id != chosen and monotonic() >= until:
            break
        looked[proposal.id] = proposal.hash, seen_now(engine, proposal)
        if proposal.id != chosen:
            st.session_state[_TURN] = proposal.id
    painted.update(each.id for each in waiting)
    st.session_state[_SEEN] = looked
    found = {each.id: looked[each.id][1] if each.id in looked else NOT_PREVIEWED for each in waiting}
    return {each.id: replace(found[each.id], halted=halted, refused=_refusal(each)) for each in waiting}


def _in_turn(waiting: Sequence[Proposal], chosen: str | None) -> list[Proposal]:
    """Return those whose turn it is: the chosen one, then the next of the others, beginning behind the last that had its turn."""
    first = [each for each in waiting if each.id == chosen]
    others = [each for each in waiting if each.id != chosen]
    after: str | None = st.session_state.get(_TURN)
    begin = next((index + 1 for index, each in enumerate(others) if each.id == after), 0)
    return [*first, *others[begin:], *others[:begin]][:MOST_PREVIEWED]


def note_refusal(proposal: Proposal, why: str) -> None:
    """Remember that the engine refused an approval of this version of a proposal."""
    refused: dict[str, tuple[str, Refusal]] = st.session_state.setdefault(_REFUSED, {})
    refused[proposal.id] = proposal.hash, Refusal(why, utc_now())


def forget_refusal(proposal_id: str) -> None:
    """Forget it: another answer was given."""
    st.session_state.get(_REFUSED, {}).pop(proposal_id, None)


def _refusal(proposal: Proposal) -> Refusal | None:
    known: tuple[str, Refusal] | None = st.session_state.get(_REFUSED, {}).get(proposal.id)
    return known[1] if known is not None and known[0] == proposal.hash else None


def note_locked(preview_states: Mapping[str, PreviewState], say: Say, waiting: Iterable[Proposal]) -> bool:
    """Remember for the frame which of these are locked, as far as they have been looked at; returns whether that has changed."""
    before = seen = st.session_state.get(SEEN_LOCKED, frozenset[str]())
    for proposal in waiting:
        state = preview_states.get(proposal.id, NOT_PREVIEWED)
        if state.preview is not None or state.trouble:
            seen = seen | {proposal.id} if locked_by(state, say) else seen - {proposal.id}
    st.session_state[SEEN_LOCKED] = seen
    return bool(seen != before)


def is_halted(engine: Engine) -> bool:
    """Return whether the kill switch is on; a switch that cannot be read counts as on."""
    try:
        return engine.trading.halted() is not None
    except TribunalError:
        return True


def seen_now(engine: Engine, proposal: Proposal, *, halted: bool = False) -> PreviewState:
    """Return the state of a proposal in the market as any visitor saw it last."""
    look = engine.trading.latest_preview(proposal)
    price = price_seen(proposal, look, utc_now()) if look.seen is not None else None
    return PreviewState(None if look.trouble else look.seen, look.trouble, halted, price)


def price_seen(proposal: Proposal, look: LastSeen[Preview], now: datetime) -> PriceSeen:
    """Return the price of a look, and what it is a price of. look: that has seen something."""
    assert look.seen is not None
    conditions = look.seen.conditions
    at = proposal.basis.market_clock or conditions.market_at
    is_past = at is not None and (proposal.basis.market_clock is not None or (now - at).total_seconds() - look.age_s > OF_NOW_S)
    return PriceSeen(conditions.price, look.age_s, at if is_past else None)


def beside(engine: Engine, proposal: Proposal, change: Change, preview_state: PreviewState) -> PreviewState:
    """Return what a change would mean in the very world that `preview_state` has seen: two plans side by side differ by nothing else.
    Without such a world it is unchanged, and the market is not asked."""
    if preview_state.preview is None:
        return preview_state
    try:
        return replace(preview_state, preview=engine.trading.preview(proposal.id, change, preview_state.preview))
    except TribunalError as problem:
        return replace(preview_state, preview=None, trouble=str(problem))


@st.cache_data(ttl=60.0, max_entries=300, show_spinner=False)
def shadow_of(_engine: Engine, proposal_id: str) -> Outcome | None:
    """Return what a proposal would have come to on paper by now; None where that cannot be said."""
    try:
        return _engine.trading.shadow(proposal_id)
    except TribunalError:
        return None


@st.cache_data(ttl=5.0, max_entries=300, show_spinner=False)
def _filled(_engine: Engine, proposal_id: str, changed: str) -> FillSummary | None:
    try:
        return _engine.trading.filled(proposal_id)
    except TribunalError:
        return None


def filled_of(engine: Engine, proposal: Proposal) -> FillSummary | None:
    """As its order was filled; None where it was not, or where that cannot be said."""
    return _filled(engine, proposal.id, proposal.changed_at.isoformat()) if proposal.state == "filled" else None


@st.cache_data(ttl=5.0, max_entries=300, show_spinner=False)
def outcome_of(_engine: Engine, proposal_id: str) -> Outcome | None:
    """Return what the order of a proposal has come to by now; None where that cannot be said."""
    try:
        return _engine.trading.outcome(proposal_id)
    except TribunalError:
        return None
