"""Why a claim was struck, in plain words: how its sentence was read, what was measured, and by how much the two differ."""

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.facts import FactValue
from pages.frame import numbers
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.words.fact_names import fact_name, fact_timeframe, period_name, state_name

_OF_PRICE = ("price_", "broken", "unbroken", "breached", "intact")
"""Begin states that set the price beside a line."""
_PLACE = "\0"
_WORDS = {">": "read_more", "<": "read_less"}


def reading(claim: Claim, show: Show) -> Markup:
    """Return `Read as: 1h RSI(14) is 72; measured: 48.6 at 2026-05-17 17:15 UTC; off by 23.4 (+48 %), allowed 2.4`, the false value struck
    but where that is disputed."""
    say = show.say
    parts = [_stated(claim, show)]
    if claim.attributed_to:
        parts.append(plain(say("relayed", who=show.name(role_of(claim.attributed_to)), by=show.name(role_of(claim.source)))))
    actual = claim.actual if claim.said_verdict is None else claim.said_actual
    parts += [plain(_measured(claim, actual, show)), plain(_off(claim, actual, show))]
    return plain(say("read_join")).join(part for part in parts if part)


def named(claim: Claim, show: Show) -> str:
    """Return what a claim is about with its timeframe, as the sentence names it: `1h RSI(14)`."""
    period, name = fact_timeframe(claim.key), fact_name(claim.key, show.language)
    return f"{period_name(period, show.language)} {name}" if period else name


def _stated(claim: Claim, show: Show) -> Markup:
    say, said = show.say, claim.claimed
    if isinstance(said, str):
        word, value = "read_state", state_name(said, show.language)
    elif isinstance(said, tuple):
        low, high = (numbers.said(end, claim.unit) for end in said)
        word, value = "read_between", say("read_ends", a=low, b=high)
    else:
        word = _WORDS.get(claim.relation, "read_about" if claim.hedged else "read_value")
        value = numbers.said(said, claim.unit)
    before, _, behind = say("read_as", what=say(word, key=named(claim, show), value=_PLACE)).partition(_PLACE)
    struck = plain(value) if show.dispute(claim) is not None else markup("<del>{}</del>", value)
    return markup("{}{}{}", before, struck, behind)


def _measured(claim: Claim, actual: FactValue, show: Show) -> str:
    """Return what was measured, with the price beside it where the claim is about which of the two is above."""
    if actual is None:
        return ""
    say, fact = show.say, show.facts.get(claim.key)
    value = state_name(actual, show.language) if isinstance(actual, str) else numbers.fact(actual, claim.unit, show.step, show.language)
    price = show.facts.get("close")
    if isinstance(claim.claimed, str) and claim.claimed.startswith(_OF_PRICE) and price is not None and price.number is not None:
        value += say("list_comma") + say("price_was", value=numbers.price(price.number, show.step))
    if claim.said_verdict is not None:
        return say("measured_then", value=value)
    if fact is None or fact.bar_time is None:
        return say("measured", value=value)
    return say("measured_at", value=value, at=numbers.bar_time(fact.bar_time))


def _off(claim: Claim, actual: FactValue, show: Show) -> str:
    """Return by how much the two differ; of a range, from its nearer end. What is allowed belongs to an equation about this market."""
    ends = claim.claimed if isinstance(claim.claimed, tuple) else (claim.claimed,)
    gaps = [abs(end - actual) for end in ends if isinstance(end, float) and isinstance(actual, float)]
    if not gaps or not isinstance(actual, float):
        return ""
    say, text = show.say, numbers.beside(min(gaps), actual, claim.unit, show.step)
    if claim.relation != "=" or claim.said_verdict is not None:
        return say("off_by", gap=text)
    if claim.deviation is not None:
        percent = claim.deviation * 100
        text += f" ({numbers.signed_percent(percent, 1 if abs(percent) >= 10 else 2)})"
    if claim.tolerance is None:
        return say("off_by", gap=text)
    allowed = numbers.beside(claim.tolerance, actual, claim.unit, show.step)
    return say("off_hedged" if claim.hedged else "off_allowed", gap=text, tolerance=allowed)
