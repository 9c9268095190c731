"""What a role said, against what was measured: false statements become events, and the next speaker reads them corrected."""

from collections.abc import Sequence

from engine.agents.attached import without_quoted
from engine.agents.heard import heard_words
from engine.domain.claims import Claim
from engine.flows.fusion.answers import claim_spans
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.emitting import emit_corrections
from engine.flows.fusion.sheet import TABLE
from engine.grounding.correct import correct_text
from engine.grounding.reading import read_claims


def check_words(context: FusionContext, node: str, text: str, spans: Sequence[tuple[int, int]]) -> tuple[Claim, ...]:
    """Return the claims of an answer, and emit which are false. spans: the parts that state something."""
    claims = read_claims(text, context.sheet, node, without_quoted(spans, text, context.inputs.evidence), table=TABLE)
    emit_corrections(context.access.emit, node, claims)
    return claims


def corrected(context: FusionContext, text: str, claims: Sequence[Claim]) -> str:
    """Return what others read of an answer. claims: of this text."""
    if context.corrects_each_turn:
        return heard_words(text, claims, context.sheet, context.language, TABLE)
    return correct_text(text, claims, context.sheet, context.language, TABLE)


def heard_report(context: FusionContext, analyst: str, text: str) -> str:
    """Return what others hear of an analyst's report of this run's moment."""
    if not context.corrects_each_turn:
        return text
    known = context.heard.get((analyst, text))
    if known is None:
        spans = without_quoted(claim_spans(text), text, context.inputs.evidence)
        claims = read_claims(text, context.sheet, analyst, spans, table=TABLE)
        known = context.heard[analyst, text] = corrected(context, text, claims)
    return known
