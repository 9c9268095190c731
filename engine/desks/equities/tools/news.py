"""News: searching headlines, reading one, and what tone they have by a small list of words."""

import re
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from engine.desks.equities.tools.tool import Known, tool
from engine.domain.equity.news_item import NewsItem
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.render import quoted
from engine.search.rerank import bm25
from engine.search.tokens import tokens

_MOST = 12
_GOOD, _BAD = (frozenset(" ".join(words.values()).split()) for words in read_paragraphs(Path(__file__).parent, "tone").values())
_WORD = re.compile(r"[a-z]+")
_Days = Annotated[int, Field(ge=1, le=30, description="how many days back; 14 if left out")]


def tone_of(item: NewsItem) -> float:
    """Return the tone of a headline, -1 to 1: the source's own where it states one, else good words less bad ones."""
    if item.tone is not None:
        return item.tone
    return tone_of_words(f"{item.title} {item.text[:500]}")


def tone_of_words(text: str) -> float:
    """Return the tone of a text by its words, -1 to 1: good ones less bad ones, 0 without any."""
    text = text.lower()
    words = Counter(_WORD.findall(text))
    good = sum(words[each] if each.isascii() else text.count(each) for each in _GOOD)
    bad = sum(words[each] if each.isascii() else text.count(each) for each in _BAD)
    return (good - bad) / (good + bad) if good + bad else 0.0


def recent(known: Known, days: int) -> list[NewsItem]:
    """Return what was published in the last days before the moment, newest first."""
    since = known.snapshot.moment.known_at - timedelta(days=days)
    return [item for item in known.snapshot.news if item.published >= since]


@tool("Numbered headlines that hold any of the words, the best first.")
async def search_news(
    known: Known,
    query: Annotated[str | SkipJsonSchema[None], Field(description="words to look for; all headlines, newest first, if left out")] = None,
    days: _Days = 14,
) -> str:
    """Return numbered headlines, those first that hold most of the words asked for; all of them, newest first, without words."""
    if not known.snapshot.news:
        return _none(known)
    since = known.snapshot.moment.known_at - timedelta(days=days)
    found = [(number, item) for number, item in enumerate(known.snapshot.news, 1) if item.published >= since]
    if wanted := tokens(query or ""):
        scores = bm25(wanted, [tokens(f"{item.title} {item.text}") for _, item in found])
        ranked = sorted(zip(scores, found, strict=True), key=lambda pair: -pair[0])
        found = [each for score, each in ranked if score > 0]
    shown = "\n".join(f"#{number} {item.published:%Y-%m-%d %H:%M} UTC · {item.source} · {item.title}" for number, item in found[:_MOST])
    return (
        f"{len(found)} headlines\n{quoted('news', shown)}"
        if found
        else "0 headlines: none has any of the words; search for others, or for more days"
    )


@tool("The text of one headline.")
async def read_news(
    known: Known, number: Annotated[int, Field(ge=1, le=1000, description="its number in a search; 1 if left out")] = 1
) -> str:
    """Return one text, by the number that the search gave."""
    if not known.snapshot.news:
        return _none(known)
    if number > len(known.snapshot.news):
        raise BadInput(Reason("there_is_no_news", number=number, news=len(known.snapshot.news)))
    item = known.snapshot.news[number - 1]
    body = item.text[:4000] or "(the source has no text beyond the title)"
    return f"#{number} of {item.published:%Y-%m-%d %H:%M} UTC\n{quoted('news', f'{item.source}: {item.title}. {body}')}"


@tool("Counts and the average tone (-1 to 1) of headlines.")
async def get_headline_tone(known: Known, days: _Days = 14) -> str:
    """Return how many headlines are good, bad and neither, and their average tone."""
    if not known.snapshot.news:
        return _none(known)
    tones = [tone_of(item) for item in recent(known, days)]
    if not tones:
        return f"no headline in the last {days} days"
    good, bad = sum(tone > 0.1 for tone in tones), sum(tone < -0.1 for tone in tones)
    counted = {"headlines": len(tones), "positive": good, "negative": bad, "neutral": len(tones) - good - bad}
    lines = [f"{name} = {count}" for name, count in counted.items()]
    return "\n".join([*lines, f"average_tone = {sum(tones) / len(tones):.2f}"])


def _none(known: Known) -> str:
    return f"no news is known: {known.snapshot.missing.get('news', 'nothing was published')}"
