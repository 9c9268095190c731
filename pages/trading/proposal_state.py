"""How a proposal stands, as people read it: its chip, why it is locked, its clock, how far the price has drifted. Without streamlit."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from engine.api import Preview
from engine.domain.decision import Signal
from engine.domain.proposal import WAITING, Proposal
from engine.domain.risk import LimitCheck
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.view import Filed
from pages.trading.limits import limit_line, limit_text
from pages.words.texts import WORDS, Say

GLYPHS = {
    Signal.ENTRY_LONG: "▲",
    Signal.ENTRY_SHORT: "▼",
    Signal.EXIT: "■",
    Signal.HOLD: "◆",
    Signal.WAIT: "◆",
}
"""The sign of every action."""
_GLYPHS = {
    "approved": "✓",
    "edited": "✎",
    "rejected": "✕",
    "expired": "○",
    "superseded": "–",
    "blocked": "✕",
    "sent": "↻",
    "filled": "✓",
    "failed": "✕",
    "unknown": "?",
}
_APPROVE = {Signal.ENTRY_LONG: "approve_long", Signal.ENTRY_SHORT: "approve_short", Signal.EXIT: "approve_exit"}


@dataclass(frozen=True)
class PriceSeen:
    """A price that was seen. age_s: seconds since then. at: the instant it is of, where that is not when it was seen: the clock of a
    decision about the past, the close of a session; None for a price that moves."""

    price: float
    age_s: float
    at: datetime | None = None


@dataclass(frozen=True)
class PreviewState:
    """What a proposal would meet now. preview: None before it was asked for. trouble: why there is none. halted: the kill switch is on.
    price: the last that was seen, of whatever age; None before any was."""

    preview: Preview | None = None
    trouble: str = ""
    halted: bool = False
    price: PriceSeen | None = None


NOT_PREVIEWED = PreviewState()


@dataclass(frozen=True)
class Chip:
    """glyph and word, then colour. css_class: `` = muted, `on` = the reader's turn, `warn`, `bad`."""

    glyph: str
    words: str
    css_class: str = ""

    def html(self) -> Markup:
        """Return the chip."""
        return markup('<span class="tb-chip {}"><b aria-hidden="true">{}</b> {}</span>', self.css_class, self.glyph, self.words)


def chip_of(proposal: Proposal, preview_state: PreviewState, say: Say) -> Chip:
    """Return the state in one glyph and one word."""
    if proposal.is_waiting:
        if why := locked_by(proposal, preview_state, say):
            return Chip("✕", say("chip_locked", why=why), "warn")
        if proposal.signers_needed > 1:
            return Chip("○", say("chip_signed", n=len(signed_by(proposal)), of=proposal.signers_needed), "warn")
        return Chip("✎", say("chip_edited"), "on") if proposal.state == "edited" else Chip("○", say("chip_pending"), "on")
    by_limit = any(not check.passed for check in proposal.limits)
    if proposal.plan.protects and proposal.state in ("filled", "failed"):
        return Chip(_GLYPHS[proposal.state], say(f"chip_levels_{proposal.state}"), {"failed": "bad"}.get(proposal.state, "done"))
    word = "chip_no_order" if proposal.state == "blocked" and not by_limit else f"chip_{proposal.state}"
    return Chip(_GLYPHS[proposal.state], say(word), {"failed": "bad", "unknown": "bad", "filled": "done"}.get(proposal.state, ""))


def filed_word(filed: Filed, say: Say) -> str:
    """Return what a run was filed as, where its proposal itself is not shown; a state nobody here knows is called by its name."""
    if filed.state in WAITING:
        return say("filed")
    key = f"chip_{filed.state}"
    return say(key) if key in WORDS else filed.state


def locked_by(proposal: Proposal, preview_state: PreviewState, say: Say) -> str:
    """Return the first thing that keeps a waiting proposal from being signed, in a word or two; empty when nothing does."""
    if preview_state.halted:
        return say("why_halted")
    if preview_state.trouble:
        return say("why_unseen")
    return next((say(key) for key, _ in _locks(preview_state.preview, Show())), "")


def lock_lines(proposal: Proposal, preview_state: PreviewState, show: Show) -> list[str]:
    """Return everything that keeps it from being signed, a sentence each."""
    if preview_state.trouble:
        return [show.say("lock_unseen", why=show.translated(preview_state.trouble))]
    return [line for _, line in _locks(preview_state.preview, show)]


def _locks(preview: Preview | None, show: Show) -> list[tuple[str, str]]:
    """Word and sentence of everything that locks, the engine's own reasons first."""
    if preview is None:
        return []
    found = [(f"why_{lock.kind}", show.say("sentence", text=_capital(lock.text(show.language)))) for lock in preview.locks]
    broken = [check for check in breached(preview.limits) if check.measured is not None or not found]
    here = [limit_line(check, show) for check in broken if check.rule not in preview.as_decided]
    then = [limit_line(check, show) for check in broken if check.rule in preview.as_decided]
    found += [("why_limit", show.say("lock_limit", what="; ".join(here)))] if here else []
    return found + ([("why_limit", show.say("lock_limit_then", what="; ".join(then)))] if then else [])


def warnings_of(proposal: Proposal, preview: Preview | None, show: Show) -> list[str]:
    """Return what a signer should know of the numbers as they are now: limits that are judged at the price of the decision."""
    if preview is None:
        return []
    found = []
    now = {"min_risk_reward_ratio": preview.figures.reward_risk, "max_stop_distance_pct": _stop_distance(preview)}
    for check in preview.limits:
        if check.passed and check.rule in preview.as_decided:
            here = check.model_copy(update={"measured": now.get(check.rule), "passed": False})
            price = numbers.price(proposal.basis.price, float(proposal.basis.terms.price_step))
            values = {"now": limit_line(here, show), "then": limit_text(check.rule, check.measured), "price": price}
            found.append(show.say("judged_then", **values))
    return found


def _stop_distance(preview: Preview) -> float | None:
    """Return percent of the price of now."""
    price, stop = preview.conditions.price, preview.plan.stop
    return abs(float(stop) / price - 1) * 100 if stop is not None and price else None


def judged_line(proposal: Proposal, check: LimitCheck, as_decided: frozenset[str], show: Show) -> str:
    """Return a limit, and that it is judged at the price of the decision where it is."""
    line = limit_line(check, show)
    if check.rule not in as_decided:
        return line
    return show.say("at_decided", what=line, price=numbers.price(proposal.basis.price, float(proposal.basis.terms.price_step)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def breached(limits: tuple[LimitCheck, ...]) -> list[LimitCheck]:
    """Return the limits that are breached; the kill switch has words of its own."""
    return [check for check in limits if not check.passed and check.rule != "kill_switch"]


def drift_atr(proposal: Proposal, price: float) -> float | None:
    """Return how far the price has moved since the decision, in ATR; None where the ATR is not known."""
    atr = proposal.basis.atr
    return abs(price - proposal.basis.price) / atr if atr else None


def drift_text(proposal: Proposal, preview_state: PreviewState, show: Show) -> str:
    """Return `−16.5 · 0.18 of 0.50 ATR`; a dash before anybody has looked."""
    if preview_state.preview is None:
        return numbers.DASH
    price, basis = preview_state.preview.conditions.price, proposal.basis
    moved = numbers.signed_price(price - basis.price, float(basis.terms.price_step))
    drift = drift_atr(proposal, price)
    if drift is None:
        return moved
    bound = preview_state.preview.conditions.limits(basis).max_drift_atr
    text = show.say("of_atr", drift=numbers.number(drift, 2), bound=numbers.number(bound, 2))
    return f"{moved} · {text}"


def signed_by(proposal: Proposal) -> tuple[str, ...]:
    """Return who has signed this very version."""
    return tuple(each.who for each in proposal.signatures if each.hash == proposal.hash)


def countdown(proposal: Proposal, now: datetime) -> str:
    """Return `6:42`, `2:03:10`, `3 d`; a dash once it is over."""
    left = int((proposal.expires_at - now).total_seconds())
    if left <= 0 or not proposal.is_waiting:
        return numbers.DASH
    if left >= 2 * 86400:
        return f"{left // 86400}{numbers.THIN}d"
    hours, rest = divmod(left, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def left_pct(proposal: Proposal, now: datetime) -> float:
    """Return the share of its time that is left, 0-100."""
    lifetime = (proposal.expires_at - proposal.created_at).total_seconds()
    return 100 * max(0.0, (proposal.expires_at - now).total_seconds()) / lifetime if proposal.is_waiting and lifetime > 0 else 0.0


def action_of(proposal: Proposal, say: Say) -> tuple[str, str]:
    """Glyph and word: `▼`, `Enter short`; shares are bought and sold."""
    action, share = proposal.basis.action, proposal.basis.adjustment_pct
    if proposal.plan.protects:
        return "↕", say("move_levels")
    if proposal.basis.instrument == "shares":
        return ("▲", say("eq_BUY")) if proposal.plan.side == "buy" else ("▼", say("eq_SELL"))
    if action is Signal.ADJUST and share is not None:
        return ("▲" if proposal.plan.side == "buy" else "▼"), say(
            "scale_in" if share > 0 else "partial_exit", pct=numbers.signed_percent(share, 0)
        )
    return GLYPHS.get(action, "◆"), say(action)


def approve_word(proposal: Proposal, say: Say) -> str:
    """Return what the button says that signs it: `Approve short`."""
    action, share = proposal.basis.action, proposal.basis.adjustment_pct
    if proposal.plan.protects:
        return say("approve_levels")
    if proposal.basis.instrument == "shares":
        return say("approve_buy" if proposal.plan.side == "buy" else "approve_sell")
    if action is Signal.ADJUST:
        return say("approve_add" if (share or 0) > 0 else "approve_reduce")
    return say(_APPROVE[action]) if action in _APPROVE else say("approve")


def base_unit(proposal: Proposal, say: Say) -> str:
    """Return `BTC` of `BTC/USDT:USDT`; the word for shares where they are what is ordered."""
    return say("unit_shares") if proposal.basis.listing is not None else proposal.basis.symbol.partition("/")[0]


def quote_unit(proposal: Proposal) -> str:
    """Return `USDT` of `BTC/USDT:USDT`; the currency of shares."""
    listing = proposal.basis.listing
    return listing.currency if listing is not None else proposal.basis.symbol.partition("/")[2].partition(":")[0]
