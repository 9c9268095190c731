"""What fact checking found, as the executor reads it: one line a fact, with who stated it wrongly; facts stated correctly are left out."""

from collections.abc import Iterable, Mapping, Sequence

from engine.desks.decision.paths import Path
from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.grounding.report.wording import FactWording
from engine.grounding.tables.markets import CRYPTO
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


def correction_record(path: Path, claims: Sequence[Claim], sheet: FactSheet, language: Language) -> str:
    """Return the record of a debate and its analysts; "" where nothing was false and nothing has moved."""
    wording = FactWording(sheet, language, CRYPTO)
    blocks = []
    for head, listed in (
        (_FALSE, [claim for claim in claims if claim.verdict == "false"]),
        (_MOVED, [claim for claim in claims if claim.has_moved]),
    ):
        lines = _by_fact(path, listed, wording)
        if lines:
            blocks.append("\n".join([head[language].format(count=len(lines)), *lines]))
    return "\n".join(blocks)


def _by_fact(path: Path, claims: Iterable[Claim], wording: FactWording) -> list[str]:
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
    return [_LINE[language].format(truth=truths[key], said=_by_speakers(values, language)) for key, values in said.items()]


def _by_speakers(values: Mapping[str, Mapping[str, None]], language: Language) -> str:
    between = _AND[language]
    return between.join(_SAID[language].format(who=between.join(who), what=what) for what, who in values.items())


def _is_number(claim: Claim) -> bool:
    return claim.relation == "=" and isinstance(claim.claimed, float)


def _stated(claim: Claim) -> str:
    """Return what was stated: the number where that is enough, else the words."""
    if _is_number(claim):
        return f"{claim.claimed:.12g}"
    words = " ".join(claim.text.translate(_NO_MARKS).split())
    return f'"{words}"'


def _speaker(path: Path, source: str, language: Language) -> str:
    side = path.debaters.get(source)
    return _NAMES[path.speaker(side)][language] if side is not None else source
