"""Where a run's answers name the fact behind a figure: asked for in a prompt, taken out of the text, remembered for anyone who reads it.

Texts go from node to node without their tags; the tags of an answer are found again by its words, and by all that its role had said in the
node by then. They are in the log with the answer, so a run that is continued, forked or played again reads its texts the same way.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.agents.access import TagBook
from engine.agents.token_log import ROUND_BREAK
from engine.domain.claims import FigureTag
from engine.prompts.render import Text

TAGS: Final[Text] = {
    "en": (
        "Behind every figure that you take from the facts write its key in braces, at once behind it: `RSI is 43.9{rsi_14}`, "
        "`1h ADX 40.2{1h.adx_14}`. Braces are removed before anybody reads your text. No braces behind levels you plan, conditions, past "
        "values, distances or figures that you worked out yourself, and none in the block at the end."
    ),
    "zh": (
        "引用实测数据时，在数字后紧接花括号写出其键名：`RSI 为 43.9{rsi_14}`、`1h ADX 40.2{1h.adx_14}`。花括号会在他人阅读前删去。"
        "计划中的价位、条件、过去的数值、距离以及自行推算的数字后不写花括号，结尾的格式块中也不写。"
    ),
}


def remember(book: TagBook, before: str, text: str, tags: Sequence[FigureTag]) -> None:
    """Write down the tags of an answer, and of all that was said in the node so far. before: what was said in earlier turns."""
    earlier = book.get(before.rstrip(), ())
    if not (tags or earlier) or not text:
        return
    shift = len(before) + len(ROUND_BREAK) if before else 0
    book[text.rstrip()] = tuple(tags)
    if before:
        book[f"{before}{ROUND_BREAK}{text}".rstrip()] = (*earlier, *(FigureTag(tag.at + shift, tag.key) for tag in tags))


def tags_in(book: TagBook, text: str) -> tuple[FigureTag, ...]:
    """Return the tags of a text that was said in this run; none of any other words."""
    return book.get(text.rstrip(), ())


def book_of(turns: Iterable[tuple[str, str, Sequence[FigureTag]]]) -> TagBook:
    """Return the tags of answers that were given before. turns: (node, words, tags), those of a node in the order they were said."""
    book: TagBook = {}
    said: dict[str, str] = {}
    for node, text, tags in turns:
        before = said.get(node, "")
        remember(book, before, text, tags)
        said[node] = f"{before}{ROUND_BREAK}{text}" if before and text else before + text
    return book
