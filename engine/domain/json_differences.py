"""Where two JSON values differ: for what is computed again and held against what is written."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LONGEST = 80


@dataclass(frozen=True)
class Difference:
    """One place. path: as in `reports.bull[0].text`, "" for the whole. written, found: what is on either side, None where a key is
    missing."""

    path: str
    written: Any
    found: Any


def differences(written: Any, found: Any, path: str = "", left_out: tuple[str, ...] = ()) -> Iterator[Difference]:
    """Yield every place in which two values differ, keys in the order of `found`. left_out: endings of keys that are not compared."""
    if isinstance(written, dict) and isinstance(found, dict):
        for key in [*found, *(key for key in written if key not in found)]:
            if not left_out or not key.endswith(left_out):
                yield from differences(written.get(key), found.get(key), f"{path}.{key}" if path else key, left_out)
    elif isinstance(written, list) and isinstance(found, list) and len(written) == len(found):
        for index, (one, other) in enumerate(zip(written, found, strict=True)):
            yield from differences(one, other, f"{path}[{index}]", left_out)
    elif written != found:
        yield Difference(path, written, found)


def shortened(value: object) -> str:
    """Return a value in one line of at most 80 characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
