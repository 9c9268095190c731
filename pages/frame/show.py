"""How a page wants its panels: one value handed to every panel builder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Self

from engine.domain.claims import Claim
from engine.domain.dispute import Dispute
from engine.domain.facts import Fact
from engine.domain.text.language import Language
from pages.frame import numbers
from pages.words.texts import Say, page_text, role_name, words_in


@dataclass(frozen=True)
class Show:
    """Attributes:
    language: of the page's own words.
    now: the clock for running seconds; None for the time of the last event.
    step: the market's smallest price change; None where it is not known.
    facts: of the snapshot, for the cards of claims (bar time, formula, bars) and the position's figures.
    titles: names of analysts by key, in the page's language.
    pending: spans of claims found before grounding has checked them, by role.
    zone: IANA name of the exchange's time zone; "" where a market has none.
    disputes: id of a struck claim -> who disputes it, of the run that is shown.
    disputing: whether the page hears the buttons that make and withdraw disputes.
    """

    language: Language = "en"
    now: datetime | None = None
    step: float | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    zone: str = ""
    disputes: Mapping[str, Dispute] = field(default_factory=dict)
    disputing: bool = False

    @cached_property
    def say(self) -> Say:
        """The words of the page's language."""
        return words_in(self.language)

    def of_run(self, disputes: Iterable[Dispute], *, disputing: bool = False) -> Self:
        """Return the same for the pages of a run with these disputes."""
        return replace(self, disputes={dispute.claim.id: dispute for dispute in disputes}, disputing=disputing)

    def clock(self, instant: datetime | None) -> str:
        """Return an instant without its year, in the exchange's time and in UTC."""
        return numbers.clock(instant, self.zone, self.language)

    def stamp(self, instant: datetime | None) -> str:
        """Return an instant in the exchange's time and in UTC."""
        return numbers.stamp(instant, self.zone, self.language)

    def dispute(self, claim: Claim) -> Dispute | None:
        """Return the dispute of a claim; None where no one disputes it."""
        return self.disputes.get(claim.id) if self.disputes and claim.is_struck else None

    def translated(self, text: str | None) -> str:
        """Return what the engine wrote down, in the page's language; "" for nothing."""
        return page_text(text, self.language) if text else ""

    def name(self, role: str) -> str:
        """Return a speaker's name: the desk's own word, the analyst's title, else its key."""
        return self.titles.get(role) or role_name(role, self.say)
