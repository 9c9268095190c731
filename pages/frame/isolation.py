"""Each part of a page is isolated: one that breaks says so in its place, and the rest of the page stays.

Given what draws a part. Gives its HTML, or what is there instead: the part's name and what went wrong, as bare words. Every fault is
logged once, with where it happened. Nothing here hides one: the place says that it is broken, and never that there is nothing.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

from markupsafe import Markup

from engine.domain.errors import TribunalError
from engine.domain.text.language import Language
from pages.frame.cards import message
from pages.frame.escape import visible
from pages.frame.html import draw_html
from pages.frame.language import spoken_language
from pages.words.texts import Say, page_text

P = ParamSpec("P")
MOST_SHOWN = 300
_MOST_KEPT = 500
_log = logging.getLogger(__name__)
_logged: set[tuple[str, str]] = set()


def isolated_html(part: str, say: Say, make: Callable[[], Markup]) -> Markup:
    """Return the part's HTML, or that it cannot be shown. part: its name, in the page's language."""
    try:
        return make()
    except Exception as problem:  # whatever is wrong with one part, the others are still true
        return _instead(part, problem, say)


@contextmanager
def isolated(part: str, say: Say) -> Iterator[None]:
    """Draw a part in the block; what it had drawn before it broke stays. A rerun or a stop of the page passes: it is no Exception."""
    try:
        yield
    except Exception as problem:
        draw_html(_instead(part, problem, say))


def isolated_page(draw: Callable[P, None], say: Say) -> Callable[P, None]:
    """Return `draw`, which draws a page or a fragment of it: what breaks outside of every part is shown in the page's place."""

    @wraps(draw)
    def drawn(*given: P.args, **named: P.kwargs) -> None:
        with isolated(say("part_page"), say):
            draw(*given, **named)

    return drawn


def _instead(part: str, problem: Exception, say: Say) -> Markup:
    what = _what(problem)
    if (part, what) not in _logged and len(_logged) < _MOST_KEPT:  # a page that polls meets the same fault twice a second
        _logged.add((part, what))
        _log.error("%s of a page cannot be shown: %s", part, what, exc_info=problem)
    return message(say("part_broke", part=part), f"{_what(problem, spoken_language())[:MOST_SHOWN]} {say('part_rest')}", bad=True)


def _what(problem: Exception, language: Language = "en") -> str:
    """Return a trouble of the engine in a language, anything else with its kind; on one line, ended by a full stop."""
    try:
        words = " ".join(visible(page_text(str(problem), language)).split())
    except Exception:  # an exception whose words cannot be had either
        words = ""
    kind = "" if isinstance(problem, TribunalError) else type(problem).__name__
    text = ": ".join(part for part in (kind, words) if part)
    return text if text.endswith((".", "。")) else f"{text}。" if language == "zh" else f"{text}."
