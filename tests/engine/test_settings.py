"""What settings refuse, and that they name the variable and never repeat what may be secret."""

import pytest

from engine.domain.errors import BadInput
from engine.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://desk.example", "https://desk.example"),
        ("HTTPS://Desk.Example:443/tribunal/", "https://desk.example"),
        ("http://localhost:8601", "http://localhost:8601"),
        (" https://[::1]:8443 ", "https://[::1]:8443"),
        ("", None),
    ],
)
def test_a_public_address_is_kept_as_its_origin(monkeypatch: pytest.MonkeyPatch, given: str, origin: str | None) -> None:
    monkeypatch.setenv("TRIBUNAL_PUBLIC_URL", given)
    assert load_settings().public_url == origin


@pytest.mark.parametrize(
    "given",
    ["desk.example", "https://", "ftp://desk.example", "https://me:canary@desk.example", "https://*.example", "https://desk.example:99999",
     "https://desk.example?canary=1", "https://desk example", "null", "https://desk.example:0"],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("TRIBUNAL_PUBLIC_URL", given)
    with pytest.raises(BadInput, match=r"setting TRIBUNAL_PUBLIC_URL: .*https://desk.example") as refused:
        load_settings()
    assert "canary" not in str(refused.value)
