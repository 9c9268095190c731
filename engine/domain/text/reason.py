"""A reason: why something failed, was refused, was held back or is worth a warning. A key with values, and the words for it.

    problem = Reason("run_is_not_known", run_id="r-1")
    str(problem)            "run r-1 is not known"
    problem.said_in("zh")   "没有运行 r-1"

The words are in `reasons/*.toml`, with the same placeholders in each language.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Self

from pydantic import BeforeValidator, PlainSerializer, WrapValidator

from engine.domain.text.address import without_passwords
from engine.domain.text.language import Language
from engine.domain.text.visible import one_line
from engine.domain.text.word_files import Pair, read_pairs

ROOMS: Final = (
    *("shared", "decision", "equities", "research", "runs", "models", "markets", "trading", "venues", "limits", "connections"),
    "benchmark",
    "replay",
)
_FOLDER: Final = Path(__file__).parent / "reasons"
_BETWEEN: Final[Mapping[Language, str]] = {"en": "; ", "zh": "；"}
_FIELDS: Final = {"text", "key", "values"}
_NUMBERS: Final = frozenset((float, int, bool, type(None)))
_PLAIN: Final = _NUMBERS | {str}
"""Types whose values hold no reason. Most of a run's inputs are numbers: they are passed over without a call each."""


@cache
def catalogue() -> Mapping[str, Pair]:
    """Return key -> the words in both languages."""
    return read_pairs(_FOLDER, *ROOMS)


@cache
def _terms() -> Mapping[str, Pair]:
    """Return what the program itself calls states, sides and levels, where one of them is a value."""
    return read_pairs(_FOLDER, "terms")


class Reason(str):
    """A sentence that keeps its key and its values. It is the text in one language, and can be said in the other one.

    Values are numbers, words, other reasons, or several of them. Words are kept on one visible line without passwords.
    """

    __slots__ = ("key", "values")
    key: str
    values: Mapping[str, Any]

    def __new__(cls, key: str, /, **values: object) -> Self:
        """Make the reason in English. Raises KeyError for a key that does not exist and for a value that is missing."""
        kept = {name: _kept(value) for name, value in values.items()}
        return cls._made(_words(key, kept, "en"), key, kept)

    @classmethod
    def _made(cls, text: str, key: str, values: Mapping[str, Any]) -> Self:
        made = str.__new__(cls, text)
        made.key, made.values = key, MappingProxyType(dict(values))
        return made

    @classmethod
    def listed(cls, reasons: Iterable[str]) -> str:
        """Return several reasons as one."""
        several = tuple(reasons)
        return several[0] if len(several) == 1 else cls("several", reasons=several) if several else ""

    @classmethod
    def read(cls, written: Any) -> Any:
        """Return the reason that `to_json` wrote; anything else as it is."""
        if not isinstance(written, Mapping) or written.keys() != _FIELDS:
            return written
        text, key, values = written["text"], written["key"], written["values"]
        if not (isinstance(text, str) and isinstance(key, str) and isinstance(values, Mapping)):
            return written
        return cls._made(text, key, {str(name): _read(value) for name, value in values.items()})

    def to_json(self) -> dict[str, Any]:
        """Return the text, the key and the values as JSON."""
        return {"text": str.__str__(self), "key": self.key, "values": {name: _written(value) for name, value in self.values.items()}}

    def said_in(self, language: Language, words: Pair | None = None) -> Self:
        """Return the same reason in a language; one that this version has no words for stays as it was written. words: in place of those
        of the catalogue."""
        try:
            return self._made(_words(self.key, self.values, language, words), self.key, self.values)
        except (KeyError, IndexError):
            return self

    def __str__(self) -> str:
        """Return the reason itself, so that `str(error)` keeps the key."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copies and pickles."""
        return type(self)._made, (str.__str__(self), self.key, dict(self.values))


def said_in(text: str, language: Language) -> str:
    """Return a reason in a language; a text without a key as it is."""
    return text.said_in(language) if isinstance(text, Reason) else text


def mapped(text: str, change: Callable[[str], str]) -> str:
    """Return a text after a change to its words; of a reason, to every word among its values, so that it keeps its key."""
    if not isinstance(text, Reason):
        return change(text)
    values = {name: _mapped(value, change) for name, value in text.values.items()}
    return Reason(text.key, **values)


def bounded(text: str, most: int) -> str:
    """Return the beginning of a text, at most `most` characters; of a reason, with its longest words cut."""
    if len(text) <= most or not isinstance(text, Reason):
        return text[:most] if len(text) > most else text
    for longest in (200, 100, 60, 30, 12):
        if len(cut := mapped(text, lambda words, longest=longest: words[:longest])) <= most:  # type: ignore[misc]
            return cut
    return text[:most]


def printed(value: Any) -> Any:
    """Return JSON with every reason in it as its text."""
    if type(value) in _PLAIN:
        return value
    read = Reason.read(value)
    if isinstance(read, str):
        return str.__str__(read)
    if isinstance(value, Mapping):
        return {key: printed(each) for key, each in value.items()}
    return [each if type(each) in _PLAIN else printed(each) for each in value] if isinstance(value, list | tuple) else value


def as_column(text: str | None) -> str | None:
    """Return a text for a column: a reason as its JSON."""
    return json.dumps(text.to_json(), ensure_ascii=False) if isinstance(text, Reason) else text


def from_column(column: str | None) -> str | None:
    """Return what `as_column` gave."""
    if column is None or not column.startswith('{"text": '):
        return column
    try:
        found = Reason.read(json.loads(column))
    except ValueError:
        return column
    return found if isinstance(found, str) else column


def stored(value: Any) -> Any:
    """Return JSON with every reason in it as its text, key and values."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Reason):
        return value.to_json()
    if isinstance(value, Mapping):
        return {key: stored(each) for key, each in value.items()}
    return [each if type(each) in _PLAIN else stored(each) for each in value] if isinstance(value, list | tuple) else value


def reasons_in(value: Any) -> Iterator[Reason]:
    """Yield every reason that is in JSON, written or not; those within another reason are a part of it."""
    if type(value) in _PLAIN:
        return
    found = Reason.read(value)
    if isinstance(found, Reason):
        yield found
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from reasons_in(each)


def with_reasons(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a final state as it is kept: texts where reasons stood, and `reasons` beside them, each with its text, key and values."""
    found = {str.__str__(each): each.to_json() for each in reasons_in(state)}
    return {**printed(state), "reasons": list(found.values())}


def keyed(state: Mapping[str, Any], text: str) -> str:
    """Return a text of a final state with its key and values, as far as `reasons` has them."""
    return next((found for each in state.get("reasons") or () if (found := Reason.read(each)) == text), text)


def reread(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `with_reasons` was given: each text that is one of its `reasons`, in words of either language, is that reason."""
    known: dict[str, Reason] = {}
    for each in map(Reason.read, document.get("reasons") or ()):
        if isinstance(each, Reason) and each in {each.said_in("en"), each.said_in("zh")}:
            known[str.__str__(each)] = each
    return {key: _reread(value, known) for key, value in document.items() if key != "reasons"}


def _reread(value: Any, known: Mapping[str, Reason]) -> Any:
    if isinstance(value, Mapping):
        return {key: _reread(each, known) for key, each in value.items()}
    if isinstance(value, list):
        return [each if type(each) in _NUMBERS else _reread(each, known) for each in value]
    return known.get(value, value) if type(value) is str else value


def parts_of(text: str) -> tuple[str, ...]:
    """Return the reasons that `Reason.listed` made one of."""
    return text.values["reasons"] if isinstance(text, Reason) and text.key == "several" else (text,) if text else ()


def within(text: str) -> Iterator[Reason]:
    """Yield a reason and every one within it; nothing for a text without a key."""
    if isinstance(text, Reason):
        yield text
        for value in text.values.values():
            for each in value if isinstance(value, tuple) else (value,):
                yield from within(each)


def holds(text: str, part: str) -> bool:
    """Return whether a text is another one or says it within, in whichever language."""
    if isinstance(text, Reason) and isinstance(part, Reason):
        return any((each.key, each.values) == (part.key, part.values) for each in within(text))
    return part in text


def _words(key: str, values: Mapping[str, Any], language: Language, words: Pair | None = None) -> str:
    text = (words or catalogue()[key])[language == "zh"]
    return text.format(**{name: _said(value, language) for name, value in values.items()})


def _said(value: Any, language: Language) -> str:
    if isinstance(value, tuple):
        return _BETWEEN[language].join(_said(each, language) for each in value)
    if isinstance(value, str) and not isinstance(value, Reason) and value in _terms():
        return _terms()[value][language == "zh"]
    return str(said_in(value, language)) if isinstance(value, str) else str(value)


def _kept(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_kept(each) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    text = str(value)
    return text if isinstance(text, Reason) else one_line(without_passwords(text))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_mapped(each, change) for each in value)
    return mapped(value, change) if isinstance(value, str) else value


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_written(each) for each in value]
    return value.to_json() if isinstance(value, Reason) else value


def _read(value: Any) -> Any:
    return tuple(_read(each) for each in value) if isinstance(value, list) else Reason.read(value)


def _whole(value: Any, handler: Any) -> Any:
    return value if isinstance(value, Reason) else handler(value)


def _json(value: str) -> Any:
    return value.to_json() if isinstance(value, Reason) else value


Said = Annotated[str, WrapValidator(_whole), BeforeValidator(Reason.read), PlainSerializer(_json, when_used="json")]
"""A text of a model that may be a reason: its JSON keeps key and values beside the text."""
