"""What the analysts remember of a symbol, for somebody who looks from outside a run."""

from datetime import date

from engine.equity.listings import listing_of
from engine.flows.fusion.memory.controller import FLOW, MemoryController, ReadMemories, read_held, report_name
from engine.flows.fusion.presets import preset_of
from engine.flows.fusion.presets.spec import EquityAnalyst
from engine.flows.fusion.stages import ANALYSTS

_ANY_TIME = "9999"


def memory_of(read: ReadMemories, symbol: str, analyst: str | None, day: date | None) -> dict[str, dict[str, str]]:
    """Return analyst -> its report and summaries as of a date's close, None = as of the newest report that there is. analyst: one of them,
    None = those of the symbol's preset. Blocks. Raises BadInput for a symbol of no known form."""
    wanted = [each for each in ANALYSTS if each.key == analyst] if analyst is not None else list(_analysts_of(symbol))
    newest = max((found for each in wanted if (found := _newest(read, symbol, each.key)) is not None), default=None)
    return {each.key: _summary(read, symbol, each, day or newest) for each in wanted}


def _analysts_of(symbol: str) -> tuple[EquityAnalyst, ...]:
    return preset_of("stock" if listing_of(symbol).kind == "stock" else "index").everybody


def _newest(read: ReadMemories, symbol: str, analyst: str) -> date | None:
    found = read(FLOW, symbol, report_name(analyst), until=_ANY_TIME, limit=1)
    return date.fromisoformat(found[0].body["trade_date"]) if found else None


def _summary(read: ReadMemories, symbol: str, analyst: EquityAnalyst, day: date | None) -> dict[str, str]:
    at = day or date.min
    controller = MemoryController(analyst.key, analyst.cadence, symbol, read_held(read, analyst.key, symbol, at, "post_close"))
    return dict(controller.get_memory_summary(symbol, at, "post_close"))  # type: ignore[arg-type]
