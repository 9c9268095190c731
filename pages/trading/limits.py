"""The hard limits, with how near each came to its bound."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.domain.risk import LimitCheck, RiskConfig
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label, share
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.view import RunView
from pages.words.texts import WORDS

_UNITS = {"max_leverage": "×", **{name: " %" for name in RiskConfig.model_fields if name.endswith("_pct")}}
_DECIMALS = {
    "min_risk_reward_ratio": 2,
    "min_risk_reward_after_costs": 2,
    **{name: 2 for name in _UNITS if name.endswith("_pct")},
    "max_position_pct": 1,
}
_NEAR = 0.9  # of the bound
_SIGNS = {"passed": ("ok", "✓"), "near": ("near", "!"), "breached": ("bad", "✕"), "does_not_apply": ("", "·")}
_SWITCHES = {"kill_switch": ("switch_on", "switch_off"), "allowed_symbols": ("not_allowed", "switch_fine")}


def limits_count(limits: Sequence[LimitCheck], show: Show) -> str:
    """Return `11 limits apply, all pass`: how many of them mean something for what is ordered, and how many of those are breached. The one
    place that counts limits."""
    applying = [check for check in limits if check.applies]
    breached = sum(not check.passed for check in applying)
    if breached:
        return show.say("limits_breached", n=len(applying), bad=breached)
    return show.say("limits_pass_1" if len(applying) == 1 else "limits_pass", n=len(applying))


def limits_of_run(view: RunView, limits: Sequence[LimitCheck]) -> Sequence[LimitCheck]:
    """Return the limits of what a run ordered: as its proposal was measured, where it was filed as one. limits: as the run measured them,
    before the account was asked what it lost and ordered lately."""
    return view.proposal.limits if view.proposal is not None and view.proposal.limits else limits


def run_limits_card(view: RunView, limits: Sequence[LimitCheck], price: float | None, show: Show) -> Markup:
    """Return the card of a run's limits. limits, price: as the run measured them, and at which price of its market."""
    filed = view.proposal
    again = filed is not None and (filed.is_edited or (filed.state == "blocked" and filed.changed_by == "limits"))
    at = numbers.price(price, show.step) if price is not None and not again else ""
    return limits_card(limits_of_run(view, limits), show, at)


def limits_card(limits: Sequence[LimitCheck], show: Show, price: str = "") -> Markup:
    """Return one row a limit: sign, name, measured against bound, and a meter of how much of the bound is used; "" without any. What passes
    and is not near its bound is folded away. price: at which they were measured, "" where it is not known."""
    if not limits:
        return Markup()
    say = show.say
    telling = [check for check in limits if not check.passed or _is_near(check)]
    rest = [check for check in limits if check not in telling]
    rows = joined(_limit(check, show) for check in telling)
    top = head(heading(say("limits")), label(limits_count(limits, show)))
    foot = markup('<p class="tb-lab">{}</p>', say("at_decided_price", price=price)) if price else ""
    shown = markup('<div class="tb-lim" role="list">{}</div>', rows) if telling else ""
    folded = markup('<div class="tb-lim" role="list">{}</div>', joined(_limit(check, show) for check in rest))
    word = say("limits_more" if telling else "limits_none_near", n=len(rest))
    more = markup('<details class="tb-more"><summary>{}</summary>{}{}</details>', word, folded, foot) if rest else foot
    return card(top, shown, more, label=say("limits"))


def _is_near(check: LimitCheck) -> bool:
    used = _used(check)
    return check.passed and used is not None and used >= _NEAR


def _limit(check: LimitCheck, show: Show) -> Markup:
    say = show.say
    used = _used(check)
    kind = "near" if _is_near(check) else "does_not_apply" if not check.applies else "passed" if check.passed else "breached"
    css_class, sign = _SIGNS[kind]
    name, text = limit_name(check.rule, show), _compared(check, show)
    meter = markup(
        '<span class="m" aria-hidden="true"><span class="{}" style="width:{}%"></span></span>', css_class, share((used or 0) * 100)
    )
    sign_html = markup(
        '<span class="{}"><span aria-hidden="true">{}</span><span class="tb-sr">{}</span></span>', css_class, sign, say(kind)
    )
    return markup('<div role="listitem">{}<span>{}</span><span class="tb-num">{}</span>{}</div>', sign_html, name, text, meter)


def limit_name(rule: str, show: Show) -> str:
    """Return a limit's name; one the pages do not know is called by its key."""
    return show.say(rule) if rule in WORDS else rule.replace("_", " ")


def limit_line(check: LimitCheck, show: Show) -> str:
    """Return `Reward : risk 1.32 < 1.50`."""
    if check.rule == "allowed_symbols" and not check.passed:
        return show.say("market_not_allowed")
    return f"{limit_name(check.rule, show)} {_compared(check, show)}"


def _compared(check: LimitCheck, show: Show) -> str:
    if check.rule in _SWITCHES:
        return show.say(_SWITCHES[check.rule][check.passed])
    if not check.applies:
        return show.say("does_not_apply")
    relation = "≥" if check.rule.startswith("min_") else "≤"
    shown = relation if check.passed else {"≥": "<", "≤": ">"}[relation]
    return f"{limit_text(check.rule, check.measured)} {shown} {limit_text(check.rule, check.bound)}"


def limit_text(rule: str, value: float | None) -> str:
    """Return a limit's value in its unit: `3×`, `0.21 %`, `58`."""
    text = numbers.number(value, _DECIMALS.get(rule, 0 if value is None or value == int(value) else 1))
    return text + _UNITS.get(rule, "").replace(" ", numbers.THIN) if text != numbers.DASH else text


def _used(check: LimitCheck) -> float | None:
    """Return the share of the bound that is used, 1 = at the bound."""
    if check.measured is None:
        return None
    low, high = (check.bound, check.measured) if check.rule.startswith("min_") else (check.measured, check.bound)
    return low / high if high else None
