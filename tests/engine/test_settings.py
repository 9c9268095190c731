"""What settings refuse, and that they name the variable and never repeat what may be secret."""

from pathlib import Path

import pytest

from engine.brokers.ccxt.settings import ExchangeSettings
from engine.brokers.paper.settings import PaperSettings
from engine.domain.errors import BadInput
from engine.settings import Settings, load, load_settings


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://desk.example", "https://desk.example"),
        ("HTTPS://Desk.Example:443/tribunal/", "https://desk.example"),
        ("http://localhost:8601", "http://localhost:8601"),
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


def test_only_our_own_names_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = {name: str(field.alias) for kind in (Settings, ExchangeSettings, PaperSettings) for name, field in kind.model_fields.items()}
    others = [name for name, alias in names.items() if name.upper() != alias]
    for alias in names.values():
        monkeypatch.delenv(alias, raising=False)
    for name in others:
        monkeypatch.setenv(name.upper(), "yes")  # HOME, LANGUAGE, LIVE
    (tmp_path / ".env").write_text("".join(f"{name}=yes\n" for name in others))
    for kind in (Settings, ExchangeSettings, PaperSettings):
        assert load(kind, _env_file=tmp_path / ".env").model_fields_set == set()


@pytest.mark.parametrize("name", ["TRIBUNAL_RISK", "TRIBUNAL_PRICES", "TRIBUNAL_ROLE_MODELS", "TRIBUNAL_ROLE_TEMPERATURES"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('{"max_leverage": 3, "max_leverage": 100}', "the key 'max_leverage' appears twice"),
        ('{"max_leverage": 3', "write JSON"),
        ("", "write JSON"),
    ],
)
def test_json_in_a_setting_is_read_strictly(monkeypatch: pytest.MonkeyPatch, name: str, given: str, said: str) -> None:
    monkeypatch.setenv(name, given)
    with pytest.raises(BadInput, match=f"setting {name}: .*({said})"):
        load_settings()


@pytest.mark.parametrize("given", ["1e308", "nan", "0", "86401"])
def test_a_lease_is_from_a_second_to_a_day(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("TRIBUNAL_LEASE_S", given)
    with pytest.raises(BadInput, match="setting TRIBUNAL_LEASE_S: Input should be"):
        load_settings()


def test_json_in_settings_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_RISK", '{"max_leverage": 3}')
    monkeypatch.setenv("TRIBUNAL_PRICES", '{"m": [0.1, 2]}')
    found = load_settings()
    assert (found.risk.max_leverage, found.prices) == (3, {"m": (0.1, 2.0)})
