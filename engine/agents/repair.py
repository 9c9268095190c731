"""What is asked once more of an answer that cannot be used. Pure.

Where only the block is wrong, its text is kept: it goes back as the role's own words, the block alone is asked for, by schema where the
endpoint takes one, and the new one takes the place of the old. The block is the one that the question itself ends with. An answer that was
cut off, declined, or is no use for another reason is asked for as a whole.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from engine.domain.text.language import Language
from engine.domain.text.plain_json import read_object
from engine.llm.blocks import is_short, lines, plain, read_block
from engine.llm.protocol import AnswerSchema
from engine.llm.values import normal
from engine.prompts.paragraphs import REPAIR_BLOCK
from engine.prompts.render import render

_ENVELOPE: Final = re.compile(r"^<said by=.*?^</said>$", re.DOTALL | re.MULTILINE)
_PART: Final = re.compile(r"^\[(?P<heading>[^\[\]\n]{1,40})\][^\n]*\n(?P<lines>(?:[a-z][a-z_]+: [^\n]+(?:\n|\Z))+)", re.MULTILINE)
_CHOICE: Final = re.compile(r"<?([A-Z][A-Z_]+(?: ?[|/] ?[A-Z][A-Z_]+)+)>?")
_HEADING: Final = re.compile(r"[\s>#*_]*\[(?P<name>[^\[\]]{1,40})\][\s*_:]*(?:\([^()\n]*\))?\s*")


@dataclass(frozen=True)
class ClosingBlock:
    """The closing block of a role, as its prompt wants it. parts: heading -> the lines below it, (key, template)."""

    parts: Mapping[str, tuple[tuple[str, str], ...]]

    @property
    def keys(self) -> tuple[str, ...]:
        """All of its keys, in order."""
        return tuple(key for part in self.parts.values() for key, _ in part)

    def request(self, reason: str, language: Language) -> str:
        """Return the words that ask for it alone."""
        template = "\n\n".join("\n".join([f"[{name}]", *(f"{key}: {value}" for key, value in part)]) for name, part in self.parts.items())
        return render(REPAIR_BLOCK[language], reason=reason, block=template)

    def schema(self) -> AnswerSchema:
        """Return it as a JSON object: words of a list as such, a confidence as a number, anything else as it is written."""
        properties: dict[str, JsonValue] = {}
        for part in self.parts.values():
            for key, value in part:
                choice = _CHOICE.fullmatch(value)
                words: list[JsonValue] = [*re.split(r" ?[|/] ?", choice[1])] if choice else []
                properties[key] = {"type": "string", "enum": words} if words else {"type": "number" if key == "confidence" else "string"}
        required: list[JsonValue] = [*properties]
        shape: dict[str, JsonValue] = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return AnswerSchema("submit_block", "Hands in the block.", shape)

    def put_behind(self, prose: str, answer: str) -> str:
        """Return an answer's text with the block of another one. prose: the first answer, whose own block goes. answer: the second one."""
        stated = read_object(answer) or {}
        values = {key: str(stated[key]) for key in self.keys if stated.get(key) is not None} or read_block(answer, self.keys)
        written = [
            "\n".join([f"[{name}]", *(f"{key}: {' '.join(values[key].split())}" for key, _ in part if key in values)])
            for name, part in self.parts.items()
            if any(key in values for key, _ in part)
        ]
        return "\n\n".join(filter(None, [self.without(prose), *written]))

    def is_all_of(self, answer: str) -> bool:
        """Return whether an answer is the block, and nothing else."""
        return read_object(answer) is not None or not self.without(answer).strip("` \n")

    def without(self, text: str) -> str:
        """Return a text without the lines of the block, and without its headings."""
        kept, at = [], 0
        names = {normal(name).lower() for name in self.parts}
        for line in lines(plain(text), self.keys):
            heading = _HEADING.fullmatch(plain(text), line.start, line.end)
            of_block = line.entries and all(is_short(entry.value) for entry in line.entries)
            if of_block or (heading is not None and heading["name"].lower() in names):
                kept.append(text[at : line.start])
                at = line.end
        return re.sub(r"\n{3,}", "\n\n", "".join([*kept, text[at:]])).strip()


def block_of(prompt: str) -> ClosingBlock | None:
    """Return the block that a prompt asks for; None where it asks for none."""
    parts = {
        found["heading"]: tuple((key, value) for key, _, value in (line.partition(": ") for line in found["lines"].splitlines()))
        for found in _PART.finditer(_ENVELOPE.sub("", prompt))
    }
    return ClosingBlock(parts) if parts else None
