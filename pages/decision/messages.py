"""The messages of a decision: what every run has, and the gate, breached limits and the action it ends in when anything failed."""

from markupsafe import Markup

from engine.domain.decision import Signal
from pages.decision.decision_view import DecisionView
from pages.decision.verdict import SAFE_ACTION
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.show import Show
from pages.run.messages import endings, failures, has_broken_off, listed, remarks, sentences
from pages.trading.limits import limit_text
from pages.words.texts import WORDS


def decision_messages_panel(view: DecisionView, show: Show) -> Markup:
    """Return one message a trouble, the gravest first; nothing when all went well."""
    safe = _safe(view, show)
    grave = [*failures(view, show, safe), *_gate(view, show, safe), *_limits(view, show, safe)]
    if has_broken_off(view) or not grave:
        grave += endings(view, show, safe)
    if not grave and view.ending and not view.ending.is_valid and view.ending.action == Signal.WAIT:
        grave.append(message(show.say("msg_invalid"), safe, bad=True))
    return listed(grave + remarks(view, show, show.say("consensus_without")))


def _safe(view: DecisionView, show: Show) -> str:
    """Return `It ends in WAIT`, without its full stop."""
    word = SAFE_ACTION["position" if view.is_position else "entry"]
    return f"{show.say('msg_safe')}{'' if show.language == 'zh' else ' '}{word}"


def _gate(view: DecisionView, show: Show, safe: str) -> list[Markup]:
    checked = view.checked
    if checked is None or not checked.gate_closed:
        return []
    bold = show.say("msg_gate", score=numbers.percent(checked.score, 0), false=checked.false, total=checked.total)
    return [message(bold, sentences(show.say("msg_gate_text"), safe, show=show), bad=True)]


def _limits(view: DecisionView, show: Show, safe: str) -> list[Markup]:
    say, out = show.say, []
    for check in view.limits:
        if not check.passed:
            is_named = check.rule.startswith(("max_", "min_")) and check.rule in WORDS
            rule = say(check.rule) if is_named else check.rule.replace("_", " ")
            bounds = say("msg_limit_text", measured=limit_text(check.rule, check.measured), bound=limit_text(check.rule, check.bound))
            out.append(message(say("msg_limit", rule=rule), sentences(bounds, safe, show=show), bad=True))
    return out
