"""Every text of the pages, in English and Chinese, those of forms in a catalogue of their own, and reasons of the engine as a page says
them. `{name}` in a text is filled in when it is looked up.

    say = words_in("zh")
    say("of_reports", n=3, of=4)

An unknown key is a KeyError; the tests check every key that the pages use.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from engine.domain.text.language import Language
from engine.domain.text.reason import Reason, said_in
from engine.domain.text.word_files import Pair, read_pairs

LANGUAGE_NAMES: Mapping[Language, str] = {"en": "English", "zh": "中文"}
"""Each by its own name."""


def _all_words() -> dict[str, Pair]:
    """Return the words that pages share, and those of each desk. Raises ValueError for a key in two of them."""
    here = Path(__file__).parent
    words = read_pairs(here, "frame", "claims", "journal", "learning", "again", "replay", "runs", "settings", "connect", "trading")
    for file in sorted((Path(__file__).parents[1] / "desks").glob("*/words.toml")):
        own, desk = read_pairs(file.parent, "words"), file.parent.name
        if doubled := words.keys() & own.keys():
            raise ValueError(f"words of the {desk} desk repeat those of others: {sorted(doubled)}")
        words |= own
    return words


WORDS: Final[Mapping[str, Pair]] = _all_words()


class Say(Protocol):
    """Looks a word up in one language and fills it in."""

    def __call__(self, key: str, /, **values: object) -> str: ...


def words_in(language: Language) -> Say:
    """Return the words of one language."""
    column = 1 if language == "zh" else 0

    def say(key: str, /, **values: object) -> str:
        text = WORDS[key][column]
        return text.format(**values) if values else text

    return say


def role_name(role: str, say: Say) -> str:
    """Return a speaker's name; one the desk does not know is called by its key."""
    return say(role) if role in WORDS else role.replace("_", " ").capitalize()


def event_word(kind: str, say: Say) -> str:
    """Return what happened; a kind of event that the desk does not know is called by its name."""
    key = f"ev_{kind}"
    return say(key) if key in WORDS else kind


FORM_WORDS: Final[Mapping[str, Pair]] = read_pairs(Path(__file__).parent, "form")


def form_word(key: str, language: Language) -> str:
    """Return one word of the form."""
    return FORM_WORDS[key][1 if language == "zh" else 0]


ON_PAGES: Final = read_pairs(Path(__file__).parent, "reasons")


def page_text(text: str, language: Language) -> str:
    """Return a reason in the language of a page; a text without a key as it is."""
    if isinstance(text, Reason) and text.key in ON_PAGES:
        return text.said_in(language, ON_PAGES[text.key])
    return said_in(text, language)
