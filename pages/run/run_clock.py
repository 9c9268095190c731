"""What a run that goes on has taken so far, beside the button that stops it; and what it reads before it says its first word."""

from markupsafe import Markup

from engine.domain.calls.counted_reading import ReadingPart, ReadingProgress
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.live_seat import running_seconds
from pages.run.states import clock_of
from pages.run.view import RunView
from pages.words.texts import WORDS


def run_clock(view: RunView, show: Show) -> Markup:
    """Return seconds since it was asked for and tokens so far, and that nothing is ordered."""
    say = show.say
    tokens = sum(node.usage.prompt_tokens + node.usage.completion_tokens for node in view.nodes.values() if node.usage)
    left = markup("<span>{} <b>{}</b></span>", say("elapsed"), running_seconds(view.elapsed(clock_of(view, show)), show))
    right = markup("<span>{}</span>", say("tokens_n", n=numbers.number(tokens)))
    return markup('<div class="tb"><div class="tb-clock">{}{}</div><div class="tb-lab">{}</div></div>', left, right, say("orders_nothing"))


def reading_words(progress: ReadingProgress, show: Show) -> tuple[str, str]:
    """Return `Reading BTC/USDT:USDT from binanceusdm`, and `1 of 4 read` with the parts that have been asked for and have not come yet."""
    say, named = show.say, f"reading_from_{progress.source}"
    headline = say("reading", subject=progress.subject, source=say(named) if named in WORDS else progress.source)
    count = say("reading_count", n=progress.done, of=progress.total)
    awaited = say("reading_join").join(_part(part, show) for part in progress.being_read)
    return headline, f"{count} · {awaited}" if awaited else count


def _part(part: ReadingPart, show: Show) -> str:
    return show.say(f"reading_{part.name}", timeframe=part.timeframe)
