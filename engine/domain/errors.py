"""Everything that can go wrong and be said in one clear line.

    TribunalError
    ├── BadInput              what the caller gave cannot be used (shell: exit 2)
    ├── MarketError           the market could not be read
    │   ├── UnknownSymbol     the feed does not know this symbol
    │   ├── NoSuchTimeframe   the feed cannot give this timeframe
    │   ├── ClockOutOfRange   the feed does not cover the asked instant
    │   ├── BadMarketData     a file or an answer is broken: says file/place and row
    │   ├── MarketRefused     the venue answered "no" (geo-block, ban): asking again is useless
    │   └── MarketUnreachable network trouble that outlasted the retries
    ├── ModelError            a model call failed
    │   ├── ModelUnavailable  nothing listens at the endpoint, or there is no key
    │   ├── ModelRefused      the endpoint refused for good (400, unknown model)
    │   │   ├── KeyRefused    it refused the key (401, 403)
    │   │   └── ToolsRefused  it takes no tools
    │   └── CallFailed        deadline or retries used up without a usable answer
    ├── BrokerError           a broker did not do what it was asked
    │   ├── BrokerRefused     it said no: nothing was ordered
    │   ├── PastAccount       a paper account has come further than the asked instant
    │   ├── BrokerUnreachable nothing reached it: nothing was ordered
    │   └── OrderUnknown      the order may have reached it: ask by its client id, never send it again
    ├── SearchError           a source, a download or a reranker gave nothing usable
    ├── NotAllowed            an answer to a proposal that cannot be given: says why, and what there is instead
    └── StoreError            the journal could not be read or written
        └── AlreadyKept       it holds something under that name already

A message says what went wrong, where, and what to do; it never holds a secret, and it is one visible line, even in quoted text.
"""

from decimal import Decimal

from engine.domain.text.address import without_passwords
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line


class TribunalError(Exception):
    """Base of every expected failure. `exit_code` is what the shell ends with. `str()` of one gives its `Reason`, where it has one."""

    exit_code = 1

    def __init__(self, message: object = "") -> None:
        text = str(message)
        super().__init__(text if isinstance(text, Reason) else one_line(without_passwords(text)))


class BadInput(TribunalError):
    """What the caller gave cannot be used."""

    exit_code = 2


class NotOnlyOurs(BadInput):
    """A position is to be closed of which a part, or all, is not ours, and no amount was given. ours, size: base units; of both sides
    in one market a venue keeps the sum."""

    def __init__(self, message: str, ours: Decimal, size: Decimal) -> None:
        super().__init__(message)
        self.ours, self.size = ours, size


class MarketError(TribunalError):
    """The market could not be read."""


class UnknownSymbol(MarketError):
    """The feed does not know this symbol."""

    exit_code = 2


class NoSuchTimeframe(MarketError):
    """The feed cannot give this timeframe, nor build it."""

    exit_code = 2


class ClockOutOfRange(MarketError):
    """The feed does not cover the asked instant."""

    exit_code = 2


class BadMarketData(MarketError):
    """A file or an answer of the venue is broken."""


class MarketRefused(MarketError):
    """The venue refused; asking again is useless."""


class MarketUnreachable(MarketError):
    """Network trouble that outlasted the retries."""


class ModelError(TribunalError):
    """A model call failed."""


class ModelUnavailable(ModelError):
    """Nothing listens at the endpoint, or there is no key for it."""


class ModelRefused(ModelError):
    """The endpoint refused for good."""


class KeyRefused(ModelRefused):
    """The endpoint refused the key: no role can be answered before it is another one."""


class ToolsRefused(ModelRefused):
    """The model takes no tools: it can be asked without them."""


class CallFailed(ModelError):
    """Deadline or retries are used up without a usable answer."""


class BrokerError(TribunalError):
    """A broker did not do what it was asked."""


class BrokerRefused(BrokerError):
    """The broker said no; nothing was ordered."""


class BrokerUnreachable(BrokerError):
    """Nothing reached the broker; nothing was ordered."""


class PastAccount(BrokerError):
    """A paper account has come further than the asked instant: what it held then is past."""


class OrderUnknown(BrokerError):
    """The order may have reached the broker. It must be looked for by its client id and never be sent again."""


class SearchError(TribunalError):
    """A source, a download or a reranker gave nothing usable; the others go on."""


class NotAllowed(TribunalError):
    """An answer to a proposal that cannot be given."""


class StoreError(TribunalError):
    """The journal could not be read or written."""


class AlreadyKept(StoreError):
    """The journal holds something under that name already; nothing was written."""
