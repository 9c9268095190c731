"""Grounding: the table of corrections, how many there were, the gate, its sums, which stand with the debate; who said what about which
fact; and the decision with grounding beside the one without."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.text.reason import keyed
from pages.claims.claim_card import stated, truth
from pages.claims.corrections import corrections_table, none_false, planted_line
from pages.claims.disputing import disputed_count, disputed_words, drawn_verdict
from pages.desks.decision.decision_view import CheckedClaims, DecisionView, FalseSaid
from pages.desks.decision.verdict import action_glyph, action_word
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, chip, head, heading, label, table
from pages.frame.escape import joined, markup, plain
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.states import node_state
from pages.words.fact_names import fact_name, fact_timeframe


def grounding_panel(view: DecisionView, show: Show) -> Markup:
    """Return the corrections in reading order, those of the executor last, and whether the gate lets the debate through."""
    say, checked = show.say, view.checked
    if checked is None:
        node = view.role("grounding")
        words = plain(show.translated(node.reason)) if node.state == "failed" else plain(say("grounding_waits"))
        return card(
            head(chip("grounding", show), node_state(node, show, view, busy="checking")),
            markup('<p class="tb-muted">{}</p>', words),
            label=say("grounding"),
        )
    unchecked = checked.score is None and checked.analysis_score is None
    gate = say("gate_closed" if checked.gate_closed else "gate_unchecked" if unchecked else "gate_open")
    css_class = "tb-lab tb-bad" if checked.gate_closed else "tb-lab"
    top = head(
        chip("grounding", show) + label(disputed_count(read_claims(view), show).removeprefix(" · ")),
        markup('<span class="{}">{}</span>', css_class, gate),
    )
    return card(top, _corrections(checked, view, show), _moved(checked, show), _planted(view, checked, show), label=say("grounding"))


def _moved(checked: CheckedClaims, show: Show) -> Markup:
    """Return how many numbers were true of the market they were said about and are not of this one."""
    moved = sum(claim.has_moved for claim in checked.claims)
    return markup('<p class="tb-muted">{}</p>', show.say("moved_text", n=moved)) if moved else Markup()


def checked_summary(checked: CheckedClaims, show: Show) -> str:
    """Return how many numbers of the debate were verified, the scores, and what they took off the confidence."""
    penalty = numbers.signed_percent(-checked.penalty_pct, 0)
    return show.say(
        "grounding_summary",
        good=checked.verified,
        total=checked.total,
        score=numbers.percent(checked.score, 0),
        analysis=numbers.percent(checked.analysis_score, 0),
        fixed=checked.false,
        penalty=penalty,
    )


def _corrections(checked: CheckedClaims, view: DecisionView, show: Show) -> Markup:
    false = [claim for claim in read_claims(view) if claim.when_said == "false"]
    if not false:
        return none_false(sum(claim.verdict == "true" for claim in checked.claims), show)
    counted = markup('<p class="tb-lab">{}</p>', _counted(view.false_said, show))
    rows = [(role_of(claim.source), claim, _again(claim, view, show)) for claim in false]
    return counted + corrections_table(rows, show.say("executor_said"), show, right=True)


def read_claims(view: DecisionView) -> tuple[Claim, ...]:
    """Return every claim that was read, those of the executor last."""
    return (*(view.checked.claims if view.checked else ()), *view.role("executor").claims)


def _counted(said: FalseSaid, show: Show) -> str:
    """Return `8 false numbers of 30 checked: 3 in the debate, which the score counts; 4 of analysts, 1 of the executor`."""
    say = show.say
    if said.total == said.debate:
        return say("false_all_debate", n=said.total, of=said.checked)
    others = [say(key, n=count) for key, count in (("false_analysts", said.analysts), ("false_executor", said.executor)) if count]
    return say(
        "false_counted", n=said.total, of=said.checked, debate=said.debate, others=("，" if show.language == "zh" else ", ").join(others)
    )


def _again(claim: Claim, view: DecisionView, show: Show) -> Markup:
    """Return what the executor itself said of this fact, once it has spoken."""
    node = view.role("executor")
    if role_of(claim.source) == "executor":
        return plain(numbers.DASH)
    found = [said for said in node.claims if said.key == claim.key]
    if not found:
        return plain(show.say("not_used")) if node.claims else plain(numbers.DASH)
    wrong = next((said for said in found if drawn_verdict(said, show) == "false"), None)
    words = plain(stated(wrong or found[0], show))
    return markup('<b class="tb-false">✕\u2009<del>{}</del></b>', words) if wrong else words


def _planted(view: DecisionView, checked: CheckedClaims, show: Show) -> Markup:
    found = {(role_of(claim.source), claim.key) for claim in checked.claims if claim.when_said == "false"}
    found |= {(role_of(fix.source), fix.key) for fix in view.corrections}
    return planted_line([(lie.role, lie.key) for lie in view.planted], found, show, over=view.ending is not None)


_MOST_ROWS = 14  # that are open, unless more are contradicted


def matrix_panel(view: DecisionView, show: Show) -> Markup:
    """Return nothing until grounding has spoken. Rows with a false value come first and are all there; many others are folded."""
    if view.checked is None or not view.checked.claims:
        return Markup()
    said = view.role("executor").claims
    columns = [*view.analysts, "bull", "bear", "judge", *(["executor"] if said else [])]
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


def compared_decisions(compared: Fields, show: Show) -> Markup:
    """Return the decisions as a table. compared: the state's `did_it_matter`, with the state's
    `reasons`; nothing before it was asked for."""
    mine, other, placebo = (json_fields.inner(compared, name) for name in ("corrected", "uncorrected", "placebo"))
    if not mine or not other:
        return Markup()
    asked = [mine, other, *([placebo] if placebo else [])]
    say = show.say
    summary = say("matter_same") if json_fields.flag(compared, "same") else say("matter_changed")
    rows = [_ablation_row(say("matter_action"), [_action(each, show) for each in asked])]
    for name, key, written in _numbers(show):
        found = [json_fields.number(each, key) for each in asked]
        if any(each is not None for each in found):
            rows.append(_ablation_row(name, [written(each) for each in found]))
    reasons = joined(
        markup('<p class="tb-muted">{}</p>', show.translated(keyed(compared, error))) for error in json_fields.texts(other, "errors")
    )
    arms = ("matter_with", "matter_without", "matter_placebo")[: len(asked)]
    heads = ((say("figure"), False), *((say(arm), True) for arm in arms))
    return card(head(heading(say("matter"))), markup("<p><b>{}</b></p>{}{}", summary, table(heads, rows), reasons), label=say("matter"))


def _numbers(show: Show) -> list[tuple[str, str, Callable[[float | None], str]]]:
    """Name, key and spelling of every number that is compared."""

    def price(value: float | None) -> str:
        return numbers.DASH if value is None else numbers.price(value, show.step)

    say = show.say
    return [
        (say("confidence"), "confidence", numbers.number),
        (say("leverage"), "leverage", numbers.number),
        (say("stop"), "stop_loss", price),
        (say("target"), "take_profit", price),
        (say("min_risk_reward_ratio"), "risk_reward_ratio", lambda value: numbers.number(value, 2)),
        (say("adjustment"), "adjustment_pct", lambda value: numbers.signed_percent(value, 0)),
    ]


def _ablation_row(name: str, texts: Sequence[str]) -> list[Markup]:
    """Return a row in which what differs is bold, and says so without colour."""
    shown = [markup("<b>{}</b>", text) if len(set(texts)) > 1 else plain(text) for text in texts]
    return [cell(plain(name)), *(cell(each, "r") for each in shown)]


def _action(decision: Fields, show: Show) -> str:
    action, valid = json_fields.words(decision, "action"), json_fields.flag(decision, "is_valid")
    return f"{action_glyph(action, decision, valid=valid)} {action_word(action, decision, show, valid=valid)}"
