"""What a program is connected with, and what was found out about it: servers of models, a test of a model, an account, what a run costs."""

from typing import Final, Literal

from pydantic import AwareDatetime, Field

from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.frozen_model import FrozenModel

DEFAULT_ADDRESS: Final = "https://api.openai.com/v1"
"""Where models are asked when no other endpoint is set."""
ServerState = Literal["answers", "no_models", "key_refused", "not_reached"]
"""no_models: something answers, and not with a list of models."""
ModelState = Literal["works", "useless", "key_refused", "not_reached", "refused"]
"""useless: it answers, and no role could use the answers. refused: the endpoint does not take the question, as for a model that it lists
and does not have."""


TEST_STEPS: Final = 3
"""Of a test of a model: a short question, a long one, and those of `check`."""


class ListedModel(FrozenModel):
    """One model that a server lists. context: tokens that it reads at once, None where the server does not say. speaks: whether it writes
    text, by its name."""

    name: str
    context: int | None = None
    speaks: bool = True


class FoundServer(FrozenModel):
    """What answers at an address. kind: what was expected there. words: the server's own, without secrets."""

    kind: str
    address: str
    state: ServerState
    words: str = ""
    models: tuple[ListedModel, ...] = ()

    @property
    def speakers(self) -> tuple[ListedModel, ...]:
        """The models that write text."""
        return tuple(model for model in self.models if model.speaks)


class ModelTest(FrozenModel):
    """What a test of a model found.

    words: why it does not work, the endpoint's own where it gave any; what_to_do: in one line. first_word_s: seconds to the first word of
    an answer to a short question. tokens_per_s: that it writes; reads_per_s: that it reads, None where a long question is answered as
    soon as a short one. context: tokens that it reads at once, as the server says, None where it does not. read, sent: tokens of the long
    question, as the endpoint counts them (None: it does not) and about how many they were. format_kept: of format_asked answers. streams,
    tools, schema: None where it was not asked. called: the name it answered under, where it is another one. lines: everything that was
    looked at. settings: variables of the environment that suit it. tokens: sent and received by the test. at: its end.
    """

    model: str
    address: str
    state: ModelState
    words: str = ""
    what_to_do: str = ""
    first_word_s: float | None = None
    tokens_per_s: float | None = None
    reads_per_s: float | None = None
    context: int | None = None
    read: int | None = None
    sent: int = 0
    format_kept: int = 0
    format_asked: int = 0
    streams: bool | None = None
    tools: bool | None = None
    schema_kept: bool | None = None
    called: str = ""
    lines: tuple[DiagnosticResult, ...] = ()
    settings: dict[str, str] = Field(default_factory=dict)
    tokens: int = 0
    seconds: float = 0.0
    at: AwareDatetime

    @property
    def is_cut(self) -> bool:
        """Whether the endpoint read a part of the long question only."""
        return self.read is not None and self.read < _WHOLE * self.sent


_WHOLE = 0.6
"""Of the tokens that a question has by estimate, how many an endpoint that read all of it counts at least."""


class ModelTestProgress(FrozenModel):
    """The state of a test. step: of `steps`. result: None while it goes on."""

    model: str
    address: str
    step: int = 0
    steps: int = TEST_STEPS
    result: ModelTest | None = None
    error: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended."""
        return self.result is None and not self.error


class Spread(FrozenModel):
    """Median and 95th percentile; None where nothing is known."""

    median: float | None = None
    p95: float | None = None


class RunCost(FrozenModel):
    """What a run of a desk takes. runs: how many it was measured on. tokens: sent and received. money: in that of the price table, None
    without a price. estimated: whether it comes from the sizes of prompts and not from runs. calls: that the estimate counts."""

    runs: int
    tokens: Spread
    seconds: Spread
    money: Spread | None
    estimated: bool
    calls: int | None = None


class AccountReading(FrozenModel):
    """What an exchange says of an account. balances: (currency, free, total). may_trade, may_withdraw: of the key, None where the exchange
    does not say. words: why it could not be read."""

    exchange: str
    sandbox: bool
    balances: tuple[tuple[str, float, float], ...] = ()
    may_trade: bool | None = None
    may_withdraw: bool | None = None
    words: str = ""


class MarketReading(FrozenModel):
    """What an exchange's public side gave. price: the close of its newest closed candle of `symbol`, which closed at `closed_at`. skew_s:
    its clock minus this machine's, None where it does not tell. words: why there is nothing."""

    exchange: str
    host: str = ""
    symbol: str = ""
    price: float | None = None
    closed_at: AwareDatetime | None = None
    skew_s: float | None = None
    markets: int = 0
    words: str = ""


AlertState = Literal["off", "untested", "works"]
"""works: a person has said that a test arrived at the addresses that are kept."""


class KeptSetting(FrozenModel):
    """Where a setting comes from. is_set: whether it has a value. place: `outside` = the environment, `file` = `.env`."""

    name: str
    is_set: bool
    place: Literal["outside", "keyring", "file", "none"]
