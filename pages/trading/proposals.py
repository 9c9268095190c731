"""The queue of proposals: a card each, with clock, drift and limits; and the head of the page they stand on. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.frame import numbers
from pages.frame.cards import share
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.trading.answered import reason_text
from pages.trading.limits import limit_line, limits_count
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


def proposal_card(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime, *, chosen: bool = False) -> Markup:
    """Return one card: market, action, state; the clock as a bar; what keeps it from being signed."""
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    lever = f" · {proposal.plan.leverage}×" if proposal.plan.leverage else ""
    confidence = f"{say('confidence')} {numbers.number(basis.confidence)}{lever}"
    confidence = confidence if proposal.is_of_run else say("proposed_by", who=proposal.changed_by)
    top = markup(
        '<div class="row"><b class="sym">{}</b><span class="tb-lab">{}</span>'
        '<b class="act"><span aria-hidden="true">{}</span> {}</b><span class="tb-lab">{}</span><span class="sp"></span>{}</div>',
        basis.symbol,
        basis.timeframe,
        glyph,
        word,
        confidence,
        chip_of(proposal, preview_state, say).html(),
    )
    current = Markup(' aria-current="true"') if chosen else ""
    body = joined([top, clock_bar(proposal, now), _facts(proposal, preview_state, show, now), _why(proposal, preview_state, show)])
    return markup('<article class="tb tb-prop"{}>{}</article>', current, body)


def clock_bar(proposal: Proposal, now: datetime) -> Markup:
    """Return what is left of its time."""
    left = left_pct(proposal, now)
    css_class = Markup(' class="late"') if 0 < left < _HURRY else ""
    return markup('<div class="tb-bar" aria-hidden="true"><span{} style="width:{}%"></span></div>', css_class, share(left))


def _facts(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime) -> Markup:
    say = show.say
    limits = proposal.limits
    passed = limits_count(limits, show) if limits else say("no_limits")
    if proposal.is_waiting and limits:
        passed = limits_now(preview_state, show) or f"{passed} ({say('then_decided')})"
    left, drift = countdown(proposal, now), drift_text(proposal, preview_state, show)
    pairs = markup("<span>{} <b>{}</b></span><span>{} <b>{}</b></span>", say("expires_in"), left, say("drift"), drift)
    return markup('<div class="facts">{}<span>{}</span></div>', pairs, passed)


def limits_now(preview_state: PreviewState, show: Show) -> str:
    """Return `1 of 16 limits breached`, as they stand now, and how many are judged at the price of the decision; nothing before a
    first look."""
    if preview_state.preview is None or not preview_state.preview.limits:
        return ""
    limits, then = preview_state.preview.limits, preview_state.preview.as_decided
    text = limits_count(limits, show)
    return f"{text} ({show.say('some_decided', n=len(then))})" if then else text


def _why(proposal: Proposal, preview_state: PreviewState, show: Show) -> Markup:
    said = [*_refusal(proposal, preview_state, show), *why_lines(proposal, preview_state, show)]
    lines = joined(markup("<p>{}</p>", line) for line in said)
    return markup('<div class="why">{}</div>', lines) if lines else Markup()


def _refusal(proposal: Proposal, preview_state: PreviewState, show: Show) -> list[str]:
    """Return why the last approval was refused, and what can be done about it."""
    refused = preview_state.refused
    if not proposal.is_waiting or refused is None:
        return []
    way = "refused_halted" if preview_state.halted else "refused_retry"
    if not preview_state.halted and proposal.is_of_run and lock_lines(proposal, preview_state, show):
        way = "refused_refresh"
    return [show.say("refused_at", at=numbers.clock(refused.at), why=refused.why), show.say(way)]


def why_lines(proposal: Proposal, preview_state: PreviewState, show: Show, *, warn: bool = True) -> list[str]:
    """Return what a reader must know before an answer: locks, warnings (`warn`), missing signatures, what blocked it, what became of it."""
    say = show.say
    if proposal.is_waiting:
        warned = warnings_of(proposal, preview_state.preview, show) if warn else []
        return [*lock_lines(proposal, preview_state, show), *warned, *_signatures(proposal, show)]
    if proposal.state == "blocked":
        broken = [limit_line(check, show) for check in breached(proposal.limits)]
        sentence = say("sentence", text="; ".join(broken) or reason_text(proposal.why, show).rstrip("."))
        return [f"{sentence}{'' if show.language == 'zh' else ' '}{say('on_paper_too')}"]
    if proposal.state == "filled":  # price, fee and money stand in the bar; what is doubtful of it does not
        return [show.translated(doubt)] if (doubt := proposal.why.partition("; ")[2]) else []
    return [reason_text(proposal.why, show, by_person=proposal.state == "rejected")] if proposal.why else []


def _signatures(proposal: Proposal, show: Show) -> list[str]:
    if proposal.signers_needed < 2:
        return []
    money = f"{numbers.number(float(proposal.figures.notional))} {quote_unit(proposal)}"
    if not (signed := signed_by(proposal)):
        return [show.say("two_signers", money=money)]
    at = max(each.at for each in proposal.signatures if each.hash == proposal.hash)
    return [show.say("second_signer", money=money, who=", ".join(signed), when=numbers.clock(at))]


def approvals_head(
    found: Sequence[Proposal], chosen: Proposal | None, preview_states: Mapping[str, PreviewState], who: str, show: Show
) -> Markup:
    """Return what waits, who signs, and how the account of the chosen one stands."""
    say = show.say
    waiting = [each for each in found if each.is_waiting]
    seen = [preview_states.get(each.id, PreviewState()) for each in waiting]
    halted = sum(each.halted for each in seen)
    locked = sum(bool(locked_by(each, say)) for each in seen if not each.halted)
    blocked = sum(each.state == "blocked" for each in found)
    ready = len(waiting) - locked - halted
    counts = [say("count_waits_1") if ready == 1 else say("count_waits", n=ready)]
    counts += [
        say(key, n=count) for key, count in (("badge_halted", halted), ("badge_locked", locked), ("count_blocked", blocked)) if count
    ]
    right = markup("<span>{} <b>{}</b></span>{}", say("signing_as"), who, _account(chosen, preview_states, show))
    name = markup('<h2>{}</h2><span class="tb-muted" role="status">{}</span>', say("approvals"), " · ".join(counts))
    return markup('<div class="tb tb-page tb-approvals">{}<span class="sp"></span>{}</div>', name, right)


def _account(proposal: Proposal | None, preview_states: Mapping[str, PreviewState], show: Show) -> Markup:
    preview = preview_states.get(proposal.id, PreviewState()).preview if proposal is not None else None
    if proposal is None or preview is None:
        return Markup()
    account, say = preview.conditions.account, show.say
    bound = say("of_bound", bound=numbers.percent(preview.conditions.limits(proposal.basis).max_daily_loss_pct, 1))
    equity = f"{numbers.number(account.equity, 2)} {quote_unit(proposal)}"
    loss = markup("<span>{} <b>{}</b> {}</span>", say("day_loss"), numbers.percent(account.day_loss_pct, 1), bound)
    return markup("<span>{} <b>{}</b></span>{}", say("equity"), equity, loss)


def nothing_to_sign(show: Show) -> Markup:
    """Return the empty queue."""
    return markup('<div class="tb tb-card"><p><b>{}</b></p><p>{}</p></div>', show.say("no_proposal"), show.say("no_proposal_text"))
