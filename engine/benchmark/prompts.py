"""What a model is asked: the fixed words of an edition, filled in with one sheet. Pure but for reading the words once.

A sheet is asked about as it is (`plain`), and three times with one number taken out of its list and heard from a colleague instead:
falsely (`uncorrected`), falsely with the truth behind it (`corrected`), and truly with the same form of correction behind it (`placebo`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from engine.benchmark.sheets import FOLDER, StruckSheet
from engine.domain.facts import number_text
from engine.domain.inputs import content_hash
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts
from engine.grounding.report.wording import name_of_key
from engine.script.lies import INDEXES, false_sentence, put_right

ROLE: Final = "commentator"
Arm = Literal["plain", "uncorrected", "corrected", "placebo"]
LIE_ARMS: Final[tuple[Arm, ...]] = ("uncorrected", "corrected", "placebo")


@dataclass(frozen=True)
class Prompts:
    """The words of an edition. texts: language -> key -> text. hash: of all of them."""

    texts: Mapping[Language, Mapping[str, str]]

    @property
    def hash(self) -> str:
        """Name the words by their content."""
        return "sha256:" + content_hash({language: dict(texts) for language, texts in self.texts.items()})


@dataclass(frozen=True)
class StruckQuestion:
    """One question. nth: of equal ones, from 1."""

    sheet: StruckSheet
    arm: Arm
    nth: int
    system: str
    user: str

    @property
    def name(self) -> str:
        """Its name within a benchmark."""
        return asked_name(self.sheet.id, self.arm, self.nth)

    @property
    def hash(self) -> str:
        """Name its words by their content."""
        return content_hash({"system": self.system, "user": self.user})


def asked_name(sheet: str, arm: str, nth: int) -> str:
    """Return the name of a question within a benchmark."""
    return f"{sheet}/{arm}/{nth}"


@cache
def read_prompts() -> Prompts:
    """Return the words that this version ships."""
    return Prompts({language: read_texts(FOLDER, language, "prompts") for language in LANGUAGES})


@dataclass(frozen=True)
class PlantedNumber:
    """The number of a sheet that is made a lie. false, true: the sentence with the false and with the true value; stated_text, true_text:
    the values as they are written there."""

    key: str
    false: str
    true: str
    stated_text: str
    true_text: str


def planted_number(sheet: StruckSheet, place: int) -> PlantedNumber | None:
    """Return which number is made a lie and how it is said; None for a sheet without any that can be. place: of the sheet in its list: the
    indicator changes from one sheet to the next."""
    turned = [*INDEXES[place % len(INDEXES) :], *INDEXES[: place % len(INDEXES)]]
    for key in turned:
        value = sheet.facts.get(key)
        made = false_sentence({key: value}, "value", ROLE, sheet.language) if isinstance(value, float) else None
        right = put_right(made) if made is not None else None
        if made is not None and right is not None:
            stated, true = (number_text(float(each), "index") for each in (made[1].stated, made[1].true) if each is not None)
            return PlantedNumber(key, made[0].strip(), right.strip(), stated, true)
    return None


def question(prompts: Prompts, sheet: StruckSheet, place: int, arm: Arm, nth: int = 1) -> StruckQuestion | None:
    """Return a question; None where the sheet has no number that can be made a lie. place: of the sheet in its list."""
    words = prompts.texts[sheet.language]
    if arm == "plain":
        return StruckQuestion(sheet, arm, nth, words[sheet.kind].strip(), _filled(words["facts"], sheet, words, facts=sheet.lines()))
    planted = planted_number(sheet, place)
    if planted is None:
        return None
    lines, lied = sheet.lines(without=planted.key), arm != "placebo"
    note = planted.false if lied else planted.true
    if arm == "uncorrected":
        user = _filled(words["told"], sheet, words, facts=lines, note=note)
    else:
        said = planted.stated_text if lied else planted.true_text
        name = name_of_key(planted.key, sheet.language, sheet.table)
        user = _filled(words["corrected"], sheet, words, facts=lines, note=note, name=name, true=planted.true_text, said=said)
    return StruckQuestion(sheet, arm, nth, words[sheet.kind].strip(), user)


def _filled(template: str, sheet: StruckSheet, words: Mapping[str, str], **values: str) -> str:
    facts = sheet.facts
    about = words[f"about_{sheet.kind}"].format(
        symbol=facts.get("symbol", ""),
        timeframe=facts.get("timeframe", ""),
        at=sheet.at,
        name=sheet.name,
        currency=sheet.currency,
        side=words.get(f"side_{facts.get('side')}", ""),
    )
    return template.format(about=about, **values).strip()
