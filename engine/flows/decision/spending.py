"""What roles cost, added up from their own records in the state."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.domain.opinion import Usage


def usages(records: Iterable[Mapping[str, Any] | None]) -> list[Usage]:
    """Return the usage inside reports, arguments and verdicts; those without one are left out."""
    return [Usage.model_validate(record["usage"]) for record in records if record and record.get("usage")]


def token_usage(spent: Iterable[Usage]) -> dict[str, int]:
    """Return the specification's token dictionary."""
    items = list(spent)
    prompt, completion = sum(item.prompt_tokens for item in items), sum(item.completion_tokens for item in items)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total": prompt + completion}
