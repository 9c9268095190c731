"""The instructions of a role within its question, and others in their place: those of a folder of files `NODE.LANGUAGE.txt`."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from engine.domain.errors import BadInput
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.reason import Reason

_ROLE_LINE: Final = re.compile(r"^Role: [^\n]+$", re.MULTILINE)

Replaced = Mapping[tuple[str, Language], str]
"""Node and language -> its instructions instead of the built-in ones."""


def instructions_of(system: str, user: str) -> str:
    """Return the instructions of a question: what begins with its last line `Role: NAME`, of the user message where that has one, else of
    the system message; all of that one where it has none either."""
    text = user if _ROLE_LINE.search(user) else system
    lines = list(_ROLE_LINE.finditer(text))
    return text[lines[-1].start() :] if lines else text


def instructed(system: str, user: str, text: str) -> tuple[str, str]:
    """Return the two messages of a question with other instructions, under the line that names the role where there is one."""
    old = instructions_of(system, user)
    line = _ROLE_LINE.match(old)
    named = text if line is None or _ROLE_LINE.search(text) else f"{line[0]}\n{text}"
    if _ROLE_LINE.search(user):
        return system, user.removesuffix(old) + named
    return system.removesuffix(old) + named, user


def read_instructions(folder: Path, nodes: Collection[str]) -> Replaced:
    """Return the instructions of a folder of files such as `judge.en.txt`. nodes: those there are. Raises BadInput for a folder without
    any, and for a file that names no node or cannot be read."""
    texts: dict[tuple[str, Language], str] = {}
    try:
        for path in sorted(folder.glob("*.txt")):
            node, _, named = path.stem.partition(".")
            language = next((each for each in LANGUAGES if each == named), None)
            if node not in nodes or language is None:
                raise BadInput(Reason("write_role_language_txt_with_role", path=path, nodes=", ".join(nodes)))
            texts[node, language] = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(Reason("prompts_in_cannot_be_read", folder=folder, problem=problem)) from None
    if not texts:
        raise BadInput(Reason("holds_no_prompts", folder=folder))
    return texts
