"""What surrounds a listing: macro figures, its sector, the companies of an index, and what was decided before."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from engine.desks.equities.tools.protocol import Argument, DataTool, Known, plain_name
from engine.prompts.render import quoted


async def macro(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return the newest points of every macro series of a region."""
    snapshot, region = known.snapshot, arguments.get("region")
    series = [each for each in snapshot.macro if region in (None, each.region) and each.points]
    if not series:
        return f"no macro figure is known: {snapshot.missing.get('macro', 'none of that region')}"
    rows = []
    for each in series:
        points = ", ".join(f"{point.period} {point.value:g}" for point in each.points[-4:])
        rows.append(f"{each.key} ({each.region}): {points}")
    about = "\n".join(f"{each.key}: {each.name}, {each.unit}" for each in series)
    return "\n".join([*rows, quoted("names", about)])


async def sector(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return how the sectors of an index did."""
    snapshot, sessions = known.snapshot, arguments["sessions"]
    if not snapshot.constituents:
        return f"no sector is known: {snapshot.missing.get('constituents', 'no company of it is known')}"
    returns: defaultdict[str, list[float]] = defaultdict(list)
    for each in snapshot.constituents:
        change = each.return_pct(sessions)
        if change is not None:
            returns[each.sector or "not known"].append(change)
    ordered = sorted(((sum(own) / len(own), name, len(own)) for name, own in returns.items()), reverse=True)
    return "\n".join(
        [f"average return over {sessions} sessions, percent"]
        + [f"{plain_name(name)}: {change:.2f} ({count} companies)" for change, name, count in ordered]
    )


async def constituent_returns(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return the best and worst companies of an index, and how many rose."""
    snapshot, sessions = known.snapshot, arguments["sessions"]
    found = [(change, each) for each in snapshot.constituents if (change := each.return_pct(sessions)) is not None]
    if not found:
        return f"no closes of constituents are known: {snapshot.missing.get('constituents', 'too few sessions')}"
    found.sort(key=lambda pair: (-pair[0], pair[1].symbol))
    shown = list(dict.fromkeys([*found[:5], *found[-5:]]))
    rows = [f"{each.symbol}: {change:.2f}" for change, each in shown]
    names = "\n".join(f"{each.symbol}: {each.name}" for _, each in shown)
    rose = sum(change > 0 for change, _ in found)
    return "\n".join(
        [
            f"return over {sessions} sessions, percent",
            f"constituents = {len(found)}",
            f"advancing = {rose}",
            *rows,
            quoted("names", names),
        ]
    )


async def past_decisions(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return what was decided about it before this moment, newest first."""
    found = await known.decisions(arguments["limit"])
    rows = [
        f"{each.get('trade_date')} {each.get('trading_session')}: {each.get('action')} at {each.get('price')}; {each.get('reason')}"
        for each in found
    ]
    return quoted("journal", "\n".join(rows)) if rows else "no earlier decision about it is in the journal"


def _sessions(default: int) -> Argument:
    return Argument("sessions", "integer", "over how many sessions", 1, 250, default=default)


MACRO_TOOLS = (
    DataTool(
        "get_macro",
        "Macro figures that were published by then.",
        macro,
        (Argument("region", "string", "of which market; of all if left out", choices=("US", "CN", "HK")),),
    ),
)
SECTOR_TOOLS = (
    DataTool("get_sector", "The returns of the sectors of an index.", sector, (_sessions(20),)),
    DataTool("get_constituent_returns", "Best and worst companies of an index.", constituent_returns, (_sessions(5),)),
)
JOURNAL_TOOLS = (
    DataTool(
        "get_past_decisions",
        "What this desk decided about it before.",
        past_decisions,
        (Argument("limit", "integer", "how many", 1, 20, default=5),),
    ),
)
