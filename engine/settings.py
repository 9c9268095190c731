"""Typed settings from the environment and `.env`. The README lists every one; a test holds that list to this file."""

import getpass
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, JsonValue, NonNegativeFloat, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.domain.errors import BadInput
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.risk import RiskConfig
from engine.domain.run import Correcting, ReaderMode
from engine.domain.text.address import public_origin, service_address
from engine.domain.text.language import Language
from engine.domain.text.plain_json import TwiceTheSame, read_json

_SOURCE_URLS = ("wikipedia_url", "openalex_url", "semantic_scholar_url", "tavily_url", "sec_edgar_url")
_LIMITS = ("run_tokens", "day_tokens", "run_cost", "day_cost", "two_sign_above")
ENV_FILE: Final = Path(".env")
RerankerName = Literal["embedded", "bm25", "bge-reranker-large"]
UpDown = Literal["auto", "green-up", "red-up", "blue-up"]
Price = tuple[NonNegativeFloat, NonNegativeFloat] | tuple[NonNegativeFloat, NonNegativeFloat, NonNegativeFloat]
_OF_THE_PROGRAM = {
    "model", "messages", "stream", "stream_options", "tools", "tool_choice", "response_format", "max_tokens", "max_completion_tokens", "n",
}  # fmt: skip


class Settings(BaseSettings):
    """Every setting of the process. Names in the environment are the aliases, read without regard to case."""

    model_config = SettingsConfigDict(
        env_file=ENV_FILE, env_file_encoding="utf-8", extra="ignore", frozen=True, populate_by_name=True, enable_decoding=False
    )

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
    tags: bool = Field(default=False, alias="TRIBUNAL_TAGS")
    pace: float = Field(default=1.0, ge=0, allow_inf_nan=False, alias="TRIBUNAL_PACE")

    feed: FeedName = Field(default="simulated", alias="TRIBUNAL_FEED")
    data_dir: Path | None = Field(default=None, alias="TRIBUNAL_DATA_DIR")
    exchange: str = Field(default="binanceusdm", alias="TRIBUNAL_EXCHANGE")
    exchange_url: str | None = Field(default=None, alias="TRIBUNAL_EXCHANGE_URL")

    broker: BrokerName = Field(default="paper", alias="TRIBUNAL_BROKER")
    api_key: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_API_KEY")
    api_secret: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_API_SECRET")
    api_password: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_API_PASSWORD")
    live: Literal["no", "yes"] = Field(default="no", alias="TRIBUNAL_LIVE")
    approval: Literal["manual", "automatic"] = Field(default="manual", alias="TRIBUNAL_APPROVAL")
    proposal_minutes: float = Field(default=15.0, gt=0, le=10_080, allow_inf_nan=False, alias="TRIBUNAL_PROPOSAL_MINUTES")
    two_sign_above: float | None = Field(default=None, gt=0, allow_inf_nan=False, alias="TRIBUNAL_TWO_SIGN_ABOVE")
    operator: str = Field(default="", max_length=80, alias="TRIBUNAL_OPERATOR")

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
    reranker: RerankerName = Field(default="embedded", alias="TRIBUNAL_RERANKER")
    contact: str = Field(default="", max_length=200, alias="TRIBUNAL_CONTACT")
    search_cache_h: float = Field(default=12.0, ge=0, le=8_760, allow_inf_nan=False, alias="TRIBUNAL_SEARCH_CACHE_H")
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
        """Who signs where nobody has logged in: `TRIBUNAL_OPERATOR`, else the name of the system's user."""
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
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise BadInput(f"setting {'.'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}") from None
    except ValueError as problem:  # a file of settings that is no text
        raise BadInput(f"settings cannot be read: {problem}") from None


def write_settings(values: Mapping[str, str], path: Path) -> None:
    """Write settings into the file that the next start reads: lines of the same name are replaced. Raises BadInput."""
    names = re.compile(rf"^\s*(?:export\s+)?(?:{'|'.join(map(re.escape, values))})\s*=", re.IGNORECASE)
    try:
        old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        kept = [line for line in old if names.match(line) is None] if values else old
        path.write_text("\n".join([*kept, *(f"{name}={value}" for name, value in values.items())]) + "\n", encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"{path} cannot be written: {problem}") from None
