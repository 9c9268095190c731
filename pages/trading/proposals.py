"""The queue of proposals: a card each, with clock, drift and limits; and the head of the page they stand on. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.domain.proposal import Proposal
from pages.frame import numbers
from pages.frame.cards import share
from pages.frame.escape import plain
from pages.frame.show import Show
from pages.run.scores import limit_line
from pages.trading.answered import reason_text
from pages.trading.proposal_state import (
    PreviewState,
    action_of,
    breached,
    chip_of,
    countdown,
    drift_text,
    left_pct,
    lock_lines,
    locked_by,
    quote_unit,
    signed_by,
    warnings_of,
)

_HURRY = 15.0  # percent of its time that are left


def proposal_card(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime, *, chosen: bool = False) -> str:
    """Return one card: market, action, state; the clock as a bar; what keeps it from being signed."""
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    lever = f" · {proposal.plan.leverage}×" if proposal.plan.leverage else ""
    confidence = f"{say('confidence')} {numbers.number(basis.confidence)}{lever}"
    top = (
        f'<div class="row"><b class="sym">{plain(basis.symbol)}</b><span class="tb-lab">{plain(basis.timeframe)}</span>'
        f'<b class="act"><span aria-hidden="true">{glyph}</span> {plain(word)}</b><span class="tb-lab">{plain(confidence)}</span>'
        f'<span class="sp"></span>{chip_of(proposal, preview_state, say).html()}</div>'
    )
    current = ' aria-current="true"' if chosen else ""
    body = f"{top}{clock_bar(proposal, now)}{_facts(proposal, preview_state, show, now)}{_why(proposal, preview_state, show)}"
    return f'<article class="tb tb-prop"{current}>{body}</article>'


def clock_bar(proposal: Proposal, now: datetime) -> str:
    """Return what is left of its time."""
    left = left_pct(proposal, now)
    css_class = ' class="late"' if 0 < left < _HURRY else ""
    return f'<div class="tb-bar" aria-hidden="true"><span{css_class} style="width:{share(left)}%"></span></div>'


def _facts(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime) -> str:
    say = show.say
    limits = proposal.limits
    passed = say("limits_short", n=sum(check.passed for check in limits), of=len(limits)) if limits else say("no_limits")
    passed = (limits_now(preview_state, show) if proposal.is_waiting else "") or passed
    left, drift = countdown(proposal, now), drift_text(proposal, preview_state, show)
    pairs = f"<span>{plain(say('expires_in'))} <b>{left}</b></span><span>{plain(say('drift'))} <b>{plain(drift)}</b></span>"
    return f'<div class="facts">{pairs}<span>{plain(passed)}</span></div>'


def limits_now(preview_state: PreviewState, show: Show) -> str:
    """Return `15/16 limits`, as they stand now, and how many are judged at the price of the decision; nothing before anybody has looked."""
    if preview_state.preview is None or not preview_state.preview.limits:
        return ""
    limits, then = preview_state.preview.limits, preview_state.preview.as_decided
    text = show.say("limits_short", n=sum(check.passed for check in limits), of=len(limits))
    return f"{text} ({show.say('some_decided', n=len(then))})" if then else text


def _why(proposal: Proposal, preview_state: PreviewState, show: Show) -> str:
    lines = "".join(f"<p>{plain(line)}</p>" for line in why_lines(proposal, preview_state, show))
    return f'<div class="why">{lines}</div>' if lines else ""


def why_lines(proposal: Proposal, preview_state: PreviewState, show: Show, *, warn: bool = True) -> list[str]:
    """Return what a reader must know before an answer: locks, warnings (`warn`), missing signatures, what blocked it, what became of it."""
    say = show.say
    if proposal.is_waiting:
        warned = warnings_of(proposal, preview_state.preview, show) if warn else []
        return [*lock_lines(proposal, preview_state, show), *warned, *_signatures(proposal, show)]
    if proposal.state == "blocked":
        broken = [limit_line(check, show) for check in breached(proposal.limits)]
        return [f"{'; '.join(broken) or proposal.why}. {say('on_paper_too')}"]
    if proposal.state == "filled":  # price, fee and money stand in the bar; what is doubtful of it does not
        return [doubt] if (doubt := proposal.why.partition("; ")[2]) else []
    return [reason_text(proposal.why, show)] if proposal.why else []


def _signatures(proposal: Proposal, show: Show) -> list[str]:
    if proposal.signers_needed < 2:
        return []
    money = f"{numbers.number(float(proposal.figures.notional))} {quote_unit(proposal)}"
    if not (signed := signed_by(proposal)):
        return [show.say("two_signers", money=money)]
    at = max(each.at for each in proposal.signatures if each.hash == proposal.hash)
    return [show.say("second_signer", money=money, who=", ".join(signed), when=numbers.clock(at))]


def approvals_head(found: Sequence[Proposal], preview_states: Mapping[str, PreviewState], who: str, show: Show) -> str:
    """Return what waits, who signs, and how the account of the chosen one stands."""
    say = show.say
    waiting = [each for each in found if each.is_waiting]
    locked = sum(bool(locked_by(each, preview_states.get(each.id, PreviewState()), say)) for each in waiting)
    blocked = sum(each.state == "blocked" for each in found)
    ready = len(waiting) - locked
    counts = [say("count_waits_1") if ready == 1 else say("count_waits", n=ready)]
    counts += [say(key, n=count) for key, count in (("count_locked", locked), ("count_blocked", blocked)) if count]
    right = f"<span>{plain(say('signing_as'))} <b>{plain(who)}</b></span>{_account(waiting, preview_states, show)}"
    name = f'<h2>{plain(say("approvals"))}</h2><span class="tb-muted" role="status">{plain(" · ".join(counts))}</span>'
    return f'<div class="tb tb-page tb-approvals">{name}<span class="sp"></span>{right}</div>'


def _account(waiting: Sequence[Proposal], preview_states: Mapping[str, PreviewState], show: Show) -> str:
    seen = next(
        ((each, preview_state.preview) for each in waiting if (preview_state := preview_states.get(each.id)) and preview_state.preview),
        None,
    )
    if seen is None:
        return ""
    proposal, preview = seen
    view, say = preview.conditions.account, show.say
    bound = say("of_bound", bound=numbers.percent(preview.conditions.limits(proposal.basis).max_daily_loss_pct, 1))
    equity = f"{numbers.number(view.equity)} {quote_unit(proposal)}"
    loss = f"<span>{plain(say('day_loss'))} <b>{numbers.percent(view.day_loss_pct, 1)}</b> {plain(bound)}</span>"
    return f"<span>{plain(say('equity'))} <b>{plain(equity)}</b></span>{loss}"


def nothing_to_sign(show: Show) -> str:
    """Return the empty queue."""
    return f'<div class="tb tb-card"><p><b>{plain(show.say("no_proposal"))}</b></p><p>{plain(show.say("no_proposal_text"))}</p></div>'
