"""The tables of the two desks, read from the TOML files of this folder, and which of them a text is read with.

`CRYPTO`: a perpetual contract, its indicators, its order flow, and the position held in it. `EQUITY`: a company, the daily price of its
shares with the indicators, and the account that trades them.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from engine.domain.errors import BadInput
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable
from engine.grounding.tables.thresholds import BANDS
from engine.grounding.words.lists import EQUITY_WORDS, read_file, value_words


def _file(name: str) -> dict[str, Any]:
    return read_file(Path(__file__).parent / f"{name}.toml")


def _indicators(file: Mapping[str, Any]) -> tuple[IndicatorSpec, ...]:
    """Return the entries of a file, each with what its `shape` has and with the `parts` written out in its names."""
    shapes = file.get("shapes", {})
    return tuple(_indicator({**shapes.get(entry.get("shape"), {}), **entry}, file) for entry in file["indicators"])


def _indicator(fields: dict[str, Any], file: Mapping[str, Any]) -> IndicatorSpec:
    fields.pop("shape", None)
    for part, words in file.get("parts", {}).items():
        fields["names"] = fields["names"].replace(f"<{part}>", words)
    fields["label"] = tuple(fields["label"])
    fields["periods"] = frozenset(file["periods"][fields["periods"]] if "periods" in fields else ())
    fields["defaults"] = tuple(map(tuple, fields.get("defaults", ())))
    fields["bands"] = BANDS[fields["bands"]] if "bands" in fields else {}
    return IndicatorSpec(**fields)


_MARKET: Final = _indicators(_file("market"))
_FLOWS: Final = _indicators(_file("flows"))
_POSITION: Final = _indicators(_file("position"))
_ACCOUNT: Final = _file("account")
_SHARES: Final = _file("shares")

CRYPTO: Final = IndicatorTable(
    "crypto",
    (*_MARKET, *_FLOWS, *_POSITION),
    record=("rsi_14", "macd", "adx_14", "funding_rate_pct", "oi_change_pct", "ema_200", "atr_14", "support", "resistance"),
    record_position=("profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct"),
)


def _of_shares(spec: IndicatorSpec) -> IndicatorSpec:
    more = _SHARES["close"]
    return replace(spec, change=more["change"], names=spec.names + more["names"]) if spec.base == "close" else spec


EQUITY: Final = IndicatorTable(
    "equity",
    (
        *_indicators(_ACCOUNT),
        *(replace(spec, names=_ACCOUNT["position"].get(spec.base, "")) for spec in _POSITION),
        *_indicators(_file("company")),
        *_indicators(_SHARES),
        *(_of_shares(spec) for spec in (*_MARKET, *_FLOWS) if spec.base not in _SHARES["without"]),
    ),
    readings=value_words(_SHARES["readings"]),
    record=(
        "pe_ratio",
        "ps_ratio",
        "net_margin_pct",
        "return_on_equity_pct",
        "revenue_growth_pct",
        "debt_to_equity",
        "rsi_14",
        "sma_200",
        "shares_held",
        "average_price",
        "position_weight_pct",
        "account_cash",
        "max_drawdown_pct",
        "largest_allowed_order",
    ),
    words=EQUITY_WORDS,
    periods=True,
)

_BY_PATH: Final = {"entry": CRYPTO, "position": CRYPTO, "equity": EQUITY}


def table_of(path: str | None) -> IndicatorTable:
    """Return the table for `entry`, `position` or `equity`; None and empty mean a market's. Raises BadInput naming the paths there are."""
    found = _BY_PATH.get(path or "entry")
    if found is None:
        raise BadInput(f"'path' is {path!r:.40}; it must be one of {', '.join(_BY_PATH)}")
    return found
