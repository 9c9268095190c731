"""The card under a claim: what was stated, what is true, by how much they differ and how the truth was measured. HTML of spans only,
because it is inside a paragraph."""

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.facts import FactValue
from pages.claims.disputing import confirmed_line, dispute_line, disputed_words, drawn_verdict, line, reason_of
from pages.claims.reading import reading
from pages.claims.stepped import to_step
from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.words.fact_names import fact_name, fact_timeframe, formula_text, period_name, state_name

_SIGN = {"true": "✓", "false": "✕", "moved": "→", "unverifiable": "?"}


def title(claim: Claim, show: Show) -> str:
    """Return `RSI(14) · 15m`; the timeframe where it is known."""
    fact = show.facts.get(claim.key)
    timeframe = fact_timeframe(claim.key) or (fact.timeframe if fact is not None else None)
    name = fact_name(claim.key, show.language)
    return f"{name} · {period_name(timeframe, show.language)}" if timeframe else name


def stated(claim: Claim, show: Show) -> str:
    """Return the claimed value with its relation: `28.4`, `more than 30`, `77,500 to 78,000`, `oversold`."""
    said = claim.claimed
    if isinstance(said, str):
        return state_name(said, show.language)
    if isinstance(said, tuple):
        low, high = (numbers.said(end, claim.unit) for end in said)
        return show.say("from_to", a=low, b=high)
    text = numbers.said(said, claim.unit)
    if claim.relation in (">", "<"):
        return show.say("more_than" if claim.relation == ">" else "less_than", x=text)
    return text


def struck(claim: Claim, show: Show) -> Markup:
    """Return a claim's own words with its value struck, dotted where that is disputed, as safe HTML; numbers as the desk writes them."""
    start, end = claim.value_start - claim.start, claim.value_end - claim.start
    if not 0 <= start < end <= len(claim.text):
        start, end = 0, len(claim.text)
    before, value, behind = (
        numbers.true_minus(numbers.restyled(part)) for part in (claim.text[:start], claim.text[start:end], claim.text[end:])
    )
    return markup("{}{}{}", before, struck_value(claim, value, show), behind)


def struck_value(claim: Claim, value: str, show: Show, css_class: str = "") -> Markup:
    """Return a false value struck; dotted where that is disputed."""
    if words := disputed_words(claim, show):
        return markup('<span class="tb-claim un" title="{}">{}</span>', words, value)
    return markup('<del class="{}">{}</del>', css_class, value) if css_class else markup("<del>{}</del>", value)


def truth(claim: Claim, show: Show) -> str:
    """Return the measured value with its unit; a state's name where it is a word."""
    return _value(claim.actual, claim, show)


def truth_then(claim: Claim, show: Show) -> str:
    """Return the same of the market that the words were about."""
    return _value(claim.said_actual, claim, show)


def _value(value: FactValue, claim: Claim, show: Show) -> str:
    return state_name(value, show.language) if isinstance(value, str) else numbers.fact(value, claim.unit, show.step, show.language)


def aria(claim: Claim, words: str, show: Show) -> str:
    """Return what a screen reader says of the claim."""
    if (dispute := show.dispute(claim)) is not None:
        return show.say("aria_disputed", stated=words, who=dispute.who)
    said = "aria_moved_false" if claim.verdict == "moved" and not claim.has_moved else f"aria_{claim.verdict}"
    heard = show.say(said, stated=words, actual=truth(claim, show), then=truth_then(claim, show))
    return show.say("aria_unconfirmed", said=heard) if claim.confirmed == "unconfirmed" else heard


def card(claim: Claim, words: str, show: Show) -> Markup:
    """Return the card itself. words: the marked part of the text."""
    say = show.say
    word = say("disputed") if show.dispute(claim) is not None else say(claim.verdict)
    head = markup("<b>{}</b> · {} {}", title(claim, show), word, _SIGN[drawn_verdict(claim, show)])
    if claim.verdict == "false":
        measured = line(_formula(claim, show), muted=True)
        return _tip(head, line(reading(claim, show)), confirmed_line(claim, show), measured, dispute_line(claim, show), _foot(show))
    said_by = ""
    if claim.attributed_to:
        who, by = show.name(role_of(claim.attributed_to)), show.name(role_of(claim.source))
        said_by = line(say("relayed", who=who, by=by))
    if claim.verdict == "unverifiable":
        return _tip(head, said_by, line(reason_of(claim, show) + say("cannot_tell")))
    rows = joined(markup("<span>{}</span><span>{}</span>", name, value) for name, value in _rows(claim, words, show))
    rows_of = markup('<span class="tb-dl">{}</span>', rows)
    return _tip(head, said_by, rows_of, confirmed_line(claim, show), dispute_line(claim, show), _foot(show))


def _foot(show: Show) -> Markup:
    return line(show.say("show_bar"), muted=True)


def _tip(*inner: Markup | str) -> Markup:
    return markup('<span class="tb-tip" role="tooltip">{}</span>', joined(inner))


def _rows(claim: Claim, words: str, show: Show) -> list[tuple[str, str]]:
    say = show.say
    is_cut = to_step(words, claim, show) != words  # then every digit that was said is here
    rows = [(say("stated"), numbers.restyled(words) if is_cut else stated(claim, show) or words)]
    if claim.said_verdict is not None:
        was = "" if claim.said_verdict == "true" else f" {_SIGN['false']}"
        rows.append((say("when_said"), truth_then(claim, show) + was))
    rows.append((say("actual" if claim.said_verdict is None else "now"), truth(claim, show)))
    if claim.verdict != "moved" and isinstance(claim.claimed, float) and isinstance(claim.actual, float) and claim.relation == "=":
        rows.append((say("deviation"), deviation(claim, show)))
        if claim.tolerance is not None:
            rows.append((say("tolerance"), f"±{numbers.beside(claim.tolerance, claim.actual, claim.unit, show.step)}"))
    fact = show.facts.get(claim.key)
    if fact is not None:
        if fact.bar_time is not None:
            rows.append((say("bar"), numbers.bar_time(fact.bar_time)))
        if formula := _formula(claim, show):
            rows.append((say("formula"), formula))
    return rows


def _formula(claim: Claim, show: Show) -> str:
    """Return how the fact was measured, and of how many bars; "" where that is not known."""
    fact = show.facts.get(claim.key)
    if fact is None or not fact.formula:
        return ""
    used = show.say("bars_used", n=numbers.number(fact.bars)) if fact.bars else ""
    return show.say("list_comma").join(part for part in (numbers.true_minus(formula_text(fact.formula, show.language)), used) if part)


def deviation(claim: Claim, show: Show) -> str:
    """Return `−20.2 · −41.6 %`: absolute in the fact's unit, and percent of the truth."""
    if not isinstance(claim.claimed, float) or not isinstance(claim.actual, float):
        return numbers.DASH
    gap = claim.claimed - claim.actual
    text = numbers.beside(gap, claim.actual, claim.unit, show.step)
    absolute = f"+{text}" if gap > 0 and any(digit in text for digit in "123456789") else text
    if claim.deviation is None:
        return absolute
    percent = claim.deviation * 100
    return f"{absolute} · {numbers.signed_percent(percent, 1 if abs(percent) >= 10 else 2)}"
