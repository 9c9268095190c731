"""Reasons of the engine in the language of a page. A few are said differently there than in the shell: where the shell names an option or a
command, a page names what can be seen on it.
"""

from pathlib import Path
from typing import Final

from engine.domain.text.language import Language
from engine.domain.text.reason import Reason, said_in
from engine.domain.text.word_files import read_pairs

ON_PAGES: Final = read_pairs(Path(__file__).parent, "reasons")


def page_text(text: str, language: Language) -> str:
    """Return a reason in the language of a page; a text without a key as it is."""
    if isinstance(text, Reason) and text.key in ON_PAGES:
        return text.said_in(language, ON_PAGES[text.key])
    return said_in(text, language)
