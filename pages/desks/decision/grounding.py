"""Grounding: the table of corrections, how many there were, the gate; and its sums, which stand with the debate."""

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from pages.claims.claim_card import stated
from pages.claims.corrections import corrections_table, none_false
from pages.claims.disputing import disputed_count, drawn_verdict
from pages.desks.decision.decision_view import CheckedClaims, DecisionView, FalseSaid
from pages.frame import numbers
from pages.frame.cards import card, chip, head, label
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.node_state import node_state


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
    return card(top, _corrections(checked, view, show), _moved(checked, show), _planted(view, show), label=say("grounding"))


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


def _planted(view: DecisionView, show: Show) -> Markup:
    """Return how many of the scripted model's planted values were caught, so that a demonstration can be checked."""
    if not view.planted or view.checked is None:
        return Markup()
    false = {(role_of(claim.source), claim.key) for claim in view.checked.claims if claim.when_said == "false"}
    false |= {(role_of(fix.source), fix.key) for fix in view.corrections}
    caught = sum((role_of(lie.role), lie.key) in false for lie in view.planted)
    return markup('<p class="tb-lab">{}</p>', show.say("planted_caught", n=len(view.planted), caught=caught))
