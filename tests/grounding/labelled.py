"""The parts of the labelled texts. What is held back stays here; the others are published with the benchmark."""

from pathlib import Path

from engine.benchmark.labelled import TEXTS, LabelledText, cases_in

_HERE = Path(__file__).parent
FOLDERS = {
    "market": TEXTS / "market",
    "held_back": _HERE / "held_back",
    "company": TEXTS / "company",
    "company_held_back": _HERE / "company_held_back",
    "honest": TEXTS / "honest",
}
"""Texts about a market and its position, about a company, its shares and the account, and answers to the prompts."""
HELD_BACK = ("held_back", "company_held_back")


def cases(part: str) -> list[LabelledText]:
    """Every case of one of `FOLDERS`."""
    return cases_in(FOLDERS[part])
