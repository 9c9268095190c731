"""The state of a proposal, as people read it: its chip, its clock, its names, why it is locked and what a signer should know. Without
streamlit.
"""

from dataclasses import dataclass
from datetime import datetime

from engine.api import Preview
from engine.domain.decision import Signal
from engine.domain.holding import NATURES
from engine.domain.proposal import WAITING, Proposal
from engine.domain.risk import LimitCheck
from engine.domain.shown_state import ANSWERED, state_of_proposal
from engine.domain.text.reason import Reason, parts_of
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.limit_setting import limit_setting
from pages.run.states import Chip, asks, state, state_chip
from pages.run.strip import StripStep
from pages.run.view import Filed, RunView
from pages.trading.limits import limit_line, limit_text
from pages.words.texts import Say

GLYPHS = {
    Signal.ENTRY_LONG: "▲",
    Signal.ENTRY_SHORT: "▼",
    Signal.EXIT: "■",
    Signal.HOLD: "◆",
    Signal.WAIT: "◆",
}
"""The sign of every action."""
STALE_S = 5.0
SHARES_STALE_S = 45.0
"""From which age on a price is old: a little more than two looks."""
_HURRY = 15.0  # percent of its time that are left
_APPROVE = {Signal.ENTRY_LONG: "approve_long", Signal.ENTRY_SHORT: "approve_short", Signal.EXIT: "approve_exit"}


@dataclass(frozen=True)
class PriceSeen:
    """A price that was seen. age_s: seconds since then. at: the instant it is of, where that is not when it was seen: the clock of a
    decision about the past, the close of a session; None for a price that moves."""

    price: float
    age_s: float
    at: datetime | None = None


@dataclass(frozen=True)
class Refusal:
    """An approval that the engine refused while the proposal went on waiting. why: in the engine's words."""

    why: str
    at: datetime


@dataclass(frozen=True)
class PreviewState:
    """What a proposal would meet now. preview: None before it was asked for. trouble: why it is missing. halted: the kill switch is on.
    price: the last that was seen, of whatever age; None before any was. refused: what came of this visitor's last approval of it."""

    preview: Preview | None = None
    trouble: str = ""
    halted: bool = False
    price: PriceSeen | None = None
    refused: Refusal | None = None


NOT_PREVIEWED = PreviewState()


def chip_of(proposal: Proposal, preview_state: PreviewState, say: Say) -> Chip:
    """Return the state of a proposal in one sign and few words: what locks it, how many have signed."""
    why = locked_by(preview_state, say)
    shown = state_of_proposal(proposal, halted=preview_state.halted, locked=bool(why))
    words = ""
    if shown == "locked":
        words = say("locked_why", why=why)
    elif shown == "signed" or (shown == "waits" and proposal.signers_needed > 1):
        words = say("signed_n", n=len(signed_by(proposal)), of=proposal.signers_needed)
    elif asks(shown) and preview_state.refused is not None:
        words = say("refused_open")
    return state_chip(shown, say, words)


def stale_after(proposal: Proposal) -> float:
    """Return the age from which on a price is old, seconds."""
    return SHARES_STALE_S if NATURES[proposal.basis.instrument].in_sessions else STALE_S


def is_old(proposal: Proposal, seen: PriceSeen) -> bool:
    """Return whether a price was seen too long ago to be called that of now."""
    return seen.age_s > stale_after(proposal)


def is_priced_now(proposal: Proposal, preview_state: PreviewState) -> bool:
    """Return whether there are figures at the price of now. Nothing is signed without them."""
    return preview_state.preview is not None and not (preview_state.price is not None and is_old(proposal, preview_state.price))


def reader(view: RunView, show: Show, proposal: Proposal | None, preview_state: PreviewState, *, still: bool) -> StripStep:
    """Return the last step of a run that can order, which is the reader's: its signature. proposal, preview_state: what the run was filed
    as, and what it would meet now; None where that is not shown. still: in a file, which has no clock and no buttons."""
    say = show.say
    if proposal is not None:
        chip, now = chip_of(proposal, preview_state, say).line(), show.now or proposal.changed_at
        if still or not proposal.is_waiting:
            return StripStep(say("you"), chip)
        is_turn = asks(state_of_proposal(proposal, halted=preview_state.halted, locked=bool(locked_by(preview_state, say))))
        return StripStep(say("you"), chip, countdown(proposal, now) if is_turn else "", is_turn, left_pct(proposal, now))
    if view.filed is not None:
        return StripStep(say("you"), filed_chip(view.filed, say).line())
    return StripStep(say("you"), state("waiting", say("waiting")) if view.ending is None else state("not_reached", say("nothing_to_sign")))


def filed_chip(filed: Filed, say: Say) -> Chip:
    """Return what a run was filed as, where its proposal itself is not shown; an unknown state is called by its name."""
    if (known := ANSWERED.get(filed.state)) is not None:
        return state_chip(known, say)
    return state_chip("waits", say, say("filed") if filed.state in WAITING else filed.state)


def locked_by(preview_state: PreviewState, say: Say) -> str:
    """Return the first thing that keeps a waiting proposal from being signed, in a word or two; empty when nothing but a halt does."""
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
    found = []
    for lock in preview.locks:
        text = show.translated(lock)
        found.append((f"why_{lock.key.removeprefix('lock_')}", show.say("sentence", text=text[:1].upper() + text[1:])))
    broken = [check for check in breached(preview.limits) if check.measured is not None or not found]
    here = [limit_line(check, show) for check in broken if check.rule not in preview.as_decided]
    then = [limit_line(check, show) for check in broken if check.rule in preview.as_decided]
    found += [("why_limit", show.say("lock_limit", what="; ".join(here)))] if here else []
    return found + ([("why_limit", show.say("lock_limit_then", what="; ".join(then)))] if then else [])


def warnings_of(proposal: Proposal, preview: Preview | None, show: Show) -> list[str]:
    """Return what a signer should know of the numbers as they are now: limits that are judged at the price of the decision."""
    if preview is None:
        return []
    found, price, stop = [], preview.conditions.price, preview.plan.stop
    distance = abs(float(stop) / price - 1) * 100 if stop is not None and price else None  # percent of the price of now
    now = {"min_risk_reward_ratio": preview.figures.reward_risk, "max_stop_distance_pct": distance}
    decided = numbers.price(proposal.basis.price, float(proposal.basis.terms.price_step))
    for check in preview.limits:
        if check.passed and check.rule in preview.as_decided:
            here = check.model_copy(update={"measured": now.get(check.rule), "passed": False})
            then = limit_text(check.rule, check.measured)
            found.append(show.say("judged_then", now=limit_line(here, show), then=then, price=decided))
    return found


def refusal_lines(proposal: Proposal, preview_state: PreviewState, show: Show) -> list[str]:
    """Return why the last approval was refused, and what can be done about it."""
    refused = preview_state.refused
    if not proposal.is_waiting or refused is None:
        return []
    way = "refused_halted" if preview_state.halted else "refused_retry"
    if not preview_state.halted and proposal.is_of_run and lock_lines(proposal, preview_state, show):
        way = "refused_refresh"
    return [show.say("refused_at", at=numbers.clock(refused.at), why=refused.why), show.say(way)]


def why_lines(proposal: Proposal, preview_state: PreviewState, show: Show, *, warn: bool = True) -> list[str]:
    """Return what a reader must know before an answer: locks, warnings (`warn`), missing signatures, what blocked it, its outcome."""
    say = show.say
    if proposal.is_waiting:
        warned = warnings_of(proposal, preview_state.preview, show) if warn else []
        return [*lock_lines(proposal, preview_state, show), *warned, *_signatures(proposal, show)]
    if proposal.state == "blocked":
        broken = [limit_line(check, show) for check in breached(proposal.limits)]
        sentence = say("sentence", text="; ".join(broken) or reason_text(proposal.why, show).rstrip("."))
        gap = "" if show.language == "zh" else " "
        return [markup("{}{}{}{}", sentence, limit_setting(proposal.why, show), gap, say("on_paper_too"))]
    if proposal.state == "filled":  # price, fee and money are in the bar; what is doubtful of it is not
        return [show.translated(each) for each in parts_of(proposal.why)[1:]]
    return [reason_text(proposal.why, show)] if proposal.why else []


def _signatures(proposal: Proposal, show: Show) -> list[str]:
    if proposal.signers_needed < 2:
        return []
    money = f"{numbers.number(float(proposal.figures.notional))} {quote_unit(proposal)}"
    if not (signed := signed_by(proposal)):
        return [show.say("two_signers", money=money)]
    at = max(each.at for each in proposal.signatures if each.hash == proposal.hash)
    return [show.say("second_signer", money=money, who=show.say("list_comma").join(signed), when=numbers.clock(at))]


def reason_text(why: str, show: Show) -> str:
    """Return a reason of the engine in the page's language, with its numbers as pages write them; what a person has written as it is."""
    return numbers.restyled(show.translated(why)) if isinstance(why, Reason) else why


def judged_line(proposal: Proposal, check: LimitCheck, as_decided: frozenset[str], show: Show) -> str:
    """Return a limit, and that it is judged at the price of the decision where it is."""
    line = limit_line(check, show)
    if check.rule not in as_decided:
        return line
    return show.say("at_decided", what=line, price=numbers.price(proposal.basis.price, float(proposal.basis.terms.price_step)))


def breached(limits: tuple[LimitCheck, ...]) -> list[LimitCheck]:
    """Return the limits that are breached; the kill switch has words of its own."""
    return [check for check in limits if not check.passed and check.rule != "kill_switch"]


def drift_atr(proposal: Proposal, price: float) -> float | None:
    """Return how far the price has moved since the decision, in ATR; None where the ATR is not known."""
    atr = proposal.basis.atr
    return abs(price - proposal.basis.price) / atr if atr else None


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


def is_late(proposal: Proposal, now: datetime) -> bool:
    """Return whether little of its time is left."""
    return 0 < left_pct(proposal, now) < _HURRY


def action_of(proposal: Proposal, say: Say) -> tuple[str, str]:
    """Glyph and word: `▼`, `Enter short`; shares are bought and sold."""
    action, share = proposal.basis.action, proposal.basis.adjustment_pct
    if proposal.plan.protects:
        return "↕", say("move_levels")
    if NATURES[proposal.basis.instrument].paid_in_full:
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
    if NATURES[proposal.basis.instrument].paid_in_full:
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
