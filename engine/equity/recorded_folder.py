"""What a folder of recorded companies holds: which files give whose prices, factors, filings and news.

Names alone decide, in the folder and one level below: `{source}_{SYMBOL}_1d_raw` (`.csv`, `.csv.gz`, `.parquet`) with
`{source}_{SYMBOL}_factors.csv`, bars within sessions `{source}_{SYMBOL}_1m_raw` (5m, 15m, 30m, 1h), long files `*_1d_*` (`.csv`,
`.csv.gz`) whose heading has a `symbol`, `*news*.csv`, `*fundamentals*.csv`. Other files are left alone.
"""

import csv
import gzip
import re
from dataclasses import dataclass
from pathlib import Path

from engine.domain.errors import BadInput
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.equity.listings import canonical_symbol
from engine.files.folder import files_in

_RAW = re.compile(r"(?P<source>[A-Za-z0-9\-]+)_(?P<symbol>[A-Za-z0-9.\-^]+)_1d_raw\.(?:csv|csv\.gz|parquet)")
_INTRADAY = re.compile(
    r"(?P<source>[A-Za-z0-9\-]+)_(?P<symbol>[A-Za-z0-9.\-^]+)_(?P<timeframe>1m|5m|15m|30m|1h)_raw\.(?:csv|csv\.gz|parquet)"
)
_FACTORS = re.compile(r"(?P<source>[A-Za-z0-9\-]+)_(?P<symbol>[A-Za-z0-9.\-^]+)_factors\.csv")
_LONG = re.compile(r"(?P<source>.+?)_1d_(?!raw\.).*\.csv(?:\.gz)?")
INTRADAY_PATTERN = "{source}_{SYMBOL}_1m_raw.csv (or 5m, 15m, 30m, 1h)"
PATTERNS = "{source}_{SYMBOL}_1d_raw.csv[.gz] or .parquet, or *_1d_*.csv[.gz] with a column symbol"
_HEADING = 4096  # bytes in which a heading ends


@dataclass(frozen=True)
class RawFile:
    """The raw prices of one symbol. factors: the file of its splits and dividends, or None."""

    source: str
    symbol: str
    path: Path
    factors: Path | None


@dataclass(frozen=True)
class IntradayFile:
    """Bars of one symbol within sessions, raw: in shares of their own day."""

    source: str
    symbol: str
    timeframe: Timeframe
    path: Path


@dataclass(frozen=True)
class LongFile:
    """Prices of many symbols."""

    source: str
    path: Path


@dataclass(frozen=True)
class EquityFolder:
    """All files that are read, each kind by place and name; intraday: the finest first."""

    raw: tuple[RawFile, ...]
    long: tuple[LongFile, ...]
    news: tuple[Path, ...]
    fundamentals: tuple[Path, ...]
    intraday: tuple[IntradayFile, ...] = ()


def list_companies(folder: Path) -> EquityFolder:
    """List the folder and the folders in it. Raises BadInput when it cannot be opened or holds no prices of companies."""
    paths = files_in(folder, "companies", levels=1)
    factors = {(path.parent, match["source"], canonical_symbol(match["symbol"])): path for path, match in _matching(paths, _FACTORS)}
    raw = []
    for path, match in _matching(paths, _RAW):
        symbol = canonical_symbol(match["symbol"])
        raw.append(RawFile(match["source"], symbol, path, factors.get((path.parent, match["source"], symbol))))
    intraday = [
        IntradayFile(match["source"], canonical_symbol(match["symbol"]), Timeframe.parse(match["timeframe"]), path)
        for path, match in _matching(paths, _INTRADAY)
    ]
    long = tuple(LongFile(match["source"], path) for path, match in _matching(paths, _LONG) if "symbol" in _heading(path))
    if not raw and not long:
        raise BadInput(Reason("data_folder_holds_no_prices_of_companies", folder=str(folder)[:200], patterns=PATTERNS))
    priced = {*(file.path for file in raw), *(file.path for file in long), *factors.values()}
    tables = [path for path in paths if path.suffix == ".csv" and path not in priced]
    return EquityFolder(
        tuple(raw),
        long,
        tuple(path for path in tables if "news" in path.name),
        tuple(path for path in tables if "fundamentals" in path.name),
        tuple(sorted(intraday, key=lambda each: each.timeframe.ms)),
    )


def _matching(paths: list[Path], pattern: re.Pattern[str]) -> list[tuple[Path, re.Match[str]]]:
    return [(path, match) for path in paths if (match := pattern.fullmatch(path.name)) is not None]


def _heading(path: Path) -> list[str]:
    """Return the names in the first line; none for what is no text: such a file is no one's prices."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            first = stream.read(_HEADING).decode("utf-8-sig", "replace").split("\n", 1)[0]
        return [name.strip() for name in next(csv.reader([first]), [])]
    except (OSError, EOFError, csv.Error):
        return []
