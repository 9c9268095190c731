"""What the executor reads, gathered out of the state: the market, the facts, the corrections, the votes and what was said.

Corrections are one line a fact, with who stated it wrongly; facts stated correctly are left out.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from engine.agents.attached import evidence_block
from engine.agents.evidence import with_timeframes
from engine.agents.heard import moved_by
from engine.desks.decision import paths
from engine.desks.decision.background import plan_background
from engine.desks.decision.briefing import facts_and_background, thesis_block, votes
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.executor.prompt import ExecutorBrief, HeardSpeech
from engine.desks.decision.paths import GROUNDING_RESULT
from engine.desks.decision.speeches import corrected_words, speeches
from engine.desks.decision.stakes import cost_pct, held
from engine.desks.decision.state import TradingDecisionState
from engine.domain.claims import Claim, GroundingResult
from engine.domain.errors import BadInput
from engine.domain.facts import FactSheet, number_text, write_fact_lines
from engine.domain.market.snapshot import Snapshot
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.word_files import read_paragraphs
from engine.grounding.report.wording import FactWording
from engine.grounding.tables.markets import CRYPTO
from engine.outcomes.similar import precedent_block

_TEXTS = read_paragraphs(Path(__file__).parent, "record")
_NO_MARKS = dict.fromkeys(map(ord, "<>＜＞"))
_MARKET_FACTS = ("rsi_14", "macd", "macd_signal", "adx_14", "ema_20", "ema_50", "ema_200")
"""Of both timeframes."""
_FACTS_OF_MAIN = ("atr_14", "atr_pct", "volume_ratio_20", "funding_rate_pct", "oi_change_pct")
_POSITION_FACTS = (
    "side",
    "entry_price",
    "profit_pct",
    "mfe_pct",
    "mae_pct",
    "drawdown_from_peak_pct",
    "hold_count",
    "leverage",
    "size",
    "liquidation_price",
)


Hearing = Literal["corrected", "as_said", "placebo"]
"""How the executor hears the debate: false values replaced and listed, as it was said, or with corrections that change nothing."""


def make_brief(path: paths.Path, state: TradingDecisionState, context: DecisionContext, hearing: Hearing = "corrected") -> ExecutorBrief:
    """Return what the executor is told, out of the state. Raises BadInput where no placebo can be made."""
    records: Mapping[str, Any] = state
    sheet, language = context.sheet, context.language
    market: dict[str, str | None] = {
        "price": sheet.text("close"),
        "support": _level(state["key_support"], sheet),
        "resistance": _level(state["key_resistance"], sheet),
        "path": path.name,
        **_trading(context.snapshot, sheet),
    }
    lines = "\n".join(f"{key} = {value if value is not None else 'N/A'}" for key, value in market.items())
    against = plan_background(context.snapshot, sheet, language, int(context.risk.max_leverage))
    corrected, result = hearing == "corrected", GroundingResult.model_validate(records[path.key(GROUNDING_RESULT)])
    claims = result.claims if corrected else placebo_claims(result, path) if hearing == "placebo" else ()
    scores = " ".join(f"{name} {share:.2f}" for name, share in (state["weighted_scores"] or {}).items())
    return ExecutorBrief(
        market=f"{lines}\n{against}".strip(),
        facts=write_fact_lines(sheet, (*with_timeframes(sheet, _MARKET_FACTS), *_FACTS_OF_MAIN)),
        position=_position(context),
        corrections=correction_record(path, claims, sheet, language),
        summary=records[path.key("grounding_summary")] if hearing != "as_said" else "",
        consensus=f"{votes(state['reports'])}\nconsensus: {state['consensus_direction']} {state['consensus_confidence']:g} ({scores})",
        heads=_heads(path, records),
        said=_said(path, records, claims, context, marks_points=corrected),
        thesis=_thesis(context),
        as_said=hearing == "as_said",
        penalty_pct=result.penalty_pct if corrected else 0.0,
    )


def make_lone_brief(context: DecisionContext) -> ExecutorBrief:
    """Return what one voice is told that decides by itself: all the facts that everybody in the debate reads, and the market's terms."""
    sheet, language, snapshot = context.sheet, context.language, context.snapshot
    market = {"price": sheet.text("close"), "path": context.path.name, **_trading(snapshot, sheet)}
    measured = facts_and_background(snapshot, sheet, context.at, language)
    return ExecutorBrief(
        market="\n".join(f"{key} = {value}" for key, value in market.items() if value is not None),
        facts="\n\n".join(filter(None, (measured, evidence_block(snapshot.evidence, language)))),
        position=_position(context),
        thesis=_thesis(context),
        as_said=True,
        is_alone=True,
    )


def _position(context: DecisionContext) -> str:
    side = held(context.snapshot.holding, context.language)
    return f"{side}\n{write_fact_lines(context.sheet, _POSITION_FACTS)}" if side else ""


def _thesis(context: DecisionContext) -> str:
    """Return what the position was opened for, and what earlier decisions in like markets came to."""
    earlier = precedent_block(context.precedents, context.language)
    return "\n\n".join(filter(None, (thesis_block(context.snapshot, context.sheet, context.language), earlier)))


def _level(price: float | None, sheet: FactSheet) -> str | None:
    return number_text(price, "price", sheet.price_step) if price is not None else None


def _trading(snapshot: Snapshot, sheet: FactSheet) -> dict[str, str | None]:
    """Return what the market's terms are to a plan; nothing where they are not known."""
    cost = cost_pct(snapshot)
    if snapshot.terms is None or cost is None:
        return {}
    atr_pct = sheet.number("atr_pct")
    in_atr = {"round_trip_cost_atr": f"{cost / atr_pct:.2g}"} if atr_pct else {}
    return {"price_step": f"{snapshot.terms.price_step:f}", "round_trip_cost_pct": f"{cost:.3g}", **in_atr}


def _heads(path: paths.Path, records: Mapping[str, Any]) -> list[str]:
    """Return the votes of the debate, a line each."""
    judge = records[path.record("judge")]
    adjust = f" {judge['adjustment_pct']:+g}" if judge.get("adjustment_pct") is not None else ""
    sides = [f"{path.speaker(side)}: confidence {records[path.record(side)]['confidence']:g}" for side in ("bull", "bear")]
    return [*sides, f"judge: {judge['verdict']} {judge['direction']} {judge['confidence']:g}{adjust}"]


def _said(
    path: paths.Path, records: Mapping[str, Any], claims: Sequence[Claim], context: DecisionContext, *, marks_points: bool
) -> list[HeardSpeech]:
    """Return every speech in order, then the ruling, each put right by the claims that were read in it. marks_points: whether points that
    rested on a false number are marked; to say so of a true one would be a lie."""
    made = speeches(path, records)
    judge = str(records[path.record("judge")]["text"])
    rounds = {each.side: each.round for each in made}
    spoken = [
        (f"{path.speaker(each.side)} {each.round}", path.node(each.side), each.span, each.round == rounds[each.side]) for each in made
    ]
    said = []
    for by, node, (start, end), last in (*spoken, ("judge", path.node("judge"), (0, len(judge)), True)):
        text = str(records[path.record(path.debaters[node])]["text"])[start:end]
        own = [moved_by(claim, -start) for claim in claims if claim.source == node and start <= claim.start and claim.end <= end]
        said.append(HeardSpeech(by, corrected_words(node, text, own, context, marks_points=marks_points), last))
    return said


def placebo_claims(result: GroundingResult, path: paths.Path) -> tuple[Claim, ...]:
    """Return true claims, marked as corrections are: one fact for each fact that was corrected, with as many claims of it as far as there
    are. Raises BadInput where fewer facts were stated truly than falsely.

    The mere look of an audit may push a model towards waiting; beside the real corrections these show how far. They carry no information:
    each gives the value that was stated, out of the facts that the executor reads anyway.
    """
    fallen = _by_key(claim for claim in result.claims if claim.verdict == "false" or claim.has_moved)
    true = _by_key(_in_order((claim for claim in result.claims if claim.verdict == "true" and claim.key not in fallen), path))
    if len(true) < len(fallen):
        raise BadInput(Reason("placebo_needs_true_claims", needed=len(fallen), found=len(true)))
    most = sorted(true.values(), key=len, reverse=True)
    pairs = zip(sorted(fallen.values(), key=len, reverse=True), most, strict=False)
    return tuple(
        claim.model_copy(update={"verdict": "false", "said_verdict": None}) for wrong, right in pairs for claim in right[: len(wrong)]
    )


def _by_key(claims: Iterable[Claim]) -> Mapping[str, list[Claim]]:
    found: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        found[claim.key].append(claim)
    return found


def _in_order(claims: Iterable[Claim], path: paths.Path) -> list[Claim]:
    """Return those first that look like a correction most often does: a number, stated in the debate."""
    return sorted(
        claims, key=lambda claim: (claim.relation != "=" or not isinstance(claim.claimed, float), claim.source not in path.debaters)
    )


def correction_record(path: paths.Path, claims: Sequence[Claim], sheet: FactSheet, language: Language) -> str:
    """Return the record of a debate and its analysts; "" where nothing was false and nothing has moved."""
    wording = FactWording(sheet, language, CRYPTO)
    blocks = []
    for head, listed in (
        ("false", [claim for claim in claims if claim.verdict == "false"]),
        ("moved", [claim for claim in claims if claim.has_moved]),
    ):
        lines = _by_fact(path, listed, wording)
        if lines:
            blocks.append("\n".join([_TEXTS[head][language].format(count=len(lines)), *lines]))
    return "\n".join(blocks)


def _by_fact(path: paths.Path, claims: Iterable[Claim], wording: FactWording) -> list[str]:
    """Return a line for each fact. Those of the debate are first: its claims are what the share is about. What a value is called (above
    the price, overbought) is said where words were: beside a number it would only take room from the debate."""
    said: dict[str, dict[str, dict[str, None]]] = {}
    truths: dict[str, str] = {}
    language = wording.language
    for claim in sorted(claims, key=lambda claim: claim.source not in path.debaters):
        if not _is_number(claim):
            truths[claim.key] = wording.truth(claim)
        truths.setdefault(claim.key, f"{wording.name(claim.key)}={wording.value(claim.key) or claim.actual}")
        said.setdefault(claim.key, {}).setdefault(_stated(claim), {})[_speaker(path, claim.source, language)] = None
    lines, between = [], str(_TEXTS["and"][language])
    for key, values in said.items():
        by = (_TEXTS["said"][language].format(who=between.join(who), what=what) for what, who in values.items())
        lines.append(_TEXTS["line"][language].format(truth=truths[key], said=between.join(by)))
    return lines


def _is_number(claim: Claim) -> bool:
    return claim.relation == "=" and isinstance(claim.claimed, float)


def _stated(claim: Claim) -> str:
    """Return what was stated: the number where that is enough, else the words."""
    if _is_number(claim):
        return f"{claim.claimed:.12g}"
    words = " ".join(claim.text.translate(_NO_MARKS).split())
    return f'"{words}"'


def _speaker(path: paths.Path, source: str, language: Language) -> str:
    side = path.debaters.get(source)
    return str(_TEXTS["names"][path.speaker(side)][language]) if side is not None else source
