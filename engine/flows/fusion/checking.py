"""What a role said, against what was measured: false statements become events, and the next speaker reads them corrected."""

from collections.abc import Sequence

from engine.agents.attached import without_quoted
from engine.domain.claims import Claim
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
    """Return what others read of an answer."""
    return correct_text(text, claims, context.sheet, context.language, TABLE)
