"""What a provider says is shown without what must stay secret."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.llm.endpoint_errors import ErrorMessages, retry_after, without_credentials

KEYS = st.text(alphabet=string.ascii_letters + string.digits + "-_", min_size=12, max_size=80)


@pytest.mark.full
@given(KEYS, st.text(max_size=200), st.text(max_size=200), st.integers(0, 70), st.integers(8, 80))
def test_no_part_of_the_key_that_could_be_told_is_shown(key: str, before: str, after: str, start: int, length: int) -> None:
    words = ErrorMessages("m", "https://api.example.com/v1", key)
    shown = words.line(f"{before}{key[start : start + length]}{after} {key}")
    assert not any(key[at : at + 8] in shown for at in range(len(key) - 7))
    assert len(shown) <= 300
    assert shown.isprintable()


def test_what_looks_like_a_key_is_hidden_and_the_rest_is_not() -> None:
    words = ErrorMessages("gpt", "https://api.example.com/v1", "")
    assert (
        words.bare("Incorrect API key provided: sk-proj-abc***wxyz. See\n\x1b[1mhelp\u202e")
        == "Incorrect API key provided: [hidden] See [1mhelp"
    )
    assert words.bare("Authorization: Bearer abc.def was refused") == "Authorization: [hidden] was refused"
    assert words.bare("the model `gpt-9` does not exist") == "the model `gpt-9` does not exist"


def test_addresses_are_shown_without_credentials() -> None:
    assert without_credentials("https://user:pass@host:8080/v1?key=1#x") == "https://host:8080/v1"
    assert without_credentials("http://[::1]:9/v1") == "http://[::1]:9/v1"
    assert without_credentials("http://host:port") == "?"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
