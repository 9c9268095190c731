"""The table of corrections, who said what, the truth, and what came of it; and the key of the marks on claims. HTML, without streamlit."""

from collections.abc import Collection, Sequence

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from pages.claims.claim_card import stated, struck, struck_value, truth, truth_then
from pages.claims.disputing import disputed_note, reading_row
from pages.frame.cards import cell, chip, table
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.words.fact_names import fact_name


def corrections_table(false: Sequence[tuple[str, Claim, Markup]], after: str, show: Show, *, right: bool = False) -> Markup:
    """Return the table. false: each with its speaker and what came of it. after: the name of that column. right: it is of numbers."""
    say = show.say
    heads = ((say("speaker"), False), (say("said"), False), (say("stated"), True), (say("actual"), True), (after, right))
    rows = []
    for role, claim, came in false:
        rows.append(
            [
                cell(chip(role, show)),
                cell(struck(claim, show), "said"),
                cell(struck_value(claim, stated(claim, show), show, "tb-muted"), "r"),
                cell(_truth(claim, show), "r"),
                cell(came, "r" if right else ""),
            ]
        )
        rows.append(reading_row(claim, show, len(heads)))
    return disputed_note([claim for _, claim, _ in false], show) + table(heads, rows, "tb-gr")


def none_false(right: int, show: Show) -> Markup:
    """Return that nothing was false. right: how many numbers were verified."""
    return markup('<p class="tb-muted">{}</p>', show.say("none_false", n=right) if right else show.say("none_checkable"))


def planted_line(planted: Collection[tuple[str, str]], found: Collection[tuple[str, str]], show: Show, *, over: bool) -> Markup:
    """Return how many of the values that were false on purpose were found, and at the end which were not; "" where none were planted.
    planted, found: role and fact of each. over: nothing more will be."""
    if not planted:
        return Markup()
    missed = [key for role, key in planted if (role_of(role), key) not in found]
    words = show.say("planted_caught", n=len(planted), caught=len(planted) - len(missed))
    names = sorted({fact_name(key, show.language) for key in missed})[:6] if over else ()
    listed = f" {show.say('planted_missed', names=show.say('list_comma').join(names))}" if names else ""
    return markup('<p class="tb-lab">{}{}</p>', words, listed)


def _truth(claim: Claim, show: Show) -> Markup:
    """Return what is true, with a cross before it where that is not disputed; of what the market has come to since, what was true when it
    was said."""
    words = truth(claim, show) if claim.verdict == "false" else f"{show.say('when_said')} {truth_then(claim, show)}"
    return plain(words) if show.dispute(claim) is not None else markup('<b class="tb-false">✕\u2009{}</b>', words)


def marks_key(show: Show, *, moved: bool = False) -> Markup:
    """Return the key of the marks. moved: some numbers were true when they were said and are not of this market."""
    say = show.say
    since = markup('<span><span class="tb-claim mv">123<ins>125</ins></span> {}</span>', say("key_moved")) if moved else ""
    return markup(
        '<div class="tb-key"><span><span class="tb-claim ok">123</span> {}</span>'
        '<span><span class="tb-claim no"><del>123</del><ins>120</ins></span> {}</span>{}'
        '<span><span class="tb-claim un">4h</span> {}</span></div>',
        say("key_verified"),
        say("key_false"),
        since,
        say("key_unverifiable"),
    )
