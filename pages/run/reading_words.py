"""What a run reads before it says its first word, and how far it has come: `Reading BTC/USDT:USDT from binanceusdm`, `1 of 4 read`. Without
streamlit."""

from engine.domain.reading import ReadingProgress, ReadPart
from pages.frame.show import Show
from pages.words.texts import WORDS


def reading_words(progress: ReadingProgress, show: Show) -> tuple[str, str]:
    """Return the headline, and the count with the parts that have been asked for and have not come yet."""
    say, named = show.say, f"reading_from_{progress.source}"
    headline = say("reading", subject=progress.subject, source=say(named) if named in WORDS else progress.source)
    count = say("reading_count", n=progress.done, of=progress.total)
    awaited = say("reading_join").join(_part(part, show) for part in progress.being_read)
    return headline, f"{count} · {awaited}" if awaited else count


def _part(part: ReadPart, show: Show) -> str:
    return show.say(f"reading_{part.name}", timeframe=part.timeframe)
