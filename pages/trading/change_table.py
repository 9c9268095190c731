"""What a signature would change: a plan beside what a person makes of it, and the account before and after."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import streamlit as st
from markupsafe import Markup

from engine.api import BookTotals, Change, Engine, Preview, SignedBook
from engine.domain.holding import NATURES
from engine.domain.proposal import Figures, OrderPlan, Proposal
from engine.domain.risk import LimitCheck
from pages.frame import numbers
from pages.frame.cards import cell, label, message, table
from pages.frame.escape import joined, markup, plain
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.trading.edit_form import Draft
from pages.trading.levels import has_limit, number
from pages.trading.limits import limits_count
from pages.trading.live_price import price_sentence, wrong_side
from pages.trading.previews import AS_IT_IS, beside
from pages.trading.proposal_state import PreviewState, breached, judged_line, quote_unit, warnings_of

Measured = tuple[Figures, tuple[LimitCheck, ...]]
"""What a plan comes to, and its limits."""


def draw_comparison(engine: Engine, proposal: Proposal, draft: Draft, show: Show, *, folded: bool = False) -> None:
    """Draw machine / yours / change, or the one column of a plan that was not changed; what cannot be worked out is said in its place.
    folded: the table can be unfolded, and what keeps the plan from being signed is there in any case: the chart whose lines are dragged
    stays in sight."""
    trouble = draft.preview_state.trouble
    if refused := draft.refused or (trouble and show.say("lock_unseen", why=show.translated(trouble))):
        draw_html(message(refused, bad=True))
        return
    machine: Measured | None = (proposal.machine_figures, proposal.limits)
    yours: Measured = (proposal.figures, proposal.limits)
    if draft.preview_state.preview is not None:
        yours = draft.preview_state.preview.figures, draft.preview_state.preview.limits
        same = draft.plan == proposal.machine and not draft.plan.protects
        machine = None if same else _machine_now(engine, proposal, draft.preview_state, (proposal.machine_figures, proposal.limits))
    measured_at = price_sentence(proposal, draft.plan, draft.preview_state, float(yours[0].price), show)
    compared = change_table(proposal, machine, yours, show, measured_at)
    against = change_faults(proposal, yours, show, draft.plan, draft.preview_state.preview)
    if not folded:
        draw_html(markup('<div class="tb tb-change">{}{}</div>', compared, against))
        return
    draw_html(markup('<div class="tb tb-change">{}</div>', against) if against else Markup())
    with st.expander(show.say("compare_plans"), key=f"compare-{proposal.id}"):
        draw_html(markup('<div class="tb tb-change">{}</div>', compared))


def _machine_now(engine: Engine, proposal: Proposal, seen: PreviewState, as_filed: Measured) -> Measured:
    """Return the machine's plan at the same price as the other one, so that only the plans differ."""
    plan = proposal.machine
    stop, target = number(plan.stop), number(plan.target)
    if plan.protects:
        current = seen.preview.conditions.current_stop if seen.preview else None
        change = Change(float(current) if current is not None else stop, target)
    else:
        entry = number(plan.limit)
        limit = Change(entry=entry, at_market=entry is None) if has_limit(proposal) else AS_IT_IS
        sized = Change(size=float(plan.amount)) if plan.reduce_only else Change(stop, target, float(plan.amount), plan.leverage)
        change = replace(sized, entry=limit.entry, at_market=limit.at_market)
    preview_state = beside(engine, proposal, change, seen)
    return (preview_state.preview.figures, preview_state.preview.limits) if preview_state.preview else as_filed


def change_table(proposal: Proposal, machine: Measured | None, yours: Measured, show: Show, measured_at: str = "") -> Markup:
    """machine / yours / change, a row each; only what the plan has. machine: None where nothing was changed: one column is enough then.
    measured_at: at which price, as a sentence (`price_sentence`); "" where that is said elsewhere."""
    say, unit, step = show.say, quote_unit(proposal), float(proposal.basis.terms.price_step)
    both = machine or yours, yours
    old, new = (each[0] for each in both)

    def row(name: str, values: list[float | None], texts: list[str], changed: Callable[[float], str]) -> list[Markup]:
        """values: of both plans, None where one has none; texts: as they are written."""
        before, after = values
        if before is None and after is None:
            return []
        change = changed(after - before) if before is not None and after is not None else numbers.DASH
        shown = [numbers.DASH if value is None else text for value, text in zip(values, texts, strict=True)]
        return _row(say(name), shown[0], shown[1], change)

    def money(name: str, amounts: list[Decimal | None], sign: int = 0) -> list[Markup]:
        """sign: +1 a gain, -1 a loss, 0 neither; a loss is shown as what it takes away."""
        values = [float(amount) * (sign or 1) if amount is not None else None for amount in amounts]
        write = numbers.signed if sign else numbers.number
        return row(name, values, [f"{write(value, 1)} {unit}" for value in values], numbers.signed)

    def ratio(name: str, values: list[float | None]) -> list[Markup]:
        return row(name, values, [numbers.number(value, 2) for value in values], lambda change: numbers.signed(change, 2))

    prices = [number(each.liquidation) for each in (old, new)]
    away = [numbers.percent(each.liquidation_distance_pct, 1) for each in (old, new)]
    liquidated = [f"{numbers.price(price, step)} · {distance}" for price, distance in zip(prices, away, strict=True)]
    checks = () if proposal.plan.protects else both[0][1], yours[1]
    limits = [_limits(each, show) for each in checks]
    rows = [
        money("loss_at_stop", [old.loss_at_stop, new.loss_at_stop], -1),
        money("gain_at_target", [old.gain_at_target, new.gain_at_target], 1),
        ratio("min_risk_reward_after_costs", [old.reward_risk_net, new.reward_risk_net]),
        ratio("min_risk_reward_ratio", [old.reward_risk, new.reward_risk]),
        row("liquidation", prices, liquidated, lambda change: numbers.signed_price(change, step)),
        money("notional_row", [old.notional, new.notional]),
        money("costs_row", [old.fees + old.slippage, new.fees + new.slippage]),
        _row(say("limits_row"), limits[0], limits[1], "") if any(checks) else [],
    ]
    before = say("levels_now" if proposal.plan.protects else "machine")
    heads: tuple[tuple[str, bool], ...] = ((say("figure"), False), (before, True), (say("yours"), True), (say("change"), True))
    rows = [row for row in rows if row]
    if machine is None:
        heads, rows = ((say("figure"), False), (say("now_signed"), True)), [[row[0], row[2]] for row in rows]
    return table(heads, rows) + (markup('<p class="tb-muted">{}</p>', measured_at) if measured_at else "")


def _row(name: str, before: str, after: str, beside: str) -> list[Markup]:
    return [cell(plain(name)), cell(plain(before), "r"), cell(markup("<b>{}</b>", after), "r"), cell(plain(beside), "r")]


def _limits(checks: tuple[LimitCheck, ...], show: Show) -> str:
    return f"{'✓' if all(check.passed for check in checks) else '✕'} {limits_count(checks, show)}" if checks else numbers.DASH


def change_faults(proposal: Proposal, yours: Measured, show: Show, plan: OrderPlan, preview: Preview | None = None) -> Markup:
    """Return what keeps a plan from being signed, and what its signer should know; "" where there is neither. A level on the wrong side
    comes before the limits that cannot be measured because of it. preview: where it has been looked at."""
    wrong = wrong_sides(proposal, plan, yours[0], show)
    as_decided = preview.as_decided if preview is not None else frozenset()
    checks = [check for check in breached(yours[1]) if check.measured is not None or not wrong]
    broken = [*wrong, *(judged_line(proposal, check, as_decided, show) for check in checks)]
    warned = warnings_of(proposal, preview, show)
    return joined(markup('<p class="tb-bad">✕ {}</p>', line) for line in broken) + joined(
        markup('<p class="tb-warned">! {}</p>', line) for line in warned
    )


def wrong_sides(proposal: Proposal, plan: OrderPlan, made: Figures, show: Show) -> list[str]:
    """Return `For a short the stop must be above the price, 85,887.0` for every level on the wrong side."""
    if plan.reduce_only:
        return []
    sign = 1 if plan.side == "buy" else -1
    found = []
    for name, direction in (("stop", -sign), ("target", sign)):
        value = getattr(plan, name)
        if value is not None and (value - made.price) * direction <= 0:
            found.append(wrong_side(proposal, plan, name, made, show))
    return found


def book_panel(proposal: Proposal, book: SignedBook | None, preview: Preview | None, show: Show) -> Markup:
    """Return the account before and after, a row a measure; that it has not been read yet, where it has not. preview: with which it was
    worked out."""
    say = show.say
    title = markup('<div class="tb-sub">{}</div>', say("book_after"))
    if book is None or preview is None:
        return markup('<div class="tb tb-book">{}<p class="tb-muted">{}</p></div>', title, say("looking"))
    now, after, most = book.now.total, book.after.total, preview.conditions.limits(proposal.basis).max_open_positions

    def money(name: str, before: Decimal, then: Decimal) -> list[Markup]:
        of_equity = numbers.percent(float(then / book.equity * 100), 1)
        return _row(say(name), numbers.number(float(before), 1), numbers.number(float(then), 1), of_equity)

    at_stop = number(after.at_stop / book.equity * 100) if after.at_stop is not None and not book.after.unstopped else None
    rows = [
        _row(say("book_positions"), str(book.now.open_positions), str(book.after.open_positions), say("book_most", n=most)),
        _row(say("book_at_stops"), _stopped(book.now), _stopped(book.after), numbers.signed_percent(at_stop, 1)),
        *([] if NATURES[proposal.basis.instrument].paid_in_full else [money("book_margin", now.margin, after.margin)]),
        money("notional_row", now.notional, after.notional),
    ]
    heads = ((say("figure"), False), (say("book_now"), True), (say("book_signed"), True), (say("book_of_equity"), True))
    unstopped = joined(markup('<p class="tb-warned">! {}</p>', say("book_unstopped", symbol=each)) for each in book.after.unstopped)
    rest = label(say("book_equity"), f"{numbers.number(float(book.equity), 2)} {quote_unit(proposal)}")
    return markup('<div class="tb tb-book">{}{}{}{}</div>', title, table(heads, rows), unstopped, rest)


def _stopped(totals: BookTotals) -> str:
    """Return what all of them bring at their stops; a dash where one has none."""
    stopped = totals.total.at_stop
    return numbers.signed(float(stopped), 1) if stopped is not None and not totals.unstopped else numbers.DASH
