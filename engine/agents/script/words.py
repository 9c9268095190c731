"""The words of a script in one language, by key: a text is one wording, or several with a line for each."""

from collections.abc import Iterator, Mapping


class Words(Mapping[str, tuple[str, ...]]):
    """Key -> its wordings. texts: as a word file holds them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._wordings = {key: tuple(text.removesuffix("\n").split("\n")) for key, text in texts.items()}

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return self._wordings[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._wordings)

    def __len__(self) -> int:
        return len(self._wordings)

    def text(self, key: str, default: str | None = None) -> str:
        """Return the first wording of a key; `default` for an unknown key where one is given. Raises KeyError."""
        if default is not None and key not in self._wordings:
            return default
        return self._wordings[key][0]
