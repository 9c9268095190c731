"""A text as a labelled case: its facts, its claims and their verdicts, as `tests/grounding` reads them. Pure."""

from collections.abc import Collection, Sequence

from pydantic import JsonValue

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.grounding.one_text import language_of

_ALWAYS = {"start", "end", "kind", "relation", "claimed"}
_WHERE_THEY_APPLY = {"deviation", "tolerance", "attributed_to"}


def labelled_text(
    name: str, text: str, claims: Sequence[Claim], sheet: FactSheet, path: str, disputed: Collection[str]
) -> dict[str, JsonValue]:
    """Return the case. name: its id. claims: of the text, at least one. sheet: what the text is about. path: `entry`, `position` or
    `equity`. disputed: ids of the claims that a person says were struck wrongly; they are labelled `unverifiable`, so that a reader that
    strikes them again is counted as wrong."""
    facts: dict[str, JsonValue] = {"symbol": sheet.symbol, "timeframe": sheet.timeframe, **{fact.key: fact.value for fact in sheet}}
    return {
        "id": name,
        "lang": language_of(text),
        "path": path,
        "source": claims[0].source,
        "style": "disputed",
        "text": text,
        "facts": facts,
        "claims": [_label(claim, is_disputed=claim.id in disputed) for claim in claims],
        "non_claims": [],
        "non_claim_spans": [],
    }


def _label(claim: Claim, *, is_disputed: bool) -> dict[str, JsonValue]:
    return {
        "span": claim.text,
        "indicator": claim.key,
        **claim.model_dump(mode="json", include=_ALWAYS),
        "verdict": "unverifiable" if is_disputed else claim.when_said,
        "actual": claim.said_actual if claim.said_verdict is not None else claim.actual,
        **({"hedged": True} if claim.hedged else {}),
        **claim.model_dump(mode="json", include=_WHERE_THEY_APPLY, exclude_none=True),
    }
