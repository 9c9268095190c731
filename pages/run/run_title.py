"""How a run is called where there is room for a few words: in the tab's title, and in the sidebar."""

from pages.frame.show import Show
from pages.run.view import RunView

_MOST = 28


def short_subject(subject: str) -> str:
    """Return `BTC` of `BTC/USDT:USDT`, a ticker as it is, the beginning of a question."""
    base = subject.partition("/")[0] if "/" in subject and " " not in subject else subject
    return base if len(base) <= _MOST else f"{base[: _MOST - 1].rstrip()}…"


def run_title(view: RunView, subject: str, progress: tuple[int, int] | None, word: str, show: Show, *, waits: bool) -> str:
    """Return `… BTC 3/9` while it goes on, `● BTC short waits`, `✓ BTC Wait`, `■ BTC stopped`. word: what it came to, in the shortest
    words. waits: for a signature. progress: how many of how many are done, None where nobody knows."""
    name, say = short_subject(subject), show.say
    if view.ending is None:
        count = f" {progress[0]}/{progress[1]}" if progress is not None else ""
        return f"… {name}{count}"
    if waits:
        return f"● {say('title_waits', what=f'{name} {word}'.rstrip())}"
    if view.ending.stopped:
        return f"■ {name} {say('state_stopped')}"
    if view.ending.status != "finished":
        return f"✕ {name} {say('state_failed')}"
    return f"✓ {name} {word}".rstrip()
