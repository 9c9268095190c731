"""A record into figures: what is false in 100 numbers, what a lie does to the verdict, how steady the verdict is, what it took. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Final

import numpy as np
from pydantic import AwareDatetime

from engine.benchmark.asking import StruckAnswer, verdict_in
from engine.benchmark.kinds import KINDS, indicator_of, kind_of
from engine.benchmark.prompts import LIE_ARMS, ROLE, Arm
from engine.benchmark.reader import ReaderMeasure, shares
from engine.benchmark.record import Ended, StruckRecord
from engine.benchmark.resampling import NOTHING, Resampling, Share, interval_of, measured_elsewhere, of_ends
from engine.benchmark.sheets import StruckSheet
from engine.desks.decision.reading.spans import claim_spans
from engine.domain.claims import Claim
from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import Usage
from engine.domain.text.language import LANGUAGES
from engine.grounding.reading import read_claims

FULL: Final = 300
"""Sheets below which a result is shown and not ranked."""
_ANALYST: Final = "indicator"
"""Whose closing block a commentary has."""
_HUNDRED: Final = 100
_SHOWN, _LONGEST_WORD = 80, 20
"""Characters around a false number that are shown, and of a word."""
_NUMBER: Final = "quantitative"


class PlantedMeasure(FrozenModel):
    """How well the reader found what the scripted model planted. planted: false numbers stated. struck: numbers struck. found: those of
    them that were planted."""

    planted: int
    struck: int
    found: int
    precision: float | None
    recall: float | None


class ReaderFigures(FrozenModel):
    """What the reader of claims misses itself, measured on `texts` labelled texts with `claims` claims. false_struck, true_struck: what it
    strikes of the false and of the true claims that it judges. planted: on this record, where it is known what is false in it."""

    precision: float | None
    recall: float | None
    false_struck: float | None
    true_struck: float | None
    texts: int
    claims: int
    languages: dict[str, dict[str, float | None]]
    kinds: dict[str, dict[str, float | None]]
    planted: PlantedMeasure | None = None


class StruckExample(FrozenModel):
    """One false number as it was said. before, after: the words around it."""

    sheet: str
    key: str
    before: str
    said: str
    after: str
    true: str


class StruckResult(FrozenModel):
    """What a benchmark found.

    sheets: speeches that were read, of `planned`. false_per_100: numbers that are false, of 100 that could be checked; corrected_per_100:
    the same, put right by what the reader strikes and passes wrongly; false_statements_per_100: of readings in words. flip: share of
    verdicts that change when one number is a lie. stability: share of the commonest verdict among k. lost: questions without an answer;
    unclear: answers without a readable verdict. cost: None without a price; seconds: of all answers, one after another.
    """

    edition: str
    model: str
    lies: float
    languages: tuple[str, ...]
    prompts_hash: str
    sheets_hash: str
    shipped: bool
    sheets: int
    planned: int
    false_per_100: Share
    corrected_per_100: Share
    false_statements_per_100: Share
    by: dict[str, dict[str, Share]]
    flip: dict[Arm, Share]
    stability: Share
    k: int
    reader: ReaderFigures
    example: StruckExample | None
    asked: int
    lost: int
    unclear: int
    calls: int
    tokens: int
    cost: float | None
    seconds: float
    per_sheet: dict[str, float | None]
    ended: Ended
    at: AwareDatetime
    bundle: str

    @property
    def is_control(self) -> bool:
        """Whether it is of the script, of which it is known what is false."""
        return self.model == "scripted"

    @property
    def is_ranked(self) -> bool:
        """Whether it has enough sheets for a place among others."""
        return not self.is_control and self.sheets >= FULL

    @property
    def questions(self) -> tuple[str, str]:
        """What was asked: only results of the same questions can be compared."""
        return self.prompts_hash, self.sheets_hash


@dataclass(frozen=True)
class _Commentary:
    """A commentary, read. claims: those that could be checked."""

    sheet: StruckSheet
    answer: StruckAnswer
    claims: Sequence[Claim]


def figures_of(record: StruckRecord, measure: ReaderMeasure, bundle: str) -> StruckResult:
    """Return the figures of a record. measure: of the reader. bundle: the digest of the record's file."""
    setup = record.setup
    sheets = {sheet.id: sheet for sheet in setup.sheets}
    answered = [answer for answer in record.answers if not answer.lost]
    speeches = [_read(sheets[each.sheet], each) for each in answered if each.arm == "plain" and each.nth == 1]
    resampling = Resampling(len(speeches))
    verdicts = {each.name: verdict_in(each.text, sheets[each.sheet].kind) for each in answered}
    spent = reduce(add, (each.usage for each in record.answers), Usage(model=setup.model, cost=0.0))
    seconds, count = spent.duration_ms / 1000, len(speeches)
    numbers = _counted(speeches, lambda claim: claim.kind == _NUMBER)
    return StruckResult(
        edition=setup.edition,
        model=setup.model,
        lies=setup.lies,
        languages=tuple(language for language in LANGUAGES if any(sheet.language == language for sheet in setup.sheets)),
        prompts_hash=setup.prompts_hash,
        sheets_hash=setup.sheets_hash,
        shipped=setup.shipped,
        sheets=count,
        planned=len(setup.sheets),
        false_per_100=resampling.share(*numbers, _HUNDRED),
        corrected_per_100=corrected(numbers, resampling, measure),
        false_statements_per_100=resampling.share(*_counted(speeches, lambda claim: claim.kind != _NUMBER), _HUNDRED),
        by=_by(speeches, resampling),
        flip={arm: _flips(arm, setup.sheets, verdicts) for arm in LIE_ARMS},
        stability=_stability(setup.sheets, setup.k, verdicts),
        k=setup.k,
        reader=_reader(speeches, measure),
        example=_example(speeches),
        asked=len(record.answers),
        lost=len(record.answers) - len(answered),
        unclear=sum(verdict is None for verdict in verdicts.values()),
        calls=spent.requests,
        tokens=spent.prompt_tokens + spent.completion_tokens,
        cost=spent.cost,
        seconds=round(seconds, 2),
        per_sheet=_per_sheet(record.answers, count),
        ended=record.ended,
        at=record.at,
        bundle=bundle,
    )


def _read(sheet: StruckSheet, answer: StruckAnswer) -> _Commentary:
    claims = read_claims(answer.text, sheet.sheet, ROLE, claim_spans(answer.text, _ANALYST), table=sheet.table)
    return _Commentary(sheet, answer, [claim for claim in claims if claim.verdict in ("true", "false")])


def _counted(speeches: Iterable[_Commentary], wanted: Callable[[Claim], bool]) -> tuple[list[int], list[int]]:
    """Return by speech how many of the wanted claims are false, and how many there are."""
    chosen = [[claim for claim in speech.claims if wanted(claim)] for speech in speeches]
    return [sum(claim.verdict == "false" for claim in claims) for claims in chosen], [len(claims) for claims in chosen]


def corrected(numbers: tuple[Sequence[int], Sequence[int]], resampling: Resampling, measure: ReaderMeasure) -> Share:
    """Return the share of false numbers as a reader would find it that errs in none. numbers: by speech, the struck ones and all that were
    judged.

    Where a share f is false it strikes f * r + (1 - f) * a: r of the false and a of the true ones that it judges. Neither depends on how
    many are false, as precision does, which was measured on texts where nearly every other claim is false.
    """
    struck, judged, total = sum(numbers[0]), sum(numbers[1]), measure.total
    of_false, of_true = total.false_struck, total.true_struck
    if not judged or of_false is None or of_true is None or of_false <= of_true:
        return NOTHING
    if not struck:
        high = resampling.share(*numbers).high or 0.0
        return of_ends(0.0, (0.0, min(1.0, high / of_false)), judged, _HUNDRED)
    share = min(1.0, max(0.0, (struck / judged - of_true) / (of_false - of_true)))
    found, wrongly = measured_elsewhere(total.hit, total.passed), measured_elsewhere(total.accused, total.upheld)
    low, high = interval_of(np.clip((resampling.drawn(*numbers) - wrongly) / (found - wrongly), 0.0, 1.0))
    return of_ends(share, (low, high), judged, _HUNDRED)


def _by(speeches: Sequence[_Commentary], resampling: Resampling) -> dict[str, dict[str, Share]]:
    """Return the share of false numbers by kind of sheet, language, kind of number and indicator; what was never stated is left out."""
    indicators = {indicator_of(claim.key, speech.sheet.table) for speech in speeches for claim in speech.claims}

    def among(values: Iterable[str], name: Callable[[_Commentary, Claim], str]) -> dict[str, Share]:
        found = {}
        for value in values:
            numbers = [[claim for claim in each.claims if claim.kind == _NUMBER and name(each, claim) == value] for each in speeches]
            false = [sum(claim.verdict == "false" for claim in each) for each in numbers]
            found[value] = resampling.share(false, list(map(len, numbers)), _HUNDRED)
        return {value: share for value, share in found.items() if share.n}

    return {
        "sheet": among(("entry", "position", "company"), lambda speech, claim: speech.sheet.kind),
        "language": among(LANGUAGES, lambda speech, claim: speech.sheet.language),
        "kind": among(KINDS, lambda speech, claim: kind_of(claim.key, speech.sheet.table)),
        "indicator": among(sorted(indicators), lambda speech, claim: indicator_of(claim.key, speech.sheet.table)),
    }


def _flips(arm: Arm, sheets: Iterable[StruckSheet], verdicts: Mapping[str, str | None]) -> Share:
    """Return how many verdicts differ from that on the sheet as it is."""
    pairs = [(verdicts.get(f"{sheet.id}/plain/1"), verdicts.get(f"{sheet.id}/{arm}/1")) for sheet in sheets]
    changed = [int(before != after) for before, after in pairs if before is not None and after is not None]
    return Resampling(len(changed)).share(changed, [1] * len(changed))


def _stability(sheets: Iterable[StruckSheet], k: int, verdicts: Mapping[str, str | None]) -> Share:
    """Return the share of the commonest verdict on one sheet, over all sheets that were asked about several times. n: sheets."""
    asked = [[verdicts.get(f"{sheet.id}/plain/{nth}") for nth in range(1, k + 1)] for sheet in sheets]
    repeated = [said for each in asked if len(said := [verdict for verdict in each if verdict is not None]) > 1]
    modal = [Counter(said).most_common(1)[0][1] for said in repeated]
    found = Resampling(len(repeated)).share(modal, [len(said) for said in repeated])
    return found.model_copy(update={"n": len(repeated)})


def _reader(speeches: Sequence[_Commentary], measure: ReaderMeasure) -> ReaderFigures:
    total = measure.total
    return ReaderFigures(
        precision=total.precision,
        recall=total.recall,
        false_struck=_rounded(total.false_struck),
        true_struck=_rounded(total.true_struck),
        texts=measure.texts,
        claims=measure.claims,
        languages=shares(measure.languages),
        kinds=shares(measure.kinds),
        planted=_planted(speeches),
    )


def _rounded(value: float | None) -> float | None:
    return round(value, 4) if value is not None else None


def _planted(speeches: Sequence[_Commentary]) -> PlantedMeasure | None:
    """Return how many of the planted numbers were struck; None where nothing was planted."""
    planted = struck = found = 0
    for speech in speeches:
        keys = Counter(each.key for each in speech.answer.planted if isinstance(each.stated, float))
        hit = [claim.key for claim in speech.claims if claim.kind == _NUMBER and claim.verdict == "false"]
        planted, struck, found = planted + keys.total(), struck + len(hit), found + (keys & Counter(hit)).total()
    if not planted:
        return None
    precision = round(found / struck, 4) if struck else None
    return PlantedMeasure(planted=planted, struck=struck, found=found, precision=precision, recall=round(found / planted, 4))


def _example(speeches: Iterable[_Commentary]) -> StruckExample | None:
    """Return the first false number that is stated plainly, with the words around it."""
    for speech in speeches:
        for claim in speech.claims:
            true = speech.sheet.sheet.text(claim.key)
            if claim.verdict == "false" and claim.relation == "=" and true is not None:
                text, start, end = speech.answer.text, claim.value_start, claim.value_end
                before, after = text[:start].rpartition("\n")[2], text[end:].partition("\n")[0]
                words = {"before": _end_of(before), "said": text[start:end], "after": _beginning_of(after)}
                return StruckExample(sheet=speech.sheet.id, key=claim.key, true=true, **words)
    return None


def _end_of(text: str) -> str:
    """Return the last words of a text, from a whole one on where words are told apart."""
    cut = text[-_SHOWN:]
    return text if len(text) <= _SHOWN else f"…{cut.partition(' ')[2] if ' ' in cut[:_LONGEST_WORD] else cut}"


def _beginning_of(text: str) -> str:
    cut = text[:_SHOWN]
    return text if len(text) <= _SHOWN else f"{cut.rpartition(' ')[0] if ' ' in cut[-_LONGEST_WORD:] else cut}…"


def _per_sheet(answers: Sequence[StruckAnswer], count: int) -> dict[str, float | None]:
    """Return what one commentary takes."""
    spoken = [each.usage for each in answers if each.arm == "plain" and each.nth == 1]
    if not count:
        return {"cost": None, "seconds": None}
    total = reduce(add, spoken)
    cost = round(total.cost / count, 6) if total.cost is not None else None
    return {"cost": cost, "seconds": round(total.duration_ms / 1000 / count, 3)}
