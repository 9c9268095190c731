"""How a page wants its panels: one value handed to every panel builder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from engine.domain.facts import Fact
from engine.domain.text.language import Language
from pages.words.engine_texts import engine_text
from pages.words.texts import Say, role_name, words_in


@dataclass(frozen=True)
class Show:
    """language: of the page's own words. now: the clock for running seconds, None = the last event's time. step: the market's smallest
    price change, None = not known. facts: the snapshot's facts, for the cards of claims (bar time, formula, bars) and the position's
    figures. titles: names of analysts by key, in the page's language. pending: spans of claims found before grounding has checked them,
    by role.
    """

    language: Language = "en"
    now: datetime | None = None
    step: float | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @cached_property
    def say(self) -> Say:
        """The words of the page's language."""
        return words_in(self.language)

    def translated(self, text: str | None) -> str:
        """Return what the engine wrote down, in the page's language; "" for nothing."""
        return engine_text(text, self.language) if text else ""

    def name(self, role: str) -> str:
        """Return a speaker's name: the desk's own word, the analyst's title, else its key."""
        return self.titles.get(role) or role_name(role, self.say)
