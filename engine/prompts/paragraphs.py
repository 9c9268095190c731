"""Paragraphs that more than one role's prompt holds, in both languages: `paragraphs.toml`."""

from pathlib import Path
from typing import Any, Final

from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.render import Text, render

_TEXTS: Final[dict[str, Any]] = read_paragraphs(Path(__file__).parent, "paragraphs")


def _joined(*names: str) -> Text:
    return {language: ("" if language == "zh" else " ").join(_TEXTS[name][language] for name in names) for language in LANGUAGES}


EVIDENCE: Final = _joined("desk", "facts_are", "stated", "said")
"""What every role is told first: what the facts are, and what the words of others are not."""
EVIDENCE_OF_TOOLS: Final = _joined("desk", "facts_and_tools", "stated", "said")
"""The same for a desk whose roles may look things up."""
FORMS: Final = _joined("forms", "timeframe_form", "level_forms")
"""Forms that the claim reader reads as they are meant (`tests/engine/prompts/test_forms.py`)."""
FORMS_OF_ONE_TIMEFRAME: Final = _joined("forms", "level_forms")
"""The same for a desk whose facts are all of one timeframe."""
REJECTION: Final[Text] = _TEXTS["rejection"]
CLOSING: Final[Text] = _TEXTS["closing"]
REPAIR_BLOCK: Final[Text] = _TEXTS["repair_block"]
REPAIR: Final[Text] = _TEXTS["repair"]
SHORTER: Final[Text] = _TEXTS["shorter"]
DECLINED: Final[Text] = _TEXTS["declined"]
NO_MORE_LOOKUPS: Final[Text] = _TEXTS["no_more_lookups"]
LOOKED_UP: Final[Text] = _TEXTS["looked_up"]
LOOKED_UP_WITHOUT_TOOLS: Final[Text] = _TEXTS["looked_up_without_tools"]
SAME_AS_ABOVE: Final[Text] = _TEXTS["same_as_above"]
MARKET: Final[Text] = _TEXTS["market"]
FACTS: Final[Text] = _TEXTS["facts"]
MISSING: Final[Text] = _TEXTS["missing"]


def turn_task(round_number: int, language: Language, *, opens: bool) -> str:
    """Return what a debater does in a round, from 1. opens: no one that it could answer has spoken."""
    if round_number > 1:
        return render(_TEXTS["answers"][language], round=str(round_number))
    return str(_TEXTS["opens" if opens else "first_answer"][language])
