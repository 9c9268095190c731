"""Who said what: a row for each fact that a role mentioned, a column for each speaker, the truth beside them."""

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from pages.claims.claim_card import stated, truth
from pages.claims.disputing import disputed_words, drawn_verdict
from pages.desks.decision.decision_view import DecisionView
from pages.desks.decision.speeches import ROSTER
from pages.frame.cards import card, cell, chip, head, heading, label
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.words.fact_names import fact_name, fact_timeframe

_MOST_ROWS = 14  # that are open, unless more are contradicted


def matrix_panel(view: DecisionView, show: Show) -> Markup:
    """Return nothing until grounding has spoken. Rows with a false value come first and are all there; many others are folded."""
    if view.checked is None or not view.checked.claims:
        return Markup()
    said = view.role("executor").claims
    columns = [*((view.opening.analysts if view.opening else ()) or ROSTER), "bull", "bear", "judge", *(["executor"] if said else [])]
    by_key: dict[str, list[Claim]] = {}
    for claim in (*view.checked.claims, *said):
        by_key.setdefault(claim.key, []).append(claim)
    order = sorted(by_key.items(), key=lambda item: (not _contradicted(item[1]), -len(item[1])))
    say = show.say
    open_rows = max(_MOST_ROWS, sum(_contradicted(each) for _, each in order))
    cells = [by_role for _, each in order for by_role in _by_role(each, columns)]
    counted = say("matrix_count", n=min(len(order), open_rows), of=len(order), false=sum(map(_contradicted, cells)))
    heads = markup('<th scope="col">{}</th><th scope="col">{}</th>', say("fact"), say("truth"))
    heads += joined(markup('<th scope="col">{}</th>', chip(name, show, bare=True)) for name in columns)
    rows = [markup("<tr>{}</tr>", _row(key, claims, columns, show)) for key, claims in order]
    body = _table(heads, rows[:open_rows])
    if folded := rows[open_rows:]:
        title = say("matrix_more", n=len(folded))
        body += markup('<details class="tb-mx-more"><summary>{}</summary>{}</details>', title, _table(heads, folded))
    return card(head(heading(say("matrix")), label(counted)), body, label=say("matrix"))


def _table(heads: Markup, rows: list[Markup]) -> Markup:
    table = markup('<table class="tb-tab tb-mx"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>', heads, joined(rows))
    return markup('<div class="tb-scroll" tabindex="0">{}</div>', table)


def _contradicted(claims: list[Claim]) -> bool:
    return any(claim.verdict == "false" for claim in claims)


def _row(key: str, claims: list[Claim], columns: list[str], show: Show) -> Markup:
    name = " ".join(part for part in (fact_timeframe(key), fact_name(key, show.language)) if part)
    first = markup("<b>≠ {}</b>", name) if _contradicted(claims) else markup('<span class="tb-in">{}</span>', name)
    known = next((claim for claim in claims if claim.actual is not None and not isinstance(claim.actual, str)), claims[0])
    real = truth(known, show) if known.actual is not None else show.say("no_fact")
    return cell(first) + cell(plain(real), "truth") + joined(_cell(said, show) for said in _by_role(claims, columns))


def _by_role(claims: list[Claim], columns: list[str]) -> list[list[Claim]]:
    """Return what each speaker said of one fact: a box each."""
    return [[claim for claim in claims if role_of(claim.source) == name] for name in columns]


def _cell(claims: list[Claim], show: Show) -> Markup:
    if not claims:
        return cell("·", "nil")
    gravest = min(claims, key=lambda claim: ("false", "moved", "unverifiable", "true").index(drawn_verdict(claim, show)))
    words, verdict = plain(stated(gravest, show)), drawn_verdict(gravest, show)
    if verdict == "false":
        wrong = dict.fromkeys(stated(claim, show) for claim in claims if drawn_verdict(claim, show) == "false")
        return cell(Markup(" ").join(markup("✕\u2009<del>{}</del>", each) for each in wrong), "no")
    if verdict == "moved":
        return cell(markup('<span title="{}">{} →</span>', show.say("moved"), words), "mv")
    if verdict == "unverifiable":
        return cell(markup('<span title="{}">{} ?</span>', disputed_words(gravest, show), words), "tb-muted")
    return cell(words)
