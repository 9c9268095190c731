"""The frozen sheets of the benchmark: facts of one market, one position or one company at one moment, as a model is shown them.

Those of an edition are made from the simulated markets out of a small manifest; the same manifest gives the same sheets on every machine.
Others are made from a recording. A sheet is plain values: what a model reads is what its words are compared with, to the last digit.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final, Literal

from pydantic import ValidationError

from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, ClockOutOfRange
from engine.domain.facts import FactSheet, read_fact_lines, write_fact_lines
from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import Holding
from engine.domain.inputs import content_hash
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.reason import Reason
from engine.equity.protocol import EquitySource
from engine.equity.sessions import calendar_of
from engine.equity.simulated import SimulatedEquities
from engine.equity.snapshot import read_equity
from engine.facts.company import build_company_sheet
from engine.facts.sheet import build_sheet
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.tables.markets import table_of
from engine.grounding.tables.table import IndicatorTable
from engine.market.protocol import Feed
from engine.market.recorded import RecordedFeed
from engine.market.simulated import SimulatedFeed
from engine.market.snapshot import take_snapshot

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "struck"
"""What is published of the benchmark: manifest, prompts, measures of the reader, licence."""
Kind = Literal["entry", "position", "company"]
_BARS: Final = 400
_QUARTER_MS: Final = 900_000
_PATHS: Final[Mapping[Kind, str]] = {"entry": "entry", "position": "position", "company": "equity"}
_LEFT_OUT: Final = frozenset({"change_24h_pct"})
"""Of a company: its day has a key of its own."""


class StruckSheet(FrozenModel):
    """One sheet.

    id: its name within its edition or file. language: in which it is asked about. at: its moment, as the model reads it. facts: canonical
    key -> value, `symbol` and `timeframe` among them. name, currency: of a company.
    """

    id: str
    kind: Kind
    language: Language
    at: str
    facts: dict[str, float | str]
    name: str = ""
    currency: str = ""

    @property
    def path(self) -> str:
        """The name of the table that its texts are read with."""
        return _PATHS[self.kind]

    @property
    def table(self) -> IndicatorTable:
        """The indicators that its texts are read for."""
        return table_of(self.path)

    @cached_property
    def sheet(self) -> FactSheet:
        """The facts. Raises BadInput for a value of the wrong kind."""
        return replace(plain_sheet(self.facts, self.table), name=self.name)

    @cached_property
    def hash(self) -> str:
        """sha256 of the content."""
        return content_hash(self.model_dump(mode="json"))

    def lines(self, *, without: str = "") -> str:
        """Return the facts as a prompt lists them. without: a key that is left out."""
        keys = [key for key in self.sheet.facts if key != without]
        money = dict.fromkeys(("close", "previous_close"), self.currency) if self.currency else {}
        return write_fact_lines(self.sheet, keys, money, self.language)


class Group(FrozenModel):
    """So many sheets of one kind in one language."""

    kind: Kind
    language: Language
    count: int


class _Market(FrozenModel):
    symbols: tuple[str, ...]
    timeframes: tuple[tuple[str, str], ...]
    from_: datetime
    every_h: int
    held_bars: tuple[int, ...]
    leverage: float


class _Companies(FrozenModel):
    symbols: tuple[str, ...]
    from_: datetime
    every_h: int


class Manifest(FrozenModel):
    """What an edition is made of. seed: of the simulated markets. market, company: which instruments, and when."""

    edition: str
    seed: int
    market: _Market
    company: _Companies
    groups: tuple[Group, ...]

    def plan(self, languages: Iterable[Language]) -> list[tuple[Group, int]]:
        """Return which sheets there are, in an order in which each beginning has all kinds and languages: (group, number in it)."""
        wanted = set(languages)
        rows = ([(group, number) for number in range(group.count)] for group in self.groups if group.language in wanted)
        return [each for each in chain.from_iterable(zip_longest(*rows)) if each is not None]


def read_manifest() -> Manifest:
    """Return the edition that this version ships."""
    data = json.loads((FOLDER / "sheets.json").read_text(encoding="utf-8"))
    for part in ("market", "company"):
        data[part]["from_"] = data[part].pop("from")
    return Manifest.model_validate(data)


def sheets_hash(sheets: Sequence[StruckSheet]) -> str:
    """Name a list of sheets by its content."""
    return "sha256:" + content_hash({"sheets": [sheet.hash for sheet in sheets]})


async def shipped_sheets(languages: Iterable[Language] = LANGUAGES, count: int | None = None) -> list[StruckSheet]:
    """Return the first `count` sheets of the edition in some languages, None = all."""
    manifest = read_manifest()
    feed, equities = SimulatedFeed(manifest.seed, utc_now), SimulatedEquities(manifest.seed, utc_now)
    return [await _made(manifest, group, number, feed, equities) for group, number in manifest.plan(languages)[:count]]


async def recorded_sheets(folder: Path, count: int, languages: Sequence[Language]) -> list[StruckSheet]:
    """Return sheets of the markets of a recording, at instants a fixed time apart, the newest first. Languages take turns. Fewer than
    `count` where the recording ends. Raises BadInput for a folder without markets, and a MarketError for a broken file."""
    feed, every = RecordedFeed(folder), timedelta(hours=read_manifest().market.every_h)
    waiting = deque([(market, 0) for market in await feed.markets()])
    made: list[StruckSheet] = []
    while waiting and len(made) < count:
        market, back = waiting.popleft()
        timeframe, higher = _frames(await feed.timeframes(market))
        end = await feed.clock(market, timeframe, higher)
        try:
            snapshot = await take_snapshot(
                feed, symbol=market.symbol, timeframe=timeframe, htf=higher, at=end - back * every, holding=None, bars=_BARS
            )
        except ClockOutOfRange:
            continue
        sheet = sheet_of(snapshot, f"recorded-{len(made) + 1:03}", languages[len(made) % len(languages)])
        if "rsi_14" in sheet.facts:  # there were candles enough to measure on
            made.append(sheet)
            waiting.append((market, back + 1))
    return made


def _frames(known: Sequence[Timeframe]) -> tuple[Timeframe, Timeframe | None]:
    """Return the timeframes of a recorded market: 15 minutes, or the shortest longer one, and the next usual one that fits above it."""
    timeframe = next((each for each in known if each.ms >= _QUARTER_MS), known[-1])
    return timeframe, next((each for each in known if each.ms >= 4 * timeframe.ms and timeframe.divides(each)), None)


async def _made(manifest: Manifest, group: Group, number: int, feed: Feed, equities: EquitySource) -> StruckSheet:
    name = f"{group.kind}-{group.language}-{number + 1:03}"
    place = number * len(manifest.groups) + manifest.groups.index(group)  # no two groups share a moment
    if group.kind == "company":
        return await _of_company(manifest.company, group, number, place, name, equities)
    return await _of_market(manifest.market, group, number, place, name, feed)


async def _of_market(market: _Market, group: Group, number: int, place: int, name: str, feed: Feed) -> StruckSheet:
    timeframe, higher = map(Timeframe.parse, market.timeframes[number % len(market.timeframes)])
    snapshot = await take_snapshot(
        feed,
        symbol=market.symbols[number % len(market.symbols)],
        timeframe=timeframe,
        htf=higher,
        at=market.from_ + timedelta(hours=market.every_h * place),
        holding=None,
        bars=_BARS,
    )
    if group.kind == "position":
        held = market.held_bars[number % len(market.held_bars)]
        side: Literal["long", "short"] = "long" if number // len(market.symbols) % 2 == number % 2 else "short"
        snapshot = replace(snapshot, holding=_held(snapshot, side, held, market.leverage))
    return sheet_of(snapshot, name, group.language)


def _held(snapshot: Snapshot, side: Literal["long", "short"], bars: int, leverage: float) -> Holding:
    """Return a position that was opened so many candles ago, at the open of its candle."""
    opened = datetime.fromtimestamp(int(snapshot.candles.opened_at[-bars]) / 1000, tz=snapshot.at.tzinfo)
    size = float(f"{5_000 / snapshot.price:.2g}")
    return Holding(side=side, entry_price=float(snapshot.candles.open[-bars]), size=size, leverage=leverage, opened_at=opened)


def sheet_of(snapshot: Snapshot, name: str, language: Language) -> StruckSheet:
    """Return the sheet of a market, of its position where there is one."""
    return StruckSheet(
        id=name,
        kind="position" if snapshot.holding is not None else "entry",
        language=language,
        at=f"{snapshot.at:%Y-%m-%d %H:%M} UTC",
        facts=_shown(build_sheet(snapshot)),
    )


async def _of_company(companies: _Companies, group: Group, number: int, place: int, name: str, equities: EquitySource) -> StruckSheet:
    listing = await equities.listing(companies.symbols[number % len(companies.symbols)])
    day = calendar_of(listing.calendar).last_closed(companies.from_ + timedelta(hours=companies.every_h * place // 2)).date
    snapshot = await read_equity(equities, listing.symbol, day, bars=_BARS)
    return StruckSheet(
        id=name,
        kind="company",
        language=group.language,
        at=f"{snapshot.moment.known_at:%Y-%m-%d %H:%M} UTC",
        facts={key: value for key, value in _shown(build_company_sheet(snapshot)).items() if "." not in key and key not in _LEFT_OUT},
        name=listing.name,
        currency=listing.currency,
    )


def _shown(sheet: FactSheet) -> dict[str, float | str]:
    """Return what is known, as it is written in prompts."""
    about: dict[str, float | str] = {"symbol": sheet.symbol, "timeframe": sheet.timeframe}
    return about | read_fact_lines(write_fact_lines(sheet, sheet.facts))


def write_sheets(sheets: Iterable[StruckSheet], file: Path) -> None:
    """Write sheets, a line each. Raises BadInput for a file that cannot be written."""
    text = "".join(f"{json.dumps(sheet.model_dump(mode='json'), ensure_ascii=False)}\n" for sheet in sheets)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise BadInput(Reason("struck_file_unwritten", file=file, problem=problem.strerror or problem)) from None


def read_sheets(file: Path) -> list[StruckSheet]:
    """Return the sheets of a file. Raises BadInput for one that cannot be read, and for a line that is no sheet."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(Reason("struck_file_unread", file=file, problem=problem)) from None
    return [_read(line, file, number) for number, line in enumerate(lines, 1) if line.strip()]


def _read(line: str, file: Path, number: int) -> StruckSheet:
    try:
        made = StruckSheet.model_validate(json.loads(line))
        assert made.sheet.facts
    except (ValueError, ValidationError, BadInput, AssertionError) as problem:
        why = " ".join(str(problem).split())[:120]
        raise BadInput(Reason("struck_file_unread", file=file, problem=f"{number}: {why}")) from None
    return made
