"""The queue of proposals: a row each, with figures, drift and clock; and the head of the page they stand on. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup

from engine.domain.proposal import Proposal
from engine.domain.text.reason import parts_of
from pages.frame import numbers
from pages.frame.cards import share
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.limit_setting import limit_setting
from pages.trading.answered import reason_text
from pages.trading.limits import limit_line, limits_count
from pages.trading.proposal_state import (
    PreviewState,
    action_of,
    breached,
    chip_of,
    countdown,
    drift_atr,
    left_pct,
    lock_lines,
    locked_by,
    quote_unit,
    signed_by,
    warnings_of,
)

_HURRY = 15.0  # percent of its time that are left
_HEADS = ("row_what", "row_ratio", "row_risk", "row_drift", "row_left")


def queue_heads(show: Show) -> Markup:
    """Return what is in the columns of a row."""
    names = joined(markup("<span>{}</span>", show.say(name)) for name in _HEADS)
    return markup('<div class="tb tb-row heads" aria-hidden="true">{}</div>', names)


def proposal_row(
    proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime, *, chosen: bool = False, first: bool = True
) -> Markup:
    """Return one row: market, side, net ratio, money at risk, drift, time left and state. Its figures are those at the price of now once
    that was seen, else those of the decision, in grey. first: of its market's rows."""
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    lever = f"{proposal.plan.leverage}×" if proposal.plan.leverage else ""
    seen = preview_state.preview
    figures = seen.figures if seen is not None else proposal.figures
    then = "" if seen is not None or not proposal.is_waiting else " then"
    risk = numbers.signed(-float(figures.loss_at_stop), 1) if figures.loss_at_stop is not None else numbers.DASH
    drift, bound = _drift(proposal, preview_state, show)
    chip = chip_of(proposal, preview_state, say)
    hurry = " late" if 0 < left_pct(proposal, now) < _HURRY else ""
    side = markup('<b><span aria-hidden="true">{}</span> {}</b> {} {}', glyph, word, lever, basis.timeframe)
    cells = [
        _cell("what" + ("" if first else " more"), markup("<b>{}</b>", basis.symbol), side),
        _cell("n ratio" + then, _bold(numbers.number(figures.reward_risk_net, 2)), say("row_sure", n=numbers.number(basis.confidence))),
        _cell("n risk" + then, _bold(risk), quote_unit(proposal)),
        _cell("n drift", _bold(drift), bound),
        _cell("n left" + hurry, _bold(countdown(proposal, now)), chip.line()),
    ]
    current = Markup(' aria-current="true"') if chosen else ""
    over = "" if proposal.is_waiting else " over"
    return markup('<article class="tb tb-row{}"{}>{}</article>', over, current, joined(cells))


def _bold(text: str) -> Markup:
    return markup("<b>{}</b>", text)


def _cell(css_class: str, upper: object, lower: object) -> Markup:
    return markup('<span class="{}"><span>{}</span><span>{}</span></span>', css_class, upper, lower)


def _drift(proposal: Proposal, preview_state: PreviewState, show: Show) -> tuple[str, str]:
    """Return `0.18 ATR`, and `of 0.50`; dashes before the first look, the distance where the ATR is not known."""
    seen = preview_state.preview
    if seen is None or proposal.plan.protects:
        return numbers.DASH, ""
    price, basis = seen.conditions.price, proposal.basis
    drift = drift_atr(proposal, price)
    if drift is None:
        return numbers.signed_price(price - basis.price, float(basis.terms.price_step)), ""
    bound = numbers.number(seen.conditions.limits(basis).max_drift_atr, 2)
    return f"{numbers.number(drift, 2)}{numbers.THIN}ATR", show.say("of_bound", bound=bound)


def clock_bar(proposal: Proposal, now: datetime) -> Markup:
    """Return what is left of its time."""
    left = left_pct(proposal, now)
    css_class = Markup(' class="late"') if 0 < left < _HURRY else ""
    return markup('<div class="tb-bar" aria-hidden="true"><span{} style="width:{}%"></span></div>', css_class, share(left))


def limits_now(preview_state: PreviewState, show: Show) -> str:
    """Return `1 of 16 limits breached`, as they stand now, and how many are judged at the price of the decision; nothing before a
    first look."""
    if preview_state.preview is None or not preview_state.preview.limits:
        return ""
    limits, then = preview_state.preview.limits, preview_state.preview.as_decided
    text = limits_count(limits, show)
    return f"{text} ({show.say('some_decided', n=len(then))})" if then else text


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
    if proposal.state == "filled":  # price, fee and money stand in the bar; what is doubtful of it does not
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


def approvals_head(
    found: Sequence[Proposal], chosen: Proposal | None, preview_states: Mapping[str, PreviewState], who: str, show: Show
) -> Markup:
    """Return what waits, who signs, and the state of the chosen one's account."""
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
