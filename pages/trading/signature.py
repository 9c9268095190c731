"""What became of a decision that was filed: its state, who signed when and under which hash, money and limits. HTML, without streamlit.

It is on a page that is saved: everything in it is as it was at one instant, and nothing counts down.
"""

from datetime import UTC, datetime

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.frame import numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.messages import short_hash
from pages.trading.answered import answered_by
from pages.trading.limits import limits_count
from pages.trading.proposal_state import PreviewState, action_of, base_unit, chip_of, quote_unit
from pages.trading.proposals import why_lines


def signature_panel(proposal: Proposal, show: Show) -> Markup:
    """Return the card. proposal: as it was at the instant that is shown."""
    title, chip = show.say("part_signature"), chip_of(proposal, PreviewState(), show.say).html()
    rows = joined(markup("<span>{}</span><span>{}</span>", name, value) for name, value in _rows(proposal, show))
    why = joined(markup('<p class="tb-muted">{}</p>', line) for line in why_lines(proposal, PreviewState(), show))
    return card(head(heading(title), chip), markup('<div class="tb-dl wide">{}</div>{}', rows, why), label=title)


def to_the_second(instant: datetime) -> str:
    """Return `2026-05-17 09:00:00 UTC`."""
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _rows(proposal: Proposal, show: Show) -> list[tuple[str, str]]:
    say, made, unit = show.say, proposal.figures, quote_unit(proposal)

    def money(value: float, sign: int) -> str:
        return f"{(numbers.signed if sign else numbers.number)(value * (sign or 1), 1)} {unit}"

    rows = [
        (say("col_proposal"), proposal.id),
        (say("matter_action"), action_of(proposal, say)[1]),
        (say("size"), f"{proposal.plan.amount:f} {base_unit(proposal, say)} · {money(float(made.notional), 0)}"),
    ]
    if made.loss_at_stop is not None:
        rows.append((say("loss_at_stop"), money(float(made.loss_at_stop), -1)))
    if made.gain_at_target is not None:
        rows.append((say("gain_at_target"), money(float(made.gain_at_target), 1)))
    rows.append((say("costs_row"), money(float(made.fees + made.slippage), 0)))
    if proposal.limits:
        rows.append((say("limits_row"), limits_count(proposal.limits, show)))
    for each in proposal.signatures:
        rows.append((say("signed_by"), f"{each.who} · {to_the_second(each.at)} · {short_hash(each.hash)}"))
    if proposal.is_waiting:
        rows.append((say("waits_until"), to_the_second(proposal.expires_at)))
    else:
        rows.append((say("col_answer"), f"{answered_by(proposal)} · {to_the_second(proposal.changed_at)}"))
    rows += [(say("signed_order"), order) for order in proposal.order_ids]
    return [*rows, (say("signed_hash"), proposal.hash)]
