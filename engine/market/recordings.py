"""What a folder of recordings holds, read from its file names alone.

`{venue}_{perp|spot}_{SYMBOL}_{timeframe}` are candles, `..._funding` and `..._open_interest` values beside them, `fear_greed_1d` is of the
whole market; each `.csv`, `.csv.gz` or `.parquet`. Other files are left alone. No file is opened here.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.domain.errors import BadInput
from engine.domain.market.instrument import Market
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.files.folder import files_in
from engine.files.table_file import SUFFIXES

_QUOTES = ("USDT", "USDC", "FDUSD", "BUSD", "TUSD", "USDE", "DAI", "USD", "EUR", "GBP", "JPY", "KRW", "TRY", "BRL", "BTC", "ETH", "BNB")
_NAME = re.compile(
    r"(?P<venue>[A-Za-z0-9\-]+)_(?P<kind>perp|spot)_(?P<pair>[A-Z0-9.\-]+)_(?P<what>[1-9][0-9]*[mhdw]|funding|open_interest)"
)
PATTERN = "{venue}_{perp|spot}_{SYMBOL}_{timeframe}.csv, .csv.gz or .parquet"


@dataclass(frozen=True)
class RecordedMarket:
    """The files of one market from one venue. candles: by timeframe. passed_over: files that say the same and were not taken."""

    market: Market
    venue: str
    candles: Mapping[Timeframe, Path]
    funding: Path | None
    open_interest: Path | None
    passed_over: tuple[str, ...]


@dataclass(frozen=True)
class Folder:
    """All recordings of a folder. unreadable: names that look like recordings of a pair that cannot be split into base and quote."""

    recordings: Mapping[str, RecordedMarket]
    fear_greed: Path | None
    unreadable: tuple[str, ...]


def list_recordings(path: Path) -> Folder:
    """List the folder. Raises BadInput when it is not there or holds no market."""
    names = [item.name for item in files_in(path, "candles")]
    files: dict[Market, dict[str, dict[str, list[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    unreadable = []
    for name in names:
        match = _NAME.fullmatch(_stem(name))
        if match is None:
            continue
        market = market_of(match["kind"], match["pair"])
        if market is None:
            unreadable.append(name)
        else:
            files[market][match["venue"]][match["what"]].append(name)
    recordings = (_recording(path, market, venues) for market, venues in files.items())
    found = {recording.market.symbol: recording for recording in recordings if recording.candles}
    if not found:
        raise BadInput(Reason("data_folder_holds_no_market", path=path, pattern=PATTERN))
    fear_greed = [name for name in names if _stem(name) == "fear_greed_1d"]
    return Folder(dict(sorted(found.items())), path / fear_greed[0] if fear_greed else None, tuple(unreadable))


def market_of(kind: str, pair: str) -> Market | None:
    """Return `BTCUSDT` or `BTC-USDT` as a market, None when no known quote ends it. Contracts in USD settle in the base, others in the
    quote."""
    for quote in sorted(_QUOTES, key=len, reverse=True):
        base = pair.removesuffix(quote).removesuffix("-")
        if pair.endswith(quote) and base:
            settle = None if kind == "spot" else base if quote == "USD" else quote
            return Market(base=base, quote=quote, settle=settle)
    return None


def _stem(name: str) -> str:
    """Return the name without a suffix that we read; empty for other files."""
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), "")


def _recording(folder: Path, market: Market, venues: Mapping[str, Mapping[str, list[str]]]) -> RecordedMarket:
    """Return the first venue by name that has candles; of files that say the same, the first suffix of SUFFIXES (their names sort that
    way)."""
    with_candles = [venue for venue, files in sorted(venues.items()) if _timeframes(files)]
    venue = with_candles[0] if with_candles else min(venues)
    chosen = venues[venue]
    twins = [name for names in chosen.values() for name in names[1:]]
    elsewhere = [name for other in with_candles[1:] for names in venues[other].values() for name in names]
    return RecordedMarket(
        market=market,
        venue=venue,
        candles={timeframe: folder / chosen[str(timeframe)][0] for timeframe in sorted(_timeframes(chosen))},
        funding=folder / chosen["funding"][0] if "funding" in chosen else None,
        open_interest=folder / chosen["open_interest"][0] if "open_interest" in chosen else None,
        passed_over=tuple(sorted(twins + elsewhere)),
    )


def _timeframes(what: Iterable[str]) -> list[Timeframe]:
    return [Timeframe.parse(name) for name in what if name not in ("funding", "open_interest")]
