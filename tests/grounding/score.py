"""How well claims are read: `python -m tests.grounding.score [market|held_back|...] [--errors] [--confusion] [--record]`.

`--errors` names the texts (not of what is held back); `--confusion` counts by way of speaking what became of every marked span; `--record`
writes the counts of what is held back into `assets/struck/reader.json`, by which results of the benchmark are put right.
"""

import sys

from engine.benchmark.reader import RECORD, record_of
from engine.benchmark.scorer import score
from tests.grounding.labelled import FOLDERS, HELD_BACK, cases

_SHORT = ("short", "fresh")


def main(arguments: list[str]) -> int:
    """Print the table of one part, or of all."""
    if "--record" in arguments:
        RECORD.write_text(measured(), encoding="utf-8")
        return 0
    parts = [part for part in FOLDERS if part in arguments] or list(FOLDERS)
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
        if "--errors" in arguments and part not in HELD_BACK:
            print(*scored.errors, sep="\n")
        if "--unread" in arguments and part not in HELD_BACK:
            print(*scored.unread, sep="\n")
    return 0


def measured() -> str:
    """What is recorded of the texts that are held back."""
    return record_of([case for part in HELD_BACK for case in cases(part)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
