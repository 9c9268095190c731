"""What was answered: the answers of today with what came of them, and the card of one on a page that is saved. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from markupsafe import Markup

from engine.domain.orders import Outcome
from engine.domain.proposal import REFUSED, Proposal
from engine.domain.text.reason import Reason, parts_of
from pages.frame import numbers
from pages.frame.cards import cell, label, listed, table, titled
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.messages import short_hash
from pages.run.states import state_chip
from pages.trading.limits import limits_count
from pages.trading.proposal_state import NOT_PREVIEWED, action_of, base_unit, chip_of, quote_unit, reason_text, why_lines


@dataclass(frozen=True)
class FollowUp:
    """What came of a proposal, and what would have on paper; None where there is nothing to tell."""

    outcome: Outcome | None = None
    shadow: Outcome | None = None


def answered_panel(answered: Sequence[Proposal], came: Mapping[str, FollowUp], show: Show) -> Markup:
    """Return newest first. came: as far as they have been looked at."""
    say = show.say
    title = say("answered_today")
    if not answered:
        return titled(title, markup('<p class="tb-muted">{}</p>', say("answered_none")))
    names = ("col_time", "col_where", "col_proposal", "col_answer", "col_by", "col_why", "col_result", "col_paper")
    heads = tuple((say(name), name in {"col_result", "col_paper"}) for name in names)
    rows = [_row(each, came.get(each.id, FollowUp()), show) for each in answered]
    return titled(title, table(heads, rows), beside=_total(answered, came, show))


def _row(proposal: Proposal, came: FollowUp, show: Show) -> list[Markup]:
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    chip = chip_of(proposal, NOT_PREVIEWED, say)
    who, result = answered_by(proposal), ""
    answer = markup('<b><span aria-hidden="true">{}</span> {}</b>', chip.glyph, chip.words)
    if proposal.signatures and proposal.state in ("approved", "sent", "filled", "failed", "unknown"):
        given = state_chip("approved", say)
        answer = markup('<b><span aria-hidden="true">{}</span> {}</b>{}', given.glyph, given.words, _changes(proposal, show))
        result = result_text(came.outcome, proposal, show) or f"{chip.glyph} {chip.words}"
    why = reason_text(_with_currency(proposal), show)
    amount = f"{proposal.plan.amount:f} {base_unit(proposal, say)}"
    return [
        cell(numbers.clock(proposal.changed_at).removesuffix(" UTC")),
        cell(markup("{} {}", run_link(basis.run_id, basis.symbol, show), basis.timeframe)),
        cell(markup('<span aria-hidden="true">{}</span> {} {}', glyph, word, amount)),
        cell(answer),
        cell(plain(who)),
        cell(plain(why), "said"),
        cell(plain(result or numbers.DASH), "r"),
        cell(plain(result_text(came.shadow, proposal, show) or numbers.DASH), "r"),
    ]


def _with_currency(proposal: Proposal) -> str:
    """Return why a proposal is as it is; of one that was filled with the fee in cents and its currency."""
    filled, *others = parts_of(proposal.why) or ("",)
    if not isinstance(filled, Reason) or filled.key != "filled_at":
        return proposal.why
    fee = f"{Decimal(filled.values['fee']):.2f} {quote_unit(proposal)}"
    return Reason.listed([Reason("filled_at", **{**filled.values, "fee": fee}), *others])


def run_link(run_id: str, words: str, show: Show) -> Markup:
    """Return a link to a run on the desk."""
    return markup('<a href="./?run={}&amp;lang={}" target="_self">{}</a>', run_id, show.language, words)


def answered_by(proposal: Proposal) -> str:
    """Return who answered: those who signed, else who changed it last; a dash for the clock and the machine."""
    if proposal.signatures and proposal.state not in ("rejected", "expired", "superseded", "blocked"):
        return ", ".join(dict.fromkeys(each.who for each in proposal.signatures))
    return numbers.DASH if proposal.changed_by in ("clock", "machine", "limits", "broker") else proposal.changed_by


def _changes(proposal: Proposal, show: Show) -> Markup:
    """Return `, size 42 → 20`."""
    old, new, step = proposal.machine, proposal.plan, float(proposal.basis.terms.price_step)
    parts = [f"{show.say('size')} {old.amount:f} → {new.amount:f}"] if old.amount != new.amount else []
    for name in ("stop", "target"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after and before is not None and after is not None:
            parts.append(f"{show.say(name)} {numbers.price(float(before), step)} → {numbers.price(float(after), step)}")
    if old.leverage != new.leverage:
        parts.append(f"{old.leverage}× → {new.leverage}×")
    return plain("".join(f", {part}" for part in parts))


def result_text(outcome: Outcome | None, proposal: Proposal, show: Show) -> str:
    """Return what an order has come to after costs, and how it ended or that it is open: `−10.84 USDT Stop`; "" where that is not known."""
    if outcome is None:
        return ""
    ended = outcome.ended
    tail = show.say(ended if ended in ("stop", "target", "liquidation") else "by_order" if ended else "still_open")
    return f"{numbers.signed(float(outcome.result), 2)} {quote_unit(proposal)} {tail}"


def _total(answered: Sequence[Proposal], came: Mapping[str, FollowUp], show: Show) -> Markup:
    """Return what the refusals saved or missed, where all of them are in one currency."""
    refused = [each for each in answered if each.state in REFUSED]
    known = [(each, shadow) for each in refused if (shadow := came.get(each.id, FollowUp()).shadow) is not None]
    units = {quote_unit(each) for each, _ in known}
    if len(units) != 1:
        return Markup()
    result = sum(float(shadow.result) for _, shadow in known)
    money = f"{numbers.number(abs(result), 2)} {units.pop()}"
    return label(show.say("followed"), show.say("saved" if result <= 0 else "missed", money=money))


def signature_panel(proposal: Proposal, show: Show) -> Markup:
    """Return the card of a page that is saved: everything in it is as it was at one instant, and nothing counts down. proposal: as it was
    then."""
    say, made, unit, when = show.say, proposal.figures, quote_unit(proposal), numbers.to_the_second

    def money(value: Decimal, sign: int = 0) -> str:
        return f"{(numbers.signed if sign else numbers.number)(float(value) * (sign or 1), 1)} {unit}"

    size = f"{proposal.plan.amount:f} {base_unit(proposal, say)} · {money(made.notional)}"
    sums = (
        ("loss_at_stop", made.loss_at_stop, -1),
        ("gain_at_target", made.gain_at_target, 1),
        ("costs_row", made.fees + made.slippage, 0),
    )
    rows = [
        ("col_proposal", proposal.id),
        ("matter_action", action_of(proposal, say)[1]),
        ("size", size),
        *((name, money(value, sign)) for name, value, sign in sums if value is not None),
        *([("limits_row", limits_count(proposal.limits, show))] if proposal.limits else []),
        *(("signed_by", f"{each.who} · {when(each.at)} · {short_hash(each.hash)}") for each in proposal.signatures),
        ("waits_until", when(proposal.expires_at))
        if proposal.is_waiting
        else ("col_answer", f"{answered_by(proposal)} · {when(proposal.changed_at)}"),
        *(("signed_order", order) for order in proposal.order_ids),
        ("signed_hash", proposal.hash),
    ]
    title, chip = say("part_signature"), chip_of(proposal, NOT_PREVIEWED, say).html()
    why = joined(markup('<p class="tb-muted">{}</p>', line) for line in why_lines(proposal, NOT_PREVIEWED, show))
    return titled(title, listed((say(name), value) for name, value in rows), why, beside=chip)
