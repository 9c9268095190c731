"""What a tool's answer holds, out of the message that langchain-mcp-adapters makes of it: strict JSON, or text."""

import json
import logging
import math
import re
from typing import TYPE_CHECKING, Any, Final

from pydantic import JsonValue

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason, bounded, mapped
from engine.domain.text.visible import visible

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage

MOST_CHARACTERS: Final = 4_000_000
_DEEPEST: Final = 40
_LONGEST_REASON: Final = 400
_OF_A_SCHEMA: Final = re.compile(
    r"validation errors? for |\[type=\w+|input_value=|errors\.pydantic\.dev|^input validation error|is a required property|is not of type ",
    re.IGNORECASE,
)
"""What pydantic and JSON schemas say of arguments: of use to the server's author."""
_FIELD: Final = re.compile(r"validation errors? for \S+ ([A-Za-z_][\w.]{0,60}) |'([A-Za-z_]\w{0,60})' is a required property")
_LOG: Final = logging.getLogger("engine.search")


def answer_of(name: str, message: "ToolMessage") -> JsonValue:
    """Return the answer: what the server gives as structured, else the JSON in its text, else the text; of several blocks a list.

    Raises SearchError with the tool's own reason where it failed, in plain words where that is a schema's, and for an answer that is too
    large.
    """
    texts = _texts(message.content)
    if message.status == "error":
        if (reason := _reason(message.content)) is not None:
            raise SearchError(bounded(reason, _LONGEST_REASON))
        said = " ".join(" ".join(texts).split()).removeprefix(f"Error executing tool {name}: ")
        if _OF_A_SCHEMA.search(said):
            _LOG.warning("%s refused its arguments: %s", name, said)
            field = _FIELD.search(said)
            about = f" ({field[1] or field[2]})" if field else ""
            raise SearchError(Reason("does_not_accept_what_it_was_asked", name=name, about=about))
        raise SearchError(bounded(said or Reason("failed_without_reason", name=name), _LONGEST_REASON))
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise SearchError(Reason("answered_with_more_than_characters", name=name, most_characters=f"{MOST_CHARACTERS:,}"))
    artifact = message.artifact
    structured = artifact.get("structured_content") if isinstance(artifact, dict) else None
    if structured is not None:
        plain = strict(structured)
        if len(json.dumps(plain)) > MOST_CHARACTERS:
            raise SearchError(Reason("answered_with_more_than_characters", name=name, most_characters=f"{MOST_CHARACTERS:,}"))
        return plain
    answers = [parsed(text) for text in texts]
    return answers[0] if len(answers) == 1 else answers


def _reason(content: object) -> Reason | None:
    """Return the reason that a server of ours gives beside its words; None for another server's text. Its key and values have to make the
    same words, so that no server can pass its text off as one of ours."""
    *words, last = "\n".join(_texts(content)).split("\n")
    try:
        given = Reason.read(json.loads(last))
        made = mapped(given, str) if isinstance(given, Reason) else None
    except (ValueError, KeyError, IndexError, RecursionError):
        return None
    return made if isinstance(made, Reason) and made == " ".join(words) else None


def parsed(text: str) -> JsonValue:
    """Return the JSON in a text, the text itself where it is none."""
    try:
        return strict(json.loads(text))
    except (ValueError, RecursionError):
        return visible(text)


def strict(value: Any, depth: int = 0) -> JsonValue:
    """Return a value as strict JSON: what JSON has no number for becomes null, what is too deep its words."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict) and depth < _DEEPEST:
        return {visible(str(key)): strict(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return [strict(each, depth + 1) for each in value]
    return visible(value if isinstance(value, str) else str(value)[:_LONGEST_REASON])


def _texts(content: Any) -> list[str]:
    """Return the texts of content blocks; pictures and files have none."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else [content]
    return [each if isinstance(each, str) else str(each["text"]) for each in blocks if isinstance(each, str) or "text" in each]
