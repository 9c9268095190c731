"""Sentences that the engine writes down in English, in the words of a page: why something failed or was refused, what became of it.

The record keeps what was written. A sentence is known by the way its code writes it, `{}` where a value stands, and so are sentences
within a sentence: `nothing was ordered: trading was halted`. One that is not known here is shown as it is.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from engine.domain.text.language import Language
from pages.words.sentences.both import BOTH
from pages.words.sentences.markets import MARKETS
from pages.words.sentences.models import MODELS
from pages.words.sentences.research import RESEARCH
from pages.words.sentences.runs import RUNS
from pages.words.sentences.trading import TRADING
from pages.words.sentences.venues import VENUES

_DEEPEST, _LONGEST = 4, 1000
_ROOMS: Final = (TRADING, VENUES, MARKETS, RUNS, MODELS, RESEARCH, BOTH)
ENGLISH: Final[Mapping[str, str]] = {
    "{} came after it": "a newer proposal took its place: {0}",
    "trading is halted: proposal {} cannot be approved; `unhalt` allows it again": (
        "trading is halted: proposal {0} cannot be approved until it is allowed again"
    ),
    "proposal {} is not known: `proposals` lists them": "proposal {0} is not known",
    "a recorded market needs its folder: --data FOLDER or TRIBUNAL_DATA_DIR": "a recorded market needs its folder: type it above",
    "an exchange's account is traded at its own prices: use --feed live with --broker exchange": (
        "an exchange's account is traded at its own prices: choose the live feed"
    ),
}
"""Those that a page says otherwise than a shell."""
_STATES: Final[Mapping[str, str]] = {
    "pending": "待定",
    "approved": "已批准",
    "edited": "已修改",
    "rejected": "已拒绝",
    "expired": "已过期",
    "superseded": "已被取代",
    "blocked": "已阻止",
    "sent": "已发送",
    "filled": "已成交",
    "failed": "失败",
    "unknown": "结果不明",
    "finished": "完成",
    "stopped": "停止",
    "running": "进行中",
    "stop": "止损",
    "target": "目标",
    "size": "数量",
    "leverage": "杠杆",
    "above": "上方",
    "below": "下方",
    "candles": "K线",
}


def _pairs() -> Iterator[tuple[str, str]]:
    for room in _ROOMS:
        lines = room.strip().splitlines()
        yield from zip(lines[::2], lines[1::2], strict=True)


SENTENCES: Final[Mapping[str, str]] = dict(_pairs())
"""What the engine's code writes, `{}` for what it puts in -> the same in Chinese."""
_KNOWN = [(written.split("{}"), written) for written in sorted(SENTENCES, key=lambda each: -len(each.replace("{}", "")))]


def engine_text(text: str, language: Language) -> str:
    """Return what the engine wrote in a language, its numbers and names as they were written."""
    return _in_chinese(text, 0) if language == "zh" else _in_english(text)


@lru_cache(maxsize=2048)
def _in_english(text: str) -> str:
    for written, words in ENGLISH.items():
        if (parts := _parts(text, written.split("{}"))) is not None:
            return words.format(*parts)
    return text


@lru_cache(maxsize=2048)
def _in_chinese(text: str, depth: int) -> str:
    if depth > _DEEPEST or len(text) > _LONGEST or not text.strip():
        return text
    if text in _STATES and depth:
        return _STATES[text]
    for pieces, written in _KNOWN:
        if (parts := _parts(text, pieces)) is not None:
            return SENTENCES[written].format(*(_in_chinese(part, depth + 1) for part in parts))
    return _sentence_by_sentence(text, depth)


def _sentence_by_sentence(text: str, depth: int) -> str:
    """Return a list of sentences, or one behind whom it is about, as far as they are known; all of it as it is where none is."""
    for mark, written in (("; ", "；"), ("；", "；")):
        parts = text.split(mark)
        shown = [_in_chinese(part, depth + 1) for part in parts]
        if shown != parts:
            return written.join(shown)
    for mark in (": ", "："):
        who, found, rest = text.partition(mark)
        shown_who, shown_rest = (_in_chinese(part, depth + 1) for part in (who, rest))
        if found and (shown_who, shown_rest) != (who, rest):
            return f"{shown_who}：{shown_rest}"
    bare = text.rstrip(".。")
    return f"{shown_bare}。" if bare != text and (shown_bare := _in_chinese(bare, depth + 1)) != bare else text


def _parts(text: str, pieces: list[str]) -> list[str] | None:
    """Return what stands between the pieces of a sentence, None where the text is another one. Each piece is looked for once, left to
    right, so that no text takes long."""
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return [] if text == first else None
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return None
    at, end, parts = len(first), len(text) - len(last), list[str]()
    for piece in pieces[1:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return None
        parts.append(text[at:found])
        at = found + len(piece)
    return [*parts, text[at:end]]
