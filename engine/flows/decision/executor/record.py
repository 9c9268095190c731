"""What fact checking found, as the executor reads it: one line a fact, whoever said it falsely, and nothing that was right."""

from collections.abc import Iterable, Mapping

from engine.domain.claims import Claim, GroundingResult
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.flows.decision.paths import Path
from engine.grounding.report.wording import FactWording
from engine.grounding.tables.crypto import CRYPTO
from engine.prompts.render import Text

_NO_MARKS = dict.fromkeys(map(ord, "<>＜＞"))
_FALSE: Text = {"en": "Corrections ({count}):", "zh": "更正（{count} 项）："}
_MOVED: Text = {"en": "True when said, moved since ({count}):", "zh": "说时为真、其后已变动（{count} 项）："}
_LINE: Text = {"en": "- {truth}; {said}", "zh": "- {truth}；{said}"}
_SAID: Text = {"en": "{who} said {what}", "zh": "{who}称 {what}"}
_NAMES: Mapping[str, Text] = {
    "bull": {"en": "Bull", "zh": "多方"},
    "bear": {"en": "Bear", "zh": "空方"},
    "keep": {"en": "keeping", "zh": "持有方"},
    "reduce": {"en": "reducing", "zh": "减仓方"},
    "judge": {"en": "the judge", "zh": "裁判"},
}
_AND: Text = {"en": ", ", "zh": "、"}


def correction_record(path: Path, result: GroundingResult, sheet: FactSheet, language: Language) -> str:
    """Return the record of a debate and its analysts; "" where nothing was false and nothing has moved."""
    wording = FactWording(sheet, language, CRYPTO)
    blocks = []
    for head, claims in (
        (_FALSE, [claim for claim in result.claims if claim.verdict == "false"]),
        (_MOVED, [claim for claim in result.claims if claim.has_moved]),
    ):
        lines = _by_fact(path, claims, wording)
        if lines:
            blocks.append("\n".join([head[language].format(count=len(lines)), *lines]))
    return "\n".join(blocks)


def _by_fact(path: Path, claims: Iterable[Claim], wording: FactWording) -> list[str]:
    """Return a line for each fact. Those of the debate stand first: its claims are what the share is about."""
    said: dict[str, dict[str, dict[str, None]]] = {}
    truths: dict[str, str] = {}
    language = wording.language
    for claim in sorted(claims, key=lambda claim: claim.source not in path.debaters):
        truths.setdefault(claim.key, wording.truth(claim))
        said.setdefault(claim.key, {}).setdefault(_stated(claim), {})[_speaker(path, claim.source, language)] = None
    return [_LINE[language].format(truth=truths[key], said=_by_speakers(values, language)) for key, values in said.items()]


def _by_speakers(values: Mapping[str, Mapping[str, None]], language: Language) -> str:
    between = _AND[language]
    return between.join(_SAID[language].format(who=between.join(who), what=what) for what, who in values.items())


def _stated(claim: Claim) -> str:
    """Return what was stated: the number where that is enough, else the words."""
    if claim.relation == "=" and isinstance(claim.claimed, float):
        return f"{claim.claimed:.12g}"
    words = " ".join(claim.text.translate(_NO_MARKS).split())
    return f'"{words}"'


def _speaker(path: Path, source: str, language: Language) -> str:
    side = path.debaters.get(source)
    return _NAMES[path.speaker(side)][language] if side is not None else source
