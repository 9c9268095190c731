"""The executor's prompt: the specification's, in both languages, within 2,000 tokens (as `engine/prompts/tokens.py` counts them).

What is measured and corrected is before what was said, the form of the answer last. When it does not fit, the debate is shortened to
whole sentences: the judge and the last round stay longest, the first round goes first. Rules, options, the market and the facts always
stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.agents.limit_texts import OF_ACCOUNT, OF_ORDER, limit_lines, reversal_lines, standing_lines
from engine.desks.decision import paths
from engine.desks.decision.stakes import WAITING
from engine.domain.change_of_mind import SincePrevious
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.instruments.limits import Circumstances, standing_checks
from engine.prompts.fit import Part, fit, shorten
from engine.prompts.render import Text, quoted, render
from engine.prompts.tokens import count_tokens

BUDGET = 2_000
_ENVELOPE_TOKENS = 16
_BETWEEN = 8  # between the parts of the prompt
_OF_DEBATE = 6  # the part of the room that corrections leave to the debate is one in so many

_TEXTS = read_paragraphs(Path(__file__).parent, "prompt")
ASKED: Mapping[str, Text] = _TEXTS.pop("asked")
SYSTEM: Mapping[str, Any] = _TEXTS.pop("system")
BUDGET_ALONE = 6_000
"""All the facts that debaters read, in place of what they say."""
_ALWAYS = ("max_leverage", *OF_ORDER, "max_open_positions")
_LIQUIDATES = "max_stop_to_liquidation_pct"
_OF_ACCOUNT = (
    _LIQUIDATES,
    "max_notional",
    "max_exposure_pct",
    "max_daily_loss_pct",
    "max_drawdown_pct",
    "cooldown_minutes",
    "max_orders_per_hour",
    "max_price_gap_pct",
    "max_snapshot_age_bars",
    "max_drift_atr",
)
"""Limits of an account and of the moment; the last two bind when the order is signed."""


@dataclass(frozen=True)
class HeardSpeech:
    """One speech, put right, as the executor hears it. by: who made it, with its round (`bull 2`). last: whether it is its side's last."""

    by: str
    text: str
    last: bool = True


@dataclass(frozen=True)
class ExecutorBrief:
    """Everything the executor is told. market, facts, position: fact lines. position is '' when flat, and held says which side it has.
    corrections: what was false, a line a fact; '' when nothing was, or when the executor is to hear the debate as it was said (as_said).
    summary: the specification's grounding_summary. consensus: the analysts' votes. heads: those of the debate, a line each. said: in
    speaking order, the judge's ruling last. penalty_pct: taken off the confidence that it states.
    is_alone: no one else has spoken."""

    market: str
    facts: str
    position: str
    corrections: str = ""
    summary: str = ""
    consensus: str = ""
    heads: Sequence[str] = ()
    said: Sequence[HeardSpeech] = ()
    thesis: str = ""
    as_said: bool = False
    penalty_pct: float = 0.0
    is_alone: bool = False


def _kind(path: paths.Path) -> str:
    return "spot" if path.paid_in_full else "contract"


def _rules(path: paths.Path, risk: RiskConfig, around: Circumstances | None, since: SincePrevious | None) -> str:
    """Return every limit that can block the decision or its order as `key = value` lines, with what is measured already where an account
    is known."""
    if around is None:
        return "\n".join([*limit_lines(risk, _ALWAYS, {}), *reversal_lines(risk, since)])
    account = around.account
    now: dict[str, float | None] = {check.rule: check.measured for check in standing_checks(risk, around)}
    now |= {"max_exposure_pct": account.exposure() / account.equity * 100, "max_open_positions": len(account.notionals)}
    names = [name for name in (*_ALWAYS, *_OF_ACCOUNT) if not (path.paid_in_full and name == _LIQUIDATES)]
    return "\n".join([*limit_lines(risk, names, now), *standing_lines(risk, since, halted=account.halted)])


def _limits_text(risk: RiskConfig, around: Circumstances | None, path: paths.Path, language: Language) -> str:
    """Return what the limits of an account are measured in, and which of them are breached before anything is decided."""
    if around is None:
        return ""
    breached = [check.rule for check in standing_checks(risk, around) if not check.passed]
    adding = " ".join(action.word for action in path.actions if action.adds_risk)
    blocked = render(_TEXTS["breached"][language], rules=", ".join(breached), actions=adding) if breached else ""
    liquidation = "" if path.paid_in_full else _TEXTS["to_liquidation"][language]
    return f"{liquidation}{OF_ACCOUNT[language]}\n{blocked}".strip() + "\n"


def executor_system(
    path: paths.Path,
    risk: RiskConfig,
    horizon: str,
    held: str,
    language: Language,
    around: Circumstances | None = None,
    since: SincePrevious | None = None,
) -> str:
    """Return the system message. horizon: how far the decision looks ahead. held: which side the open position has, "" without one. around:
    the account that the decision would be ordered on. since: the decision before, where a limit asks for it."""
    return render(
        SYSTEM["message"][language],
        rules=_rules(path, risk, around, since),
        limits=_limits_text(risk, around, path, language),
        conservative=_TEXTS["conservative"][path.name][language].format(held=held).strip(),
        horizon=horizon,
        safe=path.safe.word,
        costs=_TEXTS["costs_of"][_kind(path)][language],
        leverage=_TEXTS["leverage_of"][_kind(path)][language],
    )


def executor_user(brief: ExecutorBrief, path: paths.Path, language: Language, budget: int) -> str:
    """Return the user message within `budget` tokens."""
    options = "\n".join(f"- {action.word}: {_TEXTS['options'][action.word][language]}" for action in path.actions)
    before = [
        "\n\n".join(filter(None, (brief.thesis, _block("market", brief.market, language)))),
        _block("facts", brief.facts, language),
        _block("position", brief.position or _TEXTS["flat"][language], language),
    ]
    behind = [
        _block("consensus", "\n".join((brief.consensus, *brief.heads)), language),
        _block("options", options, language),
        f"{render(ASKED['ask'][language], waiting=WAITING[path.name][language])}\n\n{_form(path, language)}",
    ]
    debate = "debate_as_said" if brief.as_said else "debate"
    heads = [SYSTEM["head"]["grounding"][language], brief.summary, SYSTEM["head"][debate][language]]
    room = budget - count_tokens("\n\n".join([*before, *heads, *behind])) - _BETWEEN
    corrections = _as_many(brief.corrections, room - room // _OF_DEBATE, language)
    said = _said(brief.said, room - count_tokens(corrections))
    parts = [
        *(Part(text, keep=True) for text in before),
        Part(_block("grounding", "\n".join(filter(None, (brief.summary, corrections))), language), importance=3),
        Part(_block(debate, said, language), importance=2),
        *(Part(text, keep=True) for text in behind),
    ]
    return fit(parts, budget)


def _as_many(corrections: str, room: int, language: Language) -> str:
    """Return as many of the corrections as there is room for, the debate's first, and how many are left out."""
    lines = corrections.splitlines()
    for kept in range(len(lines), 0, -1):
        left = [render(_TEXTS["left_out"][language], n=str(len(lines) - kept))] if kept < len(lines) else []
        if count_tokens(text := "\n".join([*lines[:kept], *left])) <= room:
            return text
    return ""


def _form(path: paths.Path, language: Language) -> str:
    actions, leverage = "|".join(action.word for action in path.actions), _TEXTS["times"][_kind(path)][language]
    return render(
        ASKED["form"][language],
        actions=actions,
        leverage=leverage,
        levels=_TEXTS["levels"][path.name][language],
        adjusts=_TEXTS["adjusts"][path.name][language],
    )


def _said(said: Sequence[HeardSpeech], room: int) -> str:
    """Return as much of the words as there is room for, in speaking order: the ruling's first, then the last round in equal parts, each in
    whole sentences, and more of them where others left room; then whole earlier speeches, the latest first."""
    kept: dict[int, str] = {}
    last = [place for place, each in enumerate(said) if each.last]
    left = max(0, room)
    for n, place in enumerate(reversed(last)):
        share = left // 2 if n == 0 and len(last) > 1 else left // (len(last) - n)
        kept[place] = shorten(said[place].text, max(0, share - _ENVELOPE_TOKENS))
        left -= count_tokens(kept[place]) + _ENVELOPE_TOKENS if kept[place] else 0
    for place in reversed(last):
        spent = count_tokens(kept[place]) + _ENVELOPE_TOKENS if kept[place] else 0
        kept[place] = shorten(said[place].text, max(0, left + spent - _ENVELOPE_TOKENS))
        left += spent - (count_tokens(kept[place]) + _ENVELOPE_TOKENS if kept[place] else 0)
    for place, each in reversed(list(enumerate(said))):
        needed = count_tokens(each.text) + _ENVELOPE_TOKENS
        if not each.last and needed <= left:
            kept[place] = each.text
            left -= needed
    return "\n\n".join(quoted(said[place].by, text) for place, text in sorted(kept.items()) if text)


def _block(name: str, text: str, language: Language) -> str:
    return f"{SYSTEM['head'][name][language]}\n{text}" if text else ""
