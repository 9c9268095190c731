"""Which prompts roles were asked with: a version for every node, and one hash of them all.

A version names templates: paragraphs, closing blocks, keys of facts and tables in one language, never what is filled in. It is the same in
every process and on every machine, and another one as soon as a word is. Nothing here knows a desk: each lists its own templates.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any, Final

from engine.domain.text.language import LANGUAGES, Language

TABLES: Final = "tables"
"""Beside the nodes: the table that claims are read with."""
_DIGITS: Final = 16

Templates = Mapping[str, Sequence[str]]
"""Node, or `TABLES` -> everything that it is asked with whatever the inputs are, in one language."""


def versions_of(templates: Templates, replaced: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return node -> the version of its prompt, 16 hexadecimal digits. replaced: node -> instructions that take the place of its own."""
    given = {node: [text] for node, text in (replaced or {}).items() if node in templates}
    return {node: _digest([*parts, *given.get(node, ())])[:_DIGITS] for node, parts in templates.items()}


def prompts_hash(versions: Mapping[str, str]) -> str:
    """Return the name of all prompts together, `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{_digest(dict(versions))}"


def paragraphs_of(module: ModuleType, language: Language, without: Collection[str] = ()) -> tuple[str, ...]:
    """Return the bilingual constants of a module in one language, in the order of their names. without: keys of constants that hold texts
    of several roles or paths, and of which these are left out."""
    constants = sorted((name, value) for name, value in vars(module).items() if name.isupper() and isinstance(value, Mapping | tuple))
    return tuple(text for _, value in constants for text in _texts(value, language, without))


def written_out(value: Any) -> str:
    """Return a table as text: equal tables have an equal one in every process."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def _texts(value: object, language: Language, without: Collection[str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        if value.keys() == set(LANGUAGES):
            yield from _strings(value[language])
            return
        for key, each in value.items():
            if key not in without:
                yield from _texts(each, language, without)
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each, language, without)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield str(key)
            yield from _strings(each)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.repr}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, AnySet):
        return sorted(str(_plain(each)) for each in value)
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
