"""Looking at waiting proposals: the price of now, drift, limits and locks, as the engine measures them, for pages that poll.

Looking asks the market, once for all visitors (`Trading.latest_preview`), and never before a proposal has been painted once for this
visitor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

import streamlit as st

from engine.api import Change, Engine, FillSummary, LastSeen, Preview, ShadowResult
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.orders import Outcome
from engine.domain.proposal import Proposal
from pages.frame.page_frame import SEEN_LOCKED
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, PriceSeen, locked_by
from pages.words.texts import Say

_PAINTED = "painted"
MOST_PREVIEWED = 12
OF_NOW_S = 120.0
"""How far behind its look a price may lie that is called the price of now; one of a closed session lies further back."""
AS_IT_IS = Change()


def preview_waiting(engine: Engine, waiting: Iterable[Proposal]) -> dict[str, PreviewState]:
    """Return how each stands now; what is painted for the first time is not looked at yet, nor what stands far down a long queue."""
    halted = is_halted(engine)
    painted: set[str] = st.session_state.setdefault(_PAINTED, set())
    preview_states = {}
    for index, proposal in enumerate(waiting):
        seen = proposal.id in painted and index < MOST_PREVIEWED
        painted.add(proposal.id)
        preview_states[proposal.id] = seen_now(engine, proposal, halted=halted) if seen else PreviewState(halted=halted)
    return preview_states


def note_locked(preview_states: Mapping[str, PreviewState], say: Say, waiting: Iterable[Proposal]) -> bool:
    """Remember for the frame which of these are locked, as far as they have been looked at; returns whether that has changed."""
    before = seen = st.session_state.get(SEEN_LOCKED, frozenset[str]())
    for proposal in waiting:
        state = preview_states.get(proposal.id, NOT_PREVIEWED)
        if state.preview is not None or state.trouble:
            seen = seen | {proposal.id} if locked_by(state, say) else seen - {proposal.id}
    st.session_state[SEEN_LOCKED] = seen
    return seen != before


def is_halted(engine: Engine) -> bool:
    """Return whether the kill switch is on; a switch that cannot be read counts as on."""
    try:
        return engine.trading.halted() is not None
    except TribunalError:
        return True


def seen_now(engine: Engine, proposal: Proposal, *, halted: bool = False) -> PreviewState:
    """Return how a proposal stands in the market as it was seen last, by whomever."""
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
    Without such a world it is as it was: nobody is asked beside."""
    if preview_state.preview is None:
        return preview_state
    try:
        return replace(preview_state, preview=engine.trading.preview(proposal.id, change, preview_state.preview))
    except TribunalError as problem:
        return replace(preview_state, preview=None, trouble=str(problem))


@st.cache_data(ttl=60.0, max_entries=300, show_spinner=False)
def shadow_of(_engine: Engine, proposal_id: str) -> ShadowResult | None:
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
