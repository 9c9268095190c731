"""How well claims are read: `python -m tests.grounding.score [seen|held_back] [--errors]`.

precision, recall: of false verdicts. A false verdict hits a label that is false, overlaps it and names its indicator, one to one; on
anything else it is a false alarm, but for a rejected quotation, which is ignored. extraction: labelled claims that were found at all,
whatever the verdict. flagged: true claims and non-claims that were called false. `--errors` names the texts (of the seen part only).
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


@dataclass
class Score:
    """Counts over many cases."""

    counts: Counter[str] = field(default_factory=Counter)
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

    def line(self, name: str) -> str:
        """One row of the table."""
        rates = " ".join(f"{rate:10.3f}" for rate in (self.precision, self.recall, self.extraction, self.agreement, self.flagged))
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
    rejected = [(start, end) for start, end, reason in case.not_claims if reason == "quote"]
    for index, claim in enumerate(false):
        again = any(label.verdict == "false" and _matches(claim, label) for label in case.labels)
        if index not in taken and not again and not any(_overlaps(claim, *span) for span in rejected):
            counts["alarm"] += 1
            total.errors.append(f"{case.name}: alarm {claim.text!r} as {claim.key} {claim.relation} {claim.claimed}, is {claim.actual}")


def main(arguments: list[str]) -> int:
    """Print the table of one part, or of both."""
    parts = [part for part in PARTS if part in arguments] or PARTS
    print(f"{'':24} {'cases':>5} {'labels':>6} {'precision':>10} {'recall':>10} {'extraction':>10} {'verdicts':>10} {'flagged':>10}")
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
        if "--errors" in arguments and part.endswith("seen"):
            print(*scored.errors, sep="\n")
        if "--unread" in arguments and part.endswith("seen"):
            print(*scored.unread, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
