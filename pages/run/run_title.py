"""How a run is called where there is room for a few words: in the tab's title, and in the sidebar."""

from engine.domain.shown_state import ShownState
from pages.frame.show import Show
from pages.run.state_signs import STATE_SIGNS

_MOST = 28


def short_subject(subject: str) -> str:
    """Return `BTC` of `BTC/USDT:USDT`, a ticker as it is, the beginning of a question."""
    base = subject.partition("/")[0] if "/" in subject and " " not in subject else subject
    return base if len(base) <= _MOST else f"{base[: _MOST - 1].rstrip()}…"


def run_title(state: ShownState, subject: str, progress: tuple[int, int] | None, word: str, show: Show) -> str:
    """Return `… BTC 3/9` while it goes on, `● BTC short to sign`, `◆ BTC Wait`, `■ BTC stopped`. word: what it came to, in the
    shortest words. progress: how many of how many are done, None if unknown."""
    said = [STATE_SIGNS[state][0], short_subject(subject)]
    if state in ("starting", "running"):
        said += [f"{progress[0]}/{progress[1]}"] if progress is not None else []
    elif state == "finished":
        said += [word]
    elif state in ("stopped", "failed", "invalid", "interrupted"):
        said += [show.say(f"state_{state}")]
    else:
        said += [word, show.say(f"state_{state}")]
    return " ".join(part for part in said if part)
