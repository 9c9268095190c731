"""How well claims are read: `python -m tests.grounding.score [seen|held_back] [--errors] [--confusion]`.

precision, recall: of false verdicts. A false verdict hits a label that is false, overlaps it and names its indicator, one to one; on
anything else it is a false alarm, but for a rejected quotation, which is ignored. extraction: labelled claims that were found at all,
whatever the verdict. flagged: true claims and non-claims that were called false. struck: texts with a false alarm. `--errors` names the
texts (not of what is held back); `--confusion` counts by way of speaking what became of every marked span.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.domain.claims import Claim
from engine.grounding.one_text import ground_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.tables.by_path import table_of
from tests.grounding.labelled import PARTS, Case, Label, cases

_SHORT = ("short", "fresh")
_WAYS = {
    "hyp": "condition", "stop": "condition", "modal": "condition", "question": "condition", "target": "plan", "plan": "plan",
    "hist": "past", "date": "past", "quote": "quotation", "quote_ok": "quotation", "def": "definition", "period": "definition",
    "ratio": "derived", "other": "other",
}  # fmt: skip
_OUTCOMES = ("false", "true", "unverifiable", "unread")


@dataclass
class Score:
    """Counts over many cases."""

    counts: Counter[str] = field(default_factory=Counter)
    ways: Counter[tuple[str, str]] = field(default_factory=Counter, repr=False)
    errors: list[str] = field(default_factory=list, repr=False)
    unread: list[str] = field(default_factory=list, repr=False)

    def rate(self, part: str, whole: Iterable[str]) -> float:
        """counts[part] of the sum of counts[whole]; 1.0 of nothing."""
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
        """A row for every way of speaking: how many spans were called false, true, not to be checked, and not read at all."""
        ways = dict.fromkeys(way for way, _ in sorted(self.ways))
        rows = (f"{way:24} " + " ".join(f"{self.ways[way, outcome]:12}" for outcome in _OUTCOMES) for way in ways)
        return "\n".join([f"{'':24} " + " ".join(f"{outcome:>12}" for outcome in _OUTCOMES), *rows])

    def line(self, name: str) -> str:
        """One row of the table."""
        rates = " ".join(
            f"{rate:10.3f}" for rate in (self.precision, self.recall, self.extraction, self.agreement, self.flagged, self.struck)
        )
        return f"{name:24} {self.counts['cases']:5} {self.counts['labels']:6} {rates}"


def score(rows: Iterable[Case]) -> Score:
    """Read every text and count."""
    total = Score()
    for case in rows:
        _count(case, _claims(case), total)
    return total


def _claims(case: Case) -> tuple[Claim, ...]:
    table = table_of(case.path)
    return ground_text(case.text, plain_sheet(case.facts, table), case.source, table=table).claims


def _overlaps(claim: Claim, start: int, end: int) -> bool:
    return claim.start < end and start < claim.end


def _matches(claim: Claim, label: Label) -> bool:
    return _overlaps(claim, label.start, label.end) and claim.key in label.indicators


def _count(case: Case, claims: tuple[Claim, ...], total: Score) -> None:
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
            counts["hit"] += 1
        elif label.verdict == "false" and not label.optional:
            counts["missed"] += 1
            total.errors.append(f"{case.name}: missed {case.text[label.start : label.end]!r}")
    sound = [(label.start, label.end, label) for label in case.labels if label.verdict == "true"]
    plain = [(start, end, None) for start, end, reason in case.not_claims if reason != "quote"]
    for start, end, about in [*sound, *plain]:
        counts["sound"] += 1
        wrongly = [claim for claim in false if (_matches(claim, about) if about is not None else _overlaps(claim, start, end))]
        counts["flagged"] += bool(wrongly) and not any(index in taken for index, claim in enumerate(false) if claim in wrongly)
    _count_ways(case, claims, total)
    alarms = counts["alarm"]
    rejected = [(start, end) for start, end, reason in case.not_claims if reason == "quote"]
    for index, claim in enumerate(false):
        again = any(label.verdict == "false" and _matches(claim, label) for label in case.labels)
        if index not in taken and not again and not any(_overlaps(claim, *span) for span in rejected):
            counts["alarm"] += 1
            total.errors.append(f"{case.name}: alarm {claim.text!r} as {claim.key} {claim.relation} {claim.claimed}, is {claim.actual}")
    counts["struck"] += counts["alarm"] > alarms


def _count_ways(case: Case, claims: tuple[Claim, ...], total: Score) -> None:
    for label in case.labels:
        if not label.optional:
            total.ways[f"fact, {label.verdict}", _outcome(claim for claim in claims if _matches(claim, label))] += 1
    for start, end, reason in case.not_claims:
        inside = (claim for claim in claims if claim.value_start < end and start < claim.value_end)
        total.ways[_WAYS.get(reason, "other"), _outcome(inside)] += 1


def _outcome(claims: Iterable[Claim]) -> str:
    found = {claim.verdict for claim in claims}
    return next((outcome for outcome in _OUTCOMES if outcome in found), "unread")


def main(arguments: list[str]) -> int:
    """Print the table of one part, or of both."""
    parts = [part for part in PARTS if part in arguments] or PARTS
    rates = ("precision", "recall", "extraction", "verdicts", "flagged", "struck")
    print(f"{'':24} {'cases':>5} {'labels':>6} " + " ".join(f"{rate:>10}" for rate in rates))
    for part in parts:
        rows = cases(part)
        groups = {f"{part} short": [case for case in rows if case.name.startswith(_SHORT)]}
        groups |= {f"{part} long, elaborate": [case for case in rows if not case.name.startswith(_SHORT)]}
        groups |= {f"{part} {name}": [case for case in rows if case.language == name] for name in ("en", "zh", "mixed")}
        for name, group in {**groups, part: rows}.items():
            if not group:
                continue
            scored = score(group)
            print(scored.line(name))
        if "--confusion" in arguments:
            print(scored.confusion())
        if "--errors" in arguments and not part.endswith("held_back"):
            print(*scored.errors, sep="\n")
        if "--unread" in arguments and not part.endswith("held_back"):
            print(*scored.unread, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
