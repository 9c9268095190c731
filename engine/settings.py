"""Typed settings from the environment and `.env`. The README lists every one; a test holds that list to this file."""

import getpass
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BeforeValidator, Field, JsonValue, NonNegativeFloat, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.domain.alert import AlertTopic
from engine.domain.broker_capabilities import DEFAULT_BROKER
from engine.domain.errors import BadInput
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.risk import RiskConfig
from engine.domain.run import Correcting, ReaderMode
from engine.domain.similar import SimilarUse
from engine.domain.text.address import public_origin, service_address
from engine.domain.text.language import Language
from engine.domain.text.plain_json import TwiceTheSame, read_json
from engine.domain.text.reason import Reason
from engine.key_store import read_secret

_SOURCE_URLS = ("wikipedia_url", "openalex_url", "semantic_scholar_url", "tavily_url", "sec_edgar_url")
_LIMITS = ("run_tokens", "day_tokens", "run_cost", "day_cost", "two_sign_above")
ENV_FILE: Final = Path(".env")
KEYRING: Final = "TRIBUNAL_KEYRING"
"""The setting that names the secrets which the system's keyring keeps."""
Read = TypeVar("Read", bound="EnvironmentSettings")
RerankerName = Literal["bm25", "bge-reranker-large"]
UpDown = Literal["auto", "green-up", "red-up", "blue-up"]
Price = tuple[NonNegativeFloat, NonNegativeFloat] | tuple[NonNegativeFloat, NonNegativeFloat, NonNegativeFloat]
_USUAL_TOPICS: Final[tuple[AlertTopic, ...]] = ("waits", "no_stop")


def _topics(given: object) -> object:
    """Read `waits,halted`; what is left empty is as if it were not set."""
    return (given.replace(",", " ").split() or _USUAL_TOPICS) if isinstance(given, str) else given


AlertTopics = Annotated[tuple[AlertTopic, ...], BeforeValidator(_topics)]
_PLAIN: Final = re.compile(r"[\w./:,@%+=-]*")
_OF_THE_PROGRAM = {
    "model", "messages", "stream", "stream_options", "tools", "tool_choice", "response_format", "max_tokens", "max_completion_tokens", "n",
}  # fmt: skip


class EnvironmentSettings(BaseSettings):
    """Settings from the environment and `.env`. Names in the environment are the aliases, read without regard to case."""

    model_config = SettingsConfigDict(env_file=ENV_FILE, env_file_encoding="utf-8", extra="ignore", frozen=True, enable_decoding=False)

    keyring: str = Field(default="", alias=KEYRING)

    def __init__(self, **given: Any) -> None:
        """given: by field name or alias; wins over the environment. A model that accepts field names (`populate_by_name`) would read them
        from the environment too: `HOME`, `LANGUAGE`, `LIVE`."""
        super().__init__(**{self._alias_of(name): value for name, value in given.items()})

    @classmethod
    def _alias_of(cls, name: str) -> str:
        field = cls.model_fields.get(name)
        return str(field.alias) if field is not None else name

    @model_validator(mode="before")
    @classmethod
    def _from_keyring(cls, given: dict[str, object]) -> dict[str, object]:
        """Add the secrets that the keyring keeps; what the environment or `.env` says wins."""
        kept = str(given.get(KEYRING) or "").replace(",", " ").split()
        found = dict(given)
        for field in cls.model_fields.values():
            alias = str(field.alias)
            if alias in kept and field.annotation is SecretStr and alias not in given:
                found[alias] = read_secret(alias, ENV_FILE.parent) or ""
        return found

    def secrets(self) -> list[str]:
        """Return the values that may be in no message."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return [text for value in values if isinstance(value, SecretStr) and (text := value.get_secret_value().strip())]


class Settings(EnvironmentSettings):
    """Every setting of the process but for those that brokers read by themselves."""

    openai_api_key: SecretStr = Field(default=SecretStr(""), alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, alias="OPENAI_BASE_URL")
    model: str = Field(default="", alias="TRIBUNAL_MODEL")
    role_models: dict[str, str] = Field(default_factory=dict, alias="TRIBUNAL_ROLE_MODELS")
    temperature: float | None = Field(default=0.2, ge=0, le=2, alias="TRIBUNAL_TEMPERATURE")
    role_temperatures: dict[str, float] = Field(default_factory=dict, alias="TRIBUNAL_ROLE_TEMPERATURES")
    reasoning_effort: dict[str, str] = Field(default_factory=dict, alias="TRIBUNAL_REASONING_EFFORT")
    extra_body: dict[str, JsonValue] = Field(default_factory=dict, alias="TRIBUNAL_EXTRA_BODY")
    model_concurrency: int = Field(default=256, ge=1, alias="TRIBUNAL_MODEL_CONCURRENCY")
    call_deadline_s: float = Field(default=90.0, gt=0, allow_inf_nan=False, alias="TRIBUNAL_CALL_DEADLINE_S")
    max_tokens: int = Field(default=4_000, ge=1, alias="TRIBUNAL_MAX_TOKENS")
    run_deadline_s: float = Field(default=900.0, gt=0, allow_inf_nan=False, alias="TRIBUNAL_RUN_DEADLINE_S")
    run_tokens: int | None = Field(default=None, ge=1, alias="TRIBUNAL_RUN_TOKENS")
    day_tokens: int | None = Field(default=None, ge=1, alias="TRIBUNAL_DAY_TOKENS")
    run_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False, alias="TRIBUNAL_RUN_COST")
    day_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False, alias="TRIBUNAL_DAY_COST")
    prices: dict[str, Price] = Field(default_factory=dict, alias="TRIBUNAL_PRICES")
    correct: Correcting = Field(default="each_turn", alias="TRIBUNAL_CORRECT")
    vision: bool = Field(default=False, alias="TRIBUNAL_VISION")
    reader: ReaderMode | None = Field(default=None, alias="TRIBUNAL_READER")
    similar: SimilarUse = Field(default="shown", alias="TRIBUNAL_SIMILAR")
    weigh_honesty: bool = Field(default=False, alias="TRIBUNAL_WEIGH_HONESTY")
    pace: float = Field(default=1.0, ge=0, allow_inf_nan=False, alias="TRIBUNAL_PACE")

    feed: FeedName = Field(default="simulated", alias="TRIBUNAL_FEED")
    data_dir: Path | None = Field(default=None, alias="TRIBUNAL_DATA_DIR")
    exchange: str = Field(default="binanceusdm", alias="TRIBUNAL_EXCHANGE")
    exchange_url: str | None = Field(default=None, alias="TRIBUNAL_EXCHANGE_URL")

    broker: BrokerName = Field(default=DEFAULT_BROKER, alias="TRIBUNAL_BROKER")
    live: Literal["no", "yes"] = Field(default="no", alias="TRIBUNAL_LIVE")
    approval: Literal["manual", "automatic"] = Field(default="manual", alias="TRIBUNAL_APPROVAL")
    proposal_minutes: float = Field(default=15.0, gt=0, le=10_080, allow_inf_nan=False, alias="TRIBUNAL_PROPOSAL_MINUTES")
    two_sign_above: float | None = Field(default=None, gt=0, allow_inf_nan=False, alias="TRIBUNAL_TWO_SIGN_ABOVE")
    operator: str = Field(default="", max_length=80, alias="TRIBUNAL_OPERATOR")
    alerts: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_ALERTS")
    alerts_when: AlertTopics = Field(default=_USUAL_TOPICS, alias="TRIBUNAL_ALERTS_WHEN")

    tavily_api_key: SecretStr = Field(default=SecretStr(""), alias="TAVILY_API_KEY")
    openalex_api_key: SecretStr = Field(default=SecretStr(""), alias="OPENALEX_API_KEY")
    semantic_scholar_api_key: SecretStr = Field(default=SecretStr(""), alias="SEMANTIC_SCHOLAR_API_KEY")
    wikipedia_url: str | None = Field(default=None, alias="TRIBUNAL_WIKIPEDIA_URL")
    openalex_url: str | None = Field(default=None, alias="TRIBUNAL_OPENALEX_URL")
    semantic_scholar_url: str | None = Field(default=None, alias="TRIBUNAL_SEMANTIC_SCHOLAR_URL")
    tavily_url: str | None = Field(default=None, alias="TRIBUNAL_TAVILY_URL")
    sec_edgar_url: str | None = Field(default=None, alias="TRIBUNAL_SEC_EDGAR_URL")
    library_dir: Path | None = Field(default=None, alias="TRIBUNAL_LIBRARY_DIR")
    download_mb: float = Field(default=25.0, gt=0, le=1_000, allow_inf_nan=False, alias="TRIBUNAL_DOWNLOAD_MB")
    reranker: RerankerName = Field(default="bm25", alias="TRIBUNAL_RERANKER")
    rerank_threshold: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, alias="TRIBUNAL_RERANK_THRESHOLD")
    rerank_top_n: int = Field(default=20, ge=1, le=200, alias="TRIBUNAL_RERANK_TOP_N")
    contact: str = Field(default="", max_length=200, alias="TRIBUNAL_CONTACT")
    mcp_servers: Path | None = Field(default=None, alias="TRIBUNAL_MCP_SERVERS")

    lease_s: float = Field(default=30.0, ge=1, le=86_400, allow_inf_nan=False, alias="TRIBUNAL_LEASE_S")
    home: Path = Field(default=Path(".tribunal"), alias="TRIBUNAL_HOME")
    database_url: str | None = Field(default=None, alias="TRIBUNAL_DATABASE_URL")
    language: Language = Field(default="en", alias="TRIBUNAL_LANGUAGE")
    up_down: UpDown = Field(default="auto", alias="TRIBUNAL_UP_DOWN")
    public_url: str | None = Field(default=None, alias="TRIBUNAL_PUBLIC_URL")
    log: Literal["plain", "json"] = Field(default="plain", alias="TRIBUNAL_LOG")
    risk: RiskConfig = Field(default_factory=RiskConfig, alias="TRIBUNAL_RISK")

    @field_validator(
        "openai_base_url", "exchange_url", "database_url", "public_url", "data_dir", "temperature", "mcp_servers", "library_dir", "reader",
        "rerank_threshold",
        *_SOURCE_URLS, *_LIMITS, mode="before",
    )  # fmt: skip
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("reasoning_effort", mode="before")
    @classmethod
    def _as_efforts(cls, value: object) -> object:
        """Read one word as that of all roles."""
        if not isinstance(value, str) or value.lstrip().startswith("{"):
            return _from_json(value)
        return {"*": value.strip()} if value.strip() else {}

    @field_validator("extra_body")
    @classmethod
    def _not_ours(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(value.keys() & _OF_THE_PROGRAM):
            raise ValueError(f"{taken[0]} is set by the program")
        return value

    @field_validator("role_models", "role_temperatures", "prices", "risk", "extra_body", mode="before")
    @classmethod
    def _as_json(cls, value: object) -> object:
        return _from_json(value)

    @field_validator("public_url")
    @classmethod
    def _as_origin(cls, value: str | None) -> str | None:
        return None if value is None else public_origin(value)

    @field_validator(*_SOURCE_URLS)
    @classmethod
    def _as_base(cls, value: str | None) -> str | None:
        return None if value is None else service_address(value)

    @property
    def default_model(self) -> str:
        """The model of a request that names none: `scripted` when there is neither a name nor a key."""
        if self.model:
            return self.model
        return "gpt-4o-mini" if self.openai_api_key.get_secret_value() else "scripted"

    def reader_of(self, model: str) -> ReaderMode:
        """Return by whom claims are struck in a request for a model that does not say so: by a second reader where one can be asked."""
        return self.reader or ("rules" if model == "scripted" else "confirmed")

    @property
    def operator_name(self) -> str:
        """Who signs if no one has logged in: `TRIBUNAL_OPERATOR`, else the name of the system's user."""
        return " ".join(self.operator.split()) or _system_user()

    @property
    def default_feed(self) -> FeedName:
        """The feed of a request that names none: a data folder alone is enough to mean recorded candles."""
        explicit = "feed" in self.model_fields_set
        return "recorded" if self.data_dir is not None and not explicit else self.feed


def _from_json(value: object) -> object:
    """Return what a text of JSON says; what is no text, as it is. Raises ValueError."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except (TwiceTheSame, RecursionError) as problem:
        raise ValueError(problem) from None
    except ValueError:  # its words quote what it cannot read
        raise ValueError('write JSON, such as {"name": 1}') from None


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "operator"


def load_settings(**overrides: object) -> Settings:
    """Return settings of this process. Raises BadInput naming the variable and what is wrong with it, never its value."""
    return load(Settings, **overrides)


def load(kind: type[Read], **overrides: object) -> Read:
    """Return settings of a kind. Raises BadInput as `load_settings` does."""
    try:
        return kind(**overrides)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise BadInput(
            Reason("setting_is_wrong", str=".".join(map(str, first["loc"])), value=first["msg"].removeprefix("Value error, "))
        ) from None
    except ValueError as problem:  # a file of settings that is no text
        raise BadInput(Reason("settings_cannot_be_read", problem=problem)) from None


def set_outside(name: str) -> bool:
    """Return whether the environment that the program was started in sets a variable."""
    return name.upper() in {each.upper() for each in os.environ}


def write_settings(values: Mapping[str, str | None], path: Path) -> None:
    """Write settings into the file that the next start reads, closed to other users: lines of the same name are replaced, and taken out
    for None. Raises BadInput."""
    names = re.compile(rf"^\s*(?:export\s+)?(?:{'|'.join(map(re.escape, values))})\s*=", re.IGNORECASE)
    try:
        target = path.resolve()
        old = target.read_text(encoding="utf-8").splitlines() if target.exists() else []
        kept = [line for line in old if names.match(line) is None] if values else old
        added = [f"{name}={_quoted(name, value)}" for name, value in values.items() if value is not None]
        waiting = target.with_name(f"{target.name}.{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write("\n".join([*kept, *added]) + "\n")
            waiting.replace(target)
        finally:
            waiting.unlink(missing_ok=True)
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(Reason("cannot_be_written", path=path, problem=problem)) from None


def _quoted(name: str, value: str) -> str:
    """Return a value as `.env` has it. Raises BadInput for one that it cannot hold."""
    if "${" in value or not value.isprintable():
        raise BadInput(Reason("value_cannot_be_kept", name=name))
    return value if _PLAIN.fullmatch(value) else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
