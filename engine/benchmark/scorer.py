"""How well texts are read: what the reader finds in labelled texts, counted.

precision, recall: of false verdicts. A false verdict hits a label that is false, overlaps it and names its indicator, one to one; on
anything else it is a false alarm, but for a rejected quotation, which is ignored. extraction: labelled claims that were found at all,
whatever the verdict. flagged: true claims and non-claims that were called false. struck: texts with a false alarm.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from engine.benchmark.kinds import kind_of
from engine.benchmark.labelled import Label, LabelledText
from engine.domain.claims import Claim
from engine.grounding.one_text import ground_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.tables.markets import table_of

_WAYS: Final = {
    "hyp": "condition", "stop": "condition", "modal": "condition", "question": "condition", "target": "plan", "plan": "plan",
    "hist": "past", "date": "past", "quote": "quotation", "quote_ok": "quotation", "def": "definition", "period": "definition",
    "ratio": "derived", "other": "other",
}  # fmt: skip
_OUTCOMES: Final = ("false", "true", "unverifiable", "unread")


@dataclass
class Score:
    """Counts over many texts. by: counts by kind of number, language and field of `Counted`. ways: counts by phrasing and verdict. errors,
    unread: descriptions of single cases."""

    counts: Counter[str] = field(default_factory=Counter)
    by: Counter[tuple[str, str, str]] = field(default_factory=Counter, repr=False)
    ways: Counter[tuple[str, str]] = field(default_factory=Counter, repr=False)
    errors: list[str] = field(default_factory=list, repr=False)
    unread: list[str] = field(default_factory=list, repr=False)

    def rate(self, part: str, whole: Iterable[str]) -> float:
        """Return counts[part] over the sum of counts[whole]; 1.0 of nothing."""
        total = sum(self.counts[name] for name in whole)
        return self.counts[part] / total if total else 1.0

    @property
    def precision(self) -> float:
        """Of the false verdicts, those that hit."""
        return self.rate("hit", ("hit", "alarm"))

    @property
    def recall(self) -> float:
        """Of the false claims, those that were convicted."""
        return self.rate("hit", ("hit", "missed"))

    @property
    def extraction(self) -> float:
        """Of the checkable claims, those that were found."""
        return self.rate("found", ("found", "overlooked"))

    @property
    def agreement(self) -> float:
        """Of the labelled claims that were found, those that got their verdict."""
        return self.rate("agreed", ("agreed", "contradicted"))

    @property
    def flagged(self) -> float:
        """Of the true claims and non-claims, those that were called false."""
        return self.rate("flagged", ("sound",))

    @property
    def struck(self) -> float:
        """Of the texts, those in which something is called false that is not."""
        return self.rate("struck", ("cases",))

    def confusion(self) -> str:
        """Return a row for every way of speaking: how many spans were called false, true, not to be checked, and not read at all."""
        ways = dict.fromkeys(way for way, _ in sorted(self.ways))
        rows = (f"{way:24} " + " ".join(f"{self.ways[way, outcome]:12}" for outcome in _OUTCOMES) for way in ways)
        return "\n".join([f"{'':24} " + " ".join(f"{outcome:>12}" for outcome in _OUTCOMES), *rows])

    def line(self, name: str) -> str:
        """Return one row of the table."""
        rates = " ".join(
            f"{rate:10.3f}" for rate in (self.precision, self.recall, self.extraction, self.agreement, self.flagged, self.struck)
        )
        return f"{name:24} {self.counts['cases']:5} {self.counts['labels']:6} {rates}"


def score(rows: Iterable[LabelledText]) -> Score:
    """Read every text and count what was found in it."""
    total = Score()
    for case in rows:
        _count(case, _claims(case), total)
    return total


def _claims(case: LabelledText) -> tuple[Claim, ...]:
    table = table_of(case.path)
    return ground_text(case.text, plain_sheet(case.facts, table), case.source, table=table).claims


def _overlaps(claim: Claim, start: int, end: int) -> bool:
    return claim.start < end and start < claim.end


def _matches(claim: Claim, label: Label) -> bool:
    return _overlaps(claim, label.start, label.end) and claim.key in label.indicators


def _judged(what: str, key: str, case: LabelledText, total: Score) -> None:
    """Add one claim to a count, in the total and by kind and language."""
    total.counts[what] += 1
    total.by[kind_of(key, table_of(case.path)), case.language, what] += 1


def _count(case: LabelledText, claims: tuple[Claim, ...], total: Score) -> None:
    counts = total.counts
    counts["cases"] += 1
    counts["labels"] += len(case.labels)
    false, taken = [claim for claim in claims if claim.verdict == "false"], set()
    for label in case.labels:
        matching = [claim for claim in claims if _matches(claim, label)]
        if label.verdict != "unverifiable" and not label.optional:
            counts["found" if matching else "overlooked"] += 1
        if matching:
            counts["agreed" if any(claim.verdict == label.verdict for claim in matching) else "contradicted"] += 1
        elif label.verdict == "true":
            total.unread.append(f"{case.name}: overlooked {case.text[label.start : label.end]!r}")
        hit = next((index for index, claim in enumerate(false) if index not in taken and _matches(claim, label)), None)
        if label.verdict == "false" and hit is not None:
            taken.add(hit)
            _judged("hit", label.indicator, case, total)
        elif label.verdict == "false":
            if any(claim.verdict == "true" for claim in matching):
                _judged("passed", label.indicator, case, total)
            if not label.optional:
                _judged("missed", label.indicator, case, total)
                total.errors.append(f"{case.name}: missed {case.text[label.start : label.end]!r}")
    _count_sound(case, claims, [claim for index, claim in enumerate(false) if index in taken], total)
    _count_ways(case, claims, total)
    _count_alarms(case, [claim for index, claim in enumerate(false) if index not in taken], total)


def _count_alarms(case: LabelledText, others: Sequence[Claim], total: Score) -> None:
    """Count the false verdicts that are wrong. others: those that found no false claim of their own."""
    before = total.counts["alarm"]
    rejected = [(start, end) for start, end, reason in case.not_claims if reason == "quote"]
    for claim in others:
        again = any(label.verdict == "false" and _matches(claim, label) for label in case.labels)
        if not again and not any(_overlaps(claim, *span) for span in rejected):
            _judged("alarm", claim.key, case, total)
            total.errors.append(f"{case.name}: alarm {claim.text!r} as {claim.key} {claim.relation} {claim.claimed}, is {claim.actual}")
    total.counts["struck"] += total.counts["alarm"] > before


def _count_sound(case: LabelledText, claims: tuple[Claim, ...], hits: Sequence[Claim], total: Score) -> None:
    """Count the verdicts on true claims and on passages that state nothing. hits: the claims that were matched with a false label."""
    sound = [(label.start, label.end, label) for label in case.labels if label.verdict == "true"]
    plain = [(start, end, None) for start, end, reason in case.not_claims if reason != "quote"]
    for start, end, about in [*sound, *plain]:
        found = [claim for claim in claims if (_matches(claim, about) if about is not None else _overlaps(claim, start, end))]
        wrongly = [claim for claim in found if claim.verdict == "false"]
        is_flagged = bool(wrongly) and not any(claim in wrongly for claim in hits)
        total.counts["sound"] += 1
        total.counts["flagged"] += is_flagged
        if about is not None and (is_flagged or any(claim.verdict == "true" for claim in found)):
            _judged("accused" if is_flagged else "upheld", about.indicator, case, total)


def _count_ways(case: LabelledText, claims: tuple[Claim, ...], total: Score) -> None:
    for label in case.labels:
        if not label.optional:
            total.ways[f"fact, {label.verdict}", _outcome(claim for claim in claims if _matches(claim, label))] += 1
    for start, end, reason in case.not_claims:
        inside = (claim for claim in claims if claim.value_start < end and start < claim.value_end)
        total.ways[_WAYS.get(reason, "other"), _outcome(inside)] += 1


def _outcome(claims: Iterable[Claim]) -> str:
    found = {claim.verdict for claim in claims}
    return next((outcome for outcome in _OUTCOMES if outcome in found), "unread")
