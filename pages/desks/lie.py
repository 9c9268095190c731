"""Lie to it: a box under the chart of a finished run, in which anybody types a sentence and sees it checked as the roles' words were.

`lie_box` is the box; `assets/run/lie.js` sends what is typed to the route of `run_routes.py`, which answers with `lie_answer`: a rerun of
the page takes many times as long. Nothing of the text is kept: not in the session, not in the journal, not in a log.
"""

import math
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

from engine.api import MOST_CHECKED
from engine.domain.checked_text import CheckedText
from engine.domain.claims import Claim
from engine.domain.facts import Fact
from pages.chart.figure import typed_mark
from pages.claims.claim_card import stated, truth
from pages.claims.claim_markup import mark_claims
from pages.claims.disputing import reason_of
from pages.claims.reading import reading
from pages.frame import numbers
from pages.frame.cards import head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.run.live_stream import visit_token
from pages.server.static_files import mount
from pages.words.fact_names import fact_name

_SIGNS: Final = {"false": ("✕", "no"), "true": ("✓", "ok"), "moved": ("→", "mv"), "unverifiable": ("?", "un")}
_OFF_RSI: Final = 20
_OFF_PRICE: Final = 0.993


def draw_lie_box(run_id: str, show: Show) -> None:
    """Draw the box and mount its script. Only for a visitor who may see the run."""
    draw_html(lie_box(show))
    data = {"run": run_id, "visit": visit_token(), "language": show.language}
    words = {"lost": show.say("lie_lost"), "ended": show.say("lie_ended"), "slow": show.say("lie_slow")}
    mount("run/lie.js", "lie-script", {**data, "words": words})


def lie_box(show: Show) -> Markup:
    """Return the box, empty. Its example is wrong about the market of the run, in figures near its own."""
    say, example = show.say, _example(show)
    tried = markup('<button type="button" class="tb-lie-try" data-lie-try="{}">{}</button>', example, example) if example else ""
    return markup(
        '<section class="tb tb-card tb-lie" id="lie" role="region" aria-label="{}">{}'
        '<div class="row"><input type="text" class="tb-lie-in" maxlength="{}" autocomplete="off" spellcheck="false" '
        'aria-label="{}" placeholder="{}"><button type="button" class="tb-lie-go">{}</button></div>'
        '<div class="say"><span role="status" aria-live="polite"></span>{}</div><div class="out"></div></section>',
        say("lie"),
        head(heading(say("lie")), label(say("lie_about"))),
        MOST_CHECKED,
        say("lie_field"),
        say("lie_hint"),
        say("lie_check"),
        tried,
    )


def lie_answer(checked: CheckedText, text: str, show: Show, spent_ms: float) -> dict[str, JsonValue]:
    """Return what the script shows: `html`, safe to insert; `say`, the sum of it in one sentence; `marks`, false values for the chart."""
    claims = checked.claims
    rows = [_row(claim, show) for claim in claims]
    rows += [_line("–", "left", _unread(part.text, part.why, show)) for part in checked.unread]
    html = markup('{}<ul class="tb-lie-rows">{}</ul>', mark_claims(text, claims, show), joined(rows)) if rows else Markup()
    marks: list[JsonValue] = [
        made for claim in claims if claim.verdict == "false" and (made := typed_mark(claim, stated(claim, show), show)) is not None
    ]
    return {"html": str(html), "say": _sum(checked, show, spent_ms), "marks": marks}


def _sum(checked: CheckedText, show: Show, spent_ms: float) -> str:
    """Return `1 false: RSI(14) is 48.6 · 1 right · 1 part not read · 3 ms`."""
    say, claims = show.say, checked.claims
    counts = {verdict: [claim for claim in claims if claim.verdict == verdict] for verdict in _SIGNS}
    parts = []
    if false := counts["false"]:
        truths = say("list_comma").join(
            say("read_value", key=fact_name(each.key, show.language), value=truth(each, show)) for each in false
        )
        parts.append(say("lie_false", n=len(false), truths=truths))
    others = (("true", "lie_true"), ("unverifiable", "lie_unverifiable"))
    parts += [say(word, n=len(counts[verdict])) for verdict, word in others if counts[verdict]]
    parts = parts or [say("lie_nothing")]
    parts += [say("lie_left", n=len(checked.unread))] if checked.unread else []
    return " · ".join([*parts, say("lie_took", ms=numbers.number(max(spent_ms, 0.1), 1 if spent_ms < 10 else 0))])


def _row(claim: Claim, show: Show) -> Markup:
    sign, css_class = _SIGNS[claim.verdict]
    words = markup("“{}”: {}", claim.text, reason_of(claim, show)) if claim.verdict == "unverifiable" else reading(claim, show)
    return _line(sign, css_class, words)


def _line(sign: str, css_class: str, words: Markup | str) -> Markup:
    return markup('<li class="{}"><b aria-hidden="true">{}</b><span>{}</span></li>', css_class, sign, words)


def _unread(text: str, why: str, show: Show) -> str:
    return show.say("lie_unread_why", text=text, why=show.say(f"unread_{why}")) if why else show.say("lie_unread", text=text)


def _example(show: Show) -> str:
    """Return a sentence with two false values, as far from the true ones as a liar would dare; "" where these facts are not known."""
    rsi, close = (_number(show.facts, key) for key in ("rsi_14", "close"))
    if rsi is None or close is None or close <= 0:
        return ""
    wrong = round(rsi) + (-_OFF_RSI if rsi > 50 else _OFF_RSI)
    level = close * _OFF_PRICE
    places = 2 - math.floor(math.log10(level))
    return show.say("lie_example", rsi=wrong, level=numbers.number(round(level, places), max(places, 0)))


def _number(facts: Mapping[str, Fact], key: str) -> float | None:
    return facts[key].number if key in facts else None
