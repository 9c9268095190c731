"""The price of now beside a signature that is awaited: how old it is, what is measured at it, what signing now gains or loses, how far
the next lock is. Without streamlit.

A price is called that of now for a few seconds only; after that its age is said, and what could be signed at it is not.
"""

from decimal import Decimal

from markupsafe import Markup
from pydantic import JsonValue

from engine.api import Preview
from engine.domain.proposal import Figures, OrderPlan, Proposal
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.trading.proposal_state import PreviewState, drift_atr, is_old, is_priced_now, quote_unit, stale_after


def live_rows(proposal: Proposal, preview_state: PreviewState, show: Show, left: Markup | str = "", state: Markup | str = "") -> Markup:
    """Return drift and the way to the next lock; the price, its age, and what signing now gains or loses against the decision. left: what
    comes before them. state: why it cannot simply be signed, which then is in the place of what signing would mean."""
    say = show.say
    drift = Markup()
    if not proposal.plan.protects:  # another stop or target is not locked by it
        drift = markup("<span>{} <b>{}</b></span>", say("drift"), drift_text(proposal, preview_state, show))
    price = price_text(proposal, preview_state, show)
    if state:
        return markup('<div class="tb-clock">{}{}</div><div class="tb-clock locked">{}{}</div>', state, left, drift, price)
    return markup(
        '<div class="tb-clock">{}{}{}</div><div class="tb-clock">{}{}</div>',
        left,
        drift,
        _to_lock(proposal, preview_state, show),
        price,
        _if_signed(proposal, preview_state, show),
    )


def price_text(proposal: Proposal, preview_state: PreviewState, show: Show) -> Markup:
    """Return `now 75,915.0`, `75,915.0, 12 s old`, or of when it is where it does not move; a dash before any was seen."""
    say, seen = show.say, preview_state.price
    if seen is None:
        return markup("<span>{} <b>{}</b></span>", say("price_now"), numbers.DASH)
    price = numbers.price(seen.price, float(proposal.basis.terms.price_step))
    if seen.at is not None:
        at = say("price_of", at=show.clock(seen.at))
        return markup('<span>{} <b>{}</b> <span class="age">{}</span></span>', say("price_now"), price, at)
    old = is_old(proposal, seen)
    age = say("price_old", age=numbers.age(seen.age_s)) if old else say("price_live")
    css_class = " old" if old else ""
    return markup('<span class="tb-seen{}">{} <b>{}</b> <span class="age">{}</span></span>', css_class, say("price_now"), price, age)


def drift_text(proposal: Proposal, preview_state: PreviewState, show: Show) -> str:
    """Return `−16.5 · 0.18 of 0.50 ATR`; a dash before the first look."""
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


def price_sentence(proposal: Proposal, plan: OrderPlan, preview_state: PreviewState, price: float, show: Show) -> str:
    """Return which price the figures of a plan are measured at: `All of it at 75,915.0, the price of now.`, and that an approval waits for
    the price of now where it is unknown."""
    say, seen = show.say, preview_state.price
    values = {"price": numbers.price(price, float(proposal.basis.terms.price_step))}
    if plan.limit is not None:
        text = say("at_price_limit", **values)
    elif preview_state.preview is None:
        text = say("at_price_changed" if proposal.is_edited else "at_price_decided", **values)
    elif seen is not None and seen.at is not None:
        text = say("at_price_of", at=show.clock(seen.at), **values)
    elif is_priced_now(proposal, preview_state) or seen is None:
        text = say("at_price", **values)
    else:
        text = say("at_price_old", age=numbers.age(seen.age_s), **values)
    if is_priced_now(proposal, preview_state) or not proposal.is_waiting:
        return text
    return f"{text}{'' if show.language == 'zh' else ' '}{say('awaits_price')}"


def signed_now(proposal: Proposal, price: float) -> Decimal | None:
    """Return what signing at a price gains (or, negative, loses) before costs, quote units: against the price of the decision; what takes
    risk away: against the entry of its position. None for an order with a limit of its own, for one that trades nothing, and without a
    known position."""
    plan, basis = proposal.plan, proposal.basis
    if plan.limit is not None or plan.protects or (plan.reduce_only and basis.holding is None):
        return None
    from_price = basis.holding.entry_price if plan.reduce_only and basis.holding is not None else basis.price
    sign = 1 if plan.side == "sell" else -1  # what is sold is better sold higher
    return plan.amount * (Decimal(str(price)) - Decimal(str(from_price))) * sign


def _if_signed(proposal: Proposal, preview_state: PreviewState, show: Show) -> Markup:
    seen = preview_state.price
    money = signed_now(proposal, seen.price) if seen is not None and seen.at is None and not is_old(proposal, seen) else None
    if money is None:
        return Markup()
    say, value = show.say, float(money)
    tone = "tb-up" if value > 0 else "tb-down" if value < 0 else ""
    word = say("closed_now" if proposal.plan.reduce_only else "signed_now")
    shown = f"{numbers.signed(value, 2)} {quote_unit(proposal)}"
    meaning = say("closed_now_means" if proposal.plan.reduce_only else "signed_now_means")
    return markup('<span title="{}">{} <b class="{}">{}</b></span>', meaning, word, tone, shown)


def next_lock(proposal: Proposal, preview: Preview) -> float | None:
    """Return the price nearest to that of now at which a price locks the proposal: the drift limit, the stop, the target. None where none
    does, or it is locked by its price already."""
    basis, plan, price = proposal.basis, proposal.plan, preview.conditions.price
    levels = [float(level) for level in (plan.stop, plan.target) if level is not None]
    if plan.protects:
        sign = 1 if plan.side == "buy" else -1
        sides = ((plan.stop, -sign), (plan.target, sign))
        crossed = any(level is not None and (float(level) - price) * side <= 0 for level, side in sides)
        return None if crossed else min(levels, key=lambda each: abs(each - price), default=None)
    if plan.reduce_only or basis.atr is None:
        return None
    reach = preview.conditions.limits(basis).max_drift_atr * basis.atr
    if abs(price - basis.price) > reach:
        return None
    return min((basis.price - reach, basis.price + reach, *levels), key=lambda each: abs(each - price))


def _to_lock(proposal: Proposal, preview_state: PreviewState, show: Show) -> Markup:
    preview = preview_state.preview
    at = next_lock(proposal, preview) if preview is not None else None
    if preview is None or at is None:
        return Markup()
    step = float(proposal.basis.terms.price_step)
    away = numbers.signed_price(at - preview.conditions.price, step)
    meaning = show.say("to_lock_means", price=numbers.price(at, step))
    return markup('<span class="lock" title="{}">{} <b>{}</b></span>', meaning, show.say("to_lock"), away)


def live_content(proposal: Proposal, plan: OrderPlan, preview_state: PreviewState, show: Show) -> dict[str, JsonValue]:
    """Return what is over the chart while a signature is awaited, see `draw_live_line`. plan: as it is in the form."""
    say, seen, step = show.say, preview_state.price, float(proposal.basis.terms.price_step)
    preview = preview_state.preview
    figures = preview.figures if preview is not None else proposal.figures
    price = seen.price if seen is not None else proposal.basis.price
    wrong = {f"wrong_{name}": wrong_side(proposal, plan, name, figures, show) for name in ("stop", "target")}
    return {
        "moves": seen is not None and seen.at is None,
        "price": price,
        "text": numbers.price(price, step),
        "tone": "tb-up" if price > proposal.basis.price else "tb-down" if price < proposal.basis.price else "",
        "age_s": round(seen.age_s, 1) if seen is not None else 0.0,
        "stale_s": stale_after(proposal),
        "money": None if plan.reduce_only else money_terms(proposal, preview.plan if preview is not None else proposal.plan, figures),
        "words": {
            "old": say("price_old", age="{age}"),
            "stop": say("loss_at_stop"),
            "target": say("gain_at_target"),
            "ratio": say("min_risk_reward_after_costs"),
            **wrong,
        },
    }


def money_terms(proposal: Proposal, plan: OrderPlan, figures: Figures) -> dict[str, JsonValue]:
    """Return the terms by which what is lost and won at any level can be worked out as `figures_of` does: `sign`, `price`, `size` and
    `entry` of what is held afterwards, `added` and `since`: size and entry of what its ratio is of, `paid` for the way in, `out`: costs of
    the way out as a fraction of its price, `wander`: funding for each squared unit of distance to the target. figures: of that plan."""
    holding, price = proposal.basis.holding, figures.price
    held = Decimal(str(holding.size)) if holding is not None else Decimal(0)
    paid = Decimal(str(holding.entry_price)) if holding is not None else price
    added = Decimal(0) if plan.protects else plan.amount
    size = held + added
    entry = (held * paid + added * price) / size
    costs, ways = figures.fees + figures.slippage, added + size
    distance = plan.target - price if plan.target is not None else Decimal(0)
    return {
        "sign": 1 if plan.side == "buy" else -1,
        "price": float(price),
        "size": float(size),
        "entry": float(entry),
        "added": float(added or size),
        "since": float(price if added else entry),
        "paid": float(costs * added / ways),
        "out": float(costs / ways / price),
        "wander": float(figures.funding / distance**2) if distance else 0.0,
        "unit": quote_unit(proposal),
    }


def wrong_side(proposal: Proposal, plan: OrderPlan, name: str, made: Figures, show: Show) -> str:
    """Return on which side of the price a level belongs. name: `stop` or `target`."""
    sign, side = (1, "LONG") if plan.side == "buy" else (-1, "SHORT")
    price = numbers.price(float(made.price), float(proposal.basis.terms.price_step))
    where = "above" if (sign > 0) == (name == "target") else "below"
    return show.say(f"{name}_{where}", side=show.say(side).lower(), price=price)
