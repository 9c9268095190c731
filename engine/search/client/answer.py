"""What a tool's answer holds, out of the message that langchain-mcp-adapters makes of it: strict JSON, or text."""

import json
import math
from typing import TYPE_CHECKING, Any, Final

from pydantic import JsonValue

from engine.domain.errors import SearchError
from engine.domain.text.visible import visible

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage

MOST_CHARACTERS: Final = 4_000_000
_DEEPEST: Final = 40
_LONGEST_REASON: Final = 400


def answer_of(name: str, message: "ToolMessage") -> JsonValue:
    """Return the answer: what the server gives as structured, else the JSON in its text, else the text; of several blocks a list.

    Raises SearchError with the tool's own reason where it failed, and for an answer that is too large.
    """
    texts = _texts(message.content)
    if message.status == "error":
        said = " ".join(" ".join(texts).split()).removeprefix(f"Error executing tool {name}: ")
        raise SearchError((said or f"{name} failed without a reason")[:_LONGEST_REASON])
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise SearchError(f"{name} answered with more than {MOST_CHARACTERS:,} characters")
    artifact = message.artifact
    structured = artifact.get("structured_content") if isinstance(artifact, dict) else None
    if structured is not None:
        plain = strict(structured)
        if len(json.dumps(plain)) > MOST_CHARACTERS:
            raise SearchError(f"{name} answered with more than {MOST_CHARACTERS:,} characters")
        return plain
    answers = [parsed(text) for text in texts]
    return answers[0] if len(answers) == 1 else answers


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
